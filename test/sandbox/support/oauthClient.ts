import type { AxiosInstance, AxiosResponse } from 'axios';
import axios from 'axios';
import type { Sandbox } from '../../../sandbox/src/client.ts';

export const CALLBACK = 'http://localhost:5678/rest/oauth2-credential/callback';
const MAX_REDIRECTS = 10;

/** The parts of a browser that signing in needs: it keeps cookies by path and follows redirects up to the callback. */
export class SmallBrowser {
	private readonly http: AxiosInstance;
	private readonly cookies = new Map<string, { name: string; path: string; value: string }>();

	constructor(url: string) {
		this.http = axios.create({ baseURL: url, maxRedirects: 0, validateStatus: () => true, proxy: false });
	}

	open(address: string): Promise<AxiosResponse> {
		return this.follow('GET', address);
	}

	submit(page: AxiosResponse<string>, fields: Record<string, string>): Promise<AxiosResponse> {
		const action = /<form method="post" action="([^"]+)"/.exec(page.data)?.[1];
		if (action === undefined) throw new Error(`There is no form on this page (${page.status}): ${page.data}`);
		return this.follow('POST', action, new URLSearchParams(fields).toString());
	}

	/** Returns the page at the end of the redirects. A response with the header `location` leads to the client. */
	private async follow(method: string, address: string, body?: string): Promise<AxiosResponse> {
		let response = await this.request(method, address, body);
		for (let count = 0; response.status >= 300 && response.status < 400; count++) {
			const location = String(response.headers['location']);
			const { origin } = new URL(location, this.http.defaults.baseURL);
			if (origin !== new URL(this.http.defaults.baseURL as string).origin) return response;
			if (count > MAX_REDIRECTS) throw new Error(`There is no end of redirects at ${location}`);
			response = await this.request('GET', location);
		}
		return response;
	}

	private async request(method: string, address: string, data?: string): Promise<AxiosResponse> {
		const { pathname } = new URL(address, this.http.defaults.baseURL);
		const cookie = [...this.cookies.values()]
			.filter(({ path }) => path === '/' || pathname === path || pathname.startsWith(`${path}/`))
			.map(({ name, value }) => `${name}=${value}`)
			.join('; ');
		const form = data === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' };
		const response = await this.http.request({ method, url: address, data, headers: { Cookie: cookie, ...form } });
		for (const line of response.headers['set-cookie'] ?? []) {
			const [, name, value, path] = /^([^=]+)=([^;]*).*?; path=([^;]+)/i.exec(line) as unknown as string[];
			const key = `${name} ${path}`;
			if (value === '') this.cookies.delete(key);
			else this.cookies.set(key, { name: name!, value: value!, path: path! });
		}
		return response;
	}
}

/** The client's side of the authorization code flow. */
export class OAuthClient {
	constructor(private readonly oauth: Sandbox['oauth']) {}

	authorizeUrl(scope: string, more: Record<string, string> = {}): string {
		const { client_id } = this.oauth;
		const query = { client_id, response_type: 'code', redirect_uri: CALLBACK, scope, state: 's1', ...more };
		return `${this.oauth.authorize_url}?${new URLSearchParams(query)}`;
	}

	token(form: Record<string, string>, auth = this.credentials): Promise<AxiosResponse> {
		return this.post(this.oauth.token_url, form, auth);
	}

	refresh(refreshToken: string): Promise<AxiosResponse> {
		return this.token({ grant_type: 'refresh_token', refresh_token: refreshToken });
	}

	revoke(token: string): Promise<AxiosResponse> {
		return this.post(this.oauth.revoke_url, { token }, this.credentials);
	}

	/** Signs in as the published user, who decides on the scopes. Returns the redirect to the client. */
	async decide(
		browser: SmallBrowser,
		scope: string,
		decision: 'allow' | 'deny',
		more: Record<string, string> = {},
	): Promise<AxiosResponse> {
		const { email, password } = this.oauth;
		const consent = await browser.submit(await browser.open(this.authorizeUrl(scope, more)), { email, password });
		return await browser.submit(consent, { decision });
	}

	async connect(url: string, scope: string): Promise<AxiosResponse> {
		return this.redeem(await this.decide(new SmallBrowser(url), scope, 'allow'));
	}

	/** Exchanges the code of a redirect for tokens. */
	redeem(redirect: AxiosResponse): Promise<AxiosResponse> {
		const code = new URL(String(redirect.headers['location'])).searchParams.get('code') ?? '';
		return this.token({ grant_type: 'authorization_code', code, redirect_uri: CALLBACK });
	}

	private get credentials() {
		return { username: this.oauth.client_id, password: this.oauth.client_secret };
	}

	private post(
		url: string,
		form: Record<string, string>,
		auth: { username: string; password: string },
	): Promise<AxiosResponse> {
		return axios.post(url, new URLSearchParams(form), { auth, validateStatus: () => true, proxy: false });
	}
}

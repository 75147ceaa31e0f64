import type { VirtualTime } from '../time.ts';

/** The gaps of the API document about writes. */
export interface ServiceGaps {
	/** The response to a key that comes with another body than the first time. */
	onOtherBody: 'conflict' | 'unprocessable' | 'replay';
	/** How long the service remembers a key, in milliseconds. */
	remembersMs: number;
}

/** What may happen to a request instead of an orderly response. */
export const FAULTS = [
	// Before the service works on it: nothing is made.
	'connection refused',
	'connection reset',
	'400',
	'403',
	'403 that breaks off',
	'404',
	'429',
	'429 without an end',
	'302',
	"a proxy's page",
	'502',
	// The service works on it and fails: nothing is made.
	'500',
	// The change is made, and the response is lost.
	'reset after the change',
	'503 after the change',
	'408 after the change',
	'cut off after the change',
	"a proxy's page after the change",
	// The response comes after any timeout; the change is made before or after that.
	'late',
	'late, as is the change',
] as const;
export type Fault = (typeof FAULTS)[number];

/** How one request goes: its way to the service, the work there, and the way back, in milliseconds. */
export interface Course {
	there: number;
	work: number;
	back: number;
	fault?: Fault | undefined;
}

export const SMOOTH: Course = { there: 20, work: 20, back: 20 };

/** Longer than the timeout of any request in the simulation. */
const LATE_MS = 90_000;

/** How long until a rate limit resets that no node waits for. */
export const SPENT_MS = 600_000;

/** A write as it arrives. */
export interface WriteRequest<Sender> {
	organization: string;
	key: string;
	path: string;
	body: object;
	/** Who sent it, which the service cannot know. */
	sender: Sender;
	sentAt: number;
}

export interface ServiceResponse {
	status: number;
	headers: Record<string, string>;
	body: string;
	/** Whether the connection breaks within the body. */
	breaksOff?: boolean;
}

/** A change that the service made. */
export interface Change<Sender> {
	id: string;
	request: WriteRequest<Sender>;
	at: number;
}

/** A key that came with another body than the first time. */
export interface Mismatch<Sender> {
	request: WriteRequest<Sender>;
	made: Change<Sender>;
}

type KnownKey<Sender> = 'running' | Change<Sender>;

/** The service as far as writes go: API document, Conventions, Errors, and what the gaps leave open. */
export class ServiceModel<Sender> {
	/** The journal: all that was made, in this order. */
	readonly changes: Array<Change<Sender>> = [];
	readonly requests: Array<WriteRequest<Sender>> = [];
	readonly mismatches: Array<Mismatch<Sender>> = [];
	private readonly keys = new Map<string, KnownKey<Sender>>();
	private responses = 0;
	private underWay = 0;

	constructor(
		private readonly time: VirtualTime,
		private readonly gaps: ServiceGaps,
	) {}

	/** @throws an error with a `code` where no response arrives. */
	async respond(request: WriteRequest<Sender>, { there, work, back, fault }: Course): Promise<ServiceResponse> {
		this.underWay++;
		const response = await this.receive(request, there, work, fault).finally(() => this.underWay--);
		await this.time.wait(fault === 'late' ? LATE_MS : back);
		if (fault === 'reset after the change') throw connectionError('ECONNRESET');
		return response;
	}

	/** Whether a request is on its way or under way, perhaps one that nobody waits for any more. */
	get isBusy(): boolean {
		return this.underWay > 0;
	}

	private async receive(
		request: WriteRequest<Sender>,
		there: number,
		work: number,
		fault: Fault | undefined,
	): Promise<ServiceResponse> {
		await this.time.wait(there);
		if (fault === 'connection refused') throw connectionError('ECONNREFUSED');
		if (fault === 'connection reset') throw connectionError('ECONNRESET');
		this.requests.push(request);
		return await this.process(request, work, fault);
	}

	private async process(
		request: WriteRequest<Sender>,
		work: number,
		fault: Fault | undefined,
	): Promise<ServiceResponse> {
		switch (fault) {
			case '400':
			case '403':
			case '404':
			case '502':
				return this.rejection(Number(fault));
			case '302':
				return { ...this.rejection(302), body: '' };
			case '403 that breaks off':
				return { ...this.rejection(403), breaksOff: true };
			case '429':
				return this.rejection(429, { 'retry-after': '7' });
			case '429 without an end':
				return this.rejection(429, { 'retry-after': String(SPENT_MS / 1_000) });
			case "a proxy's page":
				return this.page();
			default:
		}
		const known = this.knownKey(request);
		if (known === 'running') return this.rejection(409);
		if (known !== undefined) return this.known(known, request);
		const name = nameOf(request);
		this.keys.set(name, 'running');
		await this.time.wait(fault === 'late, as is the change' ? LATE_MS : work);
		if (fault === '500') {
			this.keys.delete(name);
			return this.rejection(500);
		}
		const change = { id: `change-${this.changes.length}`, request, at: this.time.now };
		this.changes.push(change);
		this.keys.set(name, change);
		switch (fault) {
			case '503 after the change':
				return this.rejection(503);
			case '408 after the change':
				return this.rejection(408);
			case "a proxy's page after the change":
				return this.page();
			case 'cut off after the change':
				return { ...this.success(change), breaksOff: true };
			default:
				return this.success(change);
		}
	}

	private knownKey(request: WriteRequest<Sender>): KnownKey<Sender> | undefined {
		const known = this.keys.get(nameOf(request));
		const isForgotten = typeof known === 'object' && this.time.now - known.at > this.gaps.remembersMs;
		return isForgotten ? undefined : known;
	}

	private known(made: Change<Sender>, request: WriteRequest<Sender>): ServiceResponse {
		const isSame = contentOf(made.request) === contentOf(request);
		if (!isSame) {
			this.mismatches.push({ request, made });
			if (this.gaps.onOtherBody === 'conflict') return this.rejection(409);
			if (this.gaps.onOtherBody === 'unprocessable') return this.rejection(422);
		}
		return this.success(made, { 'idempotent-replay': 'true' });
	}

	private success(change: Change<Sender>, headers: Record<string, string> = {}): ServiceResponse {
		return { status: 200, headers: { ...this.headers(), ...headers }, body: JSON.stringify({ id: change.id }) };
	}

	private rejection(status: number, headers: Record<string, string> = {}): ServiceResponse {
		const common = this.headers();
		const error = { type: 'error', message: `status ${status}`, request_id: common['x-request-id'] };
		return { status, headers: { ...common, ...headers }, body: JSON.stringify({ error }) };
	}

	private page(): ServiceResponse {
		return { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' };
	}

	private headers(): Record<string, string> {
		return { 'content-type': 'application/json', 'x-request-id': `request-${this.responses++}` };
	}
}

/** Path and body, which one key must always come with. */
export function contentOf({ path, body }: Pick<WriteRequest<unknown>, 'path' | 'body'>): string {
	return `${path} ${JSON.stringify(body)}`;
}

function nameOf({ organization, key }: WriteRequest<unknown>): string {
	return `${organization} ${key}`;
}

function connectionError(code: string): Error {
	return Object.assign(new Error(code), { code });
}

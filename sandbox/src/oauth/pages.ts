const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
	return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] as string);
}

const STYLE = `
:root { color-scheme: light dark; --accent: #0b57d0; --on-accent: #fff; --line: #767680; --alert: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --accent: #a8c7fa; --on-accent: #062e6f; --line: #8e9099; --alert: #f2b8b5; } }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 26rem; padding: 3rem 1.25rem; }
h1 { font-size: 1.5rem; line-height: 1.25; }
label { display: block; font-weight: 600; margin-top: 1rem; }
input { box-sizing: border-box; width: 100%; font: inherit; padding: .5rem; border: 1px solid var(--line); border-radius: .375rem; }
button { font: inherit; font-weight: 600; padding: .5rem 1.25rem; margin: 1.5rem .75rem 0 0; border: 1px solid var(--accent);
	border-radius: .375rem; cursor: pointer; background: transparent; color: var(--accent); }
button.primary { background: var(--accent); color: var(--on-accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
[role=alert] { color: var(--alert); font-weight: 600; }
.hint { border-top: 1px solid var(--line); margin-top: 2.5rem; font-size: .875rem; }
`;

function page(title: string, content: string): string {
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${content}
</main>
</body>
</html>
`;
}

/** Returns the sign-in form. `email` is the one entered before with a wrong password. */
export function signInPage(action: string, demo: { email: string; password: string }, email?: string): string {
	const failed =
		email === undefined
			? ''
			: '<p role="alert" id="problem">This email and password do not belong together. Enter them again.</p>';
	const invalid = email === undefined ? '' : ' aria-invalid="true" aria-describedby="problem"';
	return page(
		'Sign in to the lead and revenue service',
		`${failed}<form method="post" action="${escaped(action)}">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus value="${escaped(email ?? '')}"${invalid}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${invalid}>
<button class="primary" type="submit">Sign in</button>
</form>
<p class="hint">This is a sandbox without real data. Its demo user is <strong>${escaped(demo.email)}</strong> with the
password <strong>${escaped(demo.password)}</strong>.</p>`,
	);
}

/** What the consent page shows. */
interface Consent {
	action: string;
	client: string;
	organization: string;
	email: string;
	scopes: readonly string[];
}

/** Returns the page that asks whether a client may act for the organization. */
export function consentPage({ action, client, organization, email, scopes }: Consent): string {
	const wanted = scopes.map((scope) => `<li><code>${escaped(scope)}</code></li>`).join('');
	return page(
		`Allow ${client} to use ${organization}?`,
		`<p>You are signed in as ${escaped(email)}. ${escaped(client)} asks to act for ${escaped(organization)} with these
scopes:</p>
<ul>${wanted}</ul>
<form method="post" action="${escaped(action)}">
<button class="primary" type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny">Deny</button>
</form>`,
	);
}

/** Returns the page that says why no connection was made, and what to do. */
export function errorPage(problem: string, next: string): string {
	return page('The connection was not made', `<p role="alert">${escaped(problem)}</p>\n<p>${escaped(next)}</p>`);
}

import { readFile } from 'node:fs/promises';
import type { ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { Document, Request } from 'openapi-backend';
import { OpenAPIBackend, SetMatchType } from 'openapi-backend';
import { parse } from 'yaml';
import { ServiceError } from './serviceError.ts';

const DOCUMENT = new URL('../openapi/service.yaml', import.meta.url);

/** A request as the contract checks it. */
interface CheckedRequest {
	method: string;
	/** The path as sent, without the query. */
	path: string;
	headers: Record<string, string | string[] | undefined>;
	query: Record<string, unknown>;
	body: unknown;
}

/** Where an operation of the document is served, and its query parameters. */
export interface OperationRoute {
	method: 'GET' | 'POST';
	/** With `{name}` for path parameters. */
	template: string;
	queryNames: ReadonlySet<string>;
}

const HEADER_NAMES: Record<string, string> = { 'idempotency-key': 'Idempotency-Key' };

// ajv-formats is CommonJS; the form of its default export depends on who imports it.
const withFormats = addFormats as unknown as typeof addFormats.default;

/** The OpenAPI document, and the checks of requests and responses against it. */
export class Contract {
	/** The document's text. */
	readonly text: string;
	readonly document: Record<string, unknown>;
	private readonly backend: OpenAPIBackend;

	private constructor(text: string, backend: OpenAPIBackend) {
		this.text = text;
		this.document = parse(text) as Record<string, unknown>;
		this.backend = backend;
	}

	static async load(): Promise<Contract> {
		const text = await readFile(DOCUMENT, 'utf8');
		const backend = new OpenAPIBackend({
			definition: parse(text) as Document,
			// The library's own check of the document knows OpenAPI 3.0 only; the linter checks this one.
			quick: true,
			strict: true,
			ignoreTrailingSlashes: false,
			coerceTypes: true,
			ajvOpts: { allErrors: true, strict: false },
			customizeAjv: (ajv) => withFormats(ajv),
		});
		await backend.init();
		return new Contract(text, backend);
	}

	route(operationId: string): OperationRoute {
		const operation = this.backend.router.getOperation(operationId);
		if (operation === undefined) throw new Error(`The OpenAPI document has no operation ${operationId}`);
		const parameters = (operation.parameters ?? []) as Array<{ in: string; name: string }>;
		return {
			method: operation.method.toUpperCase() as OperationRoute['method'],
			template: operation.path,
			queryNames: new Set(parameters.filter((p) => p.in === 'query').map((p) => p.name)),
		};
	}

	/** Checks a request and returns its query with the types of the document. @throws ServiceError 400. */
	checkRequest(operationId: string, request: CheckedRequest): Record<string, string | number> {
		const result = this.backend.validator.validateRequest(request as Request, operationId);
		if (!result.valid) throw invalid(result.errors ?? []);
		return (result.coerced?.query ?? {}) as Record<string, string | number>;
	}

	/** Returns what breaks the document in a response; `undefined` when nothing does. An `undefined` body is not checked. */
	responseProblem(
		operationId: string,
		status: number,
		headers: Record<string, string>,
		body: unknown,
	): string | undefined {
		const { validator } = this.backend;
		const operation = this.backend.router.getOperation(operationId);
		const declared = Object.keys(operation?.responses ?? {});
		if (!declared.includes(String(status)) && !declared.includes(`${Math.floor(status / 100)}XX`)) {
			return `status ${status} is not in the document`;
		}
		const inBody = body === undefined ? null : validator.validateResponse(body, operationId, status).errors;
		const inHeaders = validator.validateResponseHeaders(headers, operationId, {
			statusCode: status,
			setMatchType: SetMatchType.Any,
		}).errors;
		const errors = [...(inBody ?? []), ...(inHeaders ?? [])];
		return errors.length === 0 ? undefined : errors.map((e) => `${e.instancePath || '/'} ${e.message}`).join('; ');
	}
}

/** Turns schema errors into the error of the service: a message, and messages by parameter or body field. */
function invalid(errors: readonly ErrorObject[]): ServiceError {
	const fields: Record<string, string[]> = {};
	for (const error of errors) {
		(fields[fieldOf(error)] ??= []).push(messageOf(error));
	}
	const list = Object.entries(fields).map(([field, messages]) => `${field} ${messages.join(' and ')}`);
	return new ServiceError(400, `The request is invalid: ${list.join('; ')}`, { fields });
}

function fieldOf({ instancePath, params }: ErrorObject): string {
	const [, place = '', ...path] = instancePath.split('/');
	const extra = (params as { missingProperty?: string; additionalProperty?: string } | undefined) ?? {};
	const names = [...path, extra.missingProperty ?? extra.additionalProperty].filter((name) => name !== undefined);
	if (place === 'header') return HEADER_NAMES[names[0] ?? ''] ?? names.join('.');
	return names.join('.').replace(/^requestBody$/, '') || 'body';
}

function messageOf({ keyword, message, params }: ErrorObject): string {
	if (keyword === 'required') return 'is required';
	if (keyword === 'additionalProperties') return 'is not known';
	if (keyword === 'enum') {
		return `must be one of ${(params as { allowedValues: string[] }).allowedValues.join(', ')}`;
	}
	return message ?? 'is invalid';
}

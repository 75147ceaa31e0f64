// The engine of n8n 1.123 sets an interval for its SSH connections and clears it when n8n ends: it would keep a test process alive.
const { setInterval } = globalThis;
globalThis.setInterval = ((...args: Parameters<typeof setInterval>) =>
	setInterval(...args).unref()) as typeof setInterval;

export {};

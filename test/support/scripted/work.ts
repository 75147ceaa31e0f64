import { settle } from './clock.ts';

/** Work that ends when the test says so. */
export class Work {
	running = 0;
	started = 0;
	readonly finish: Array<() => void> = [];

	readonly run = async () => {
		this.running++;
		this.started++;
		await new Promise<void>((resolve) => this.finish.push(resolve));
		this.running--;
	};

	async end(count = 1): Promise<void> {
		for (const finish of this.finish.splice(0, count)) finish();
		await settle();
	}
}

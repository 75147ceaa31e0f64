import type { IExecuteData } from 'n8n-workflow';
import { stopSiblingsOnFailure } from '../../../nodes/GetRevenue/siblings.ts';

const run = () => ({}) as IExecuteData;

type Work = (signal: AbortSignal) => Promise<unknown[]>;

/** Starts a run whose items do this work, in their order, as n8n does; returns how they end. */
const begin = async (key: IExecuteData, ...works: Work[]) =>
	await Promise.allSettled(works.map(async (work, itemIndex) => await stopSiblingsOnFailure(key, itemIndex, work)));

/** Work that throws when it is stopped, as a request does. */
const stoppable: Work = async (signal) => {
	if (signal.aborted) throw new Error('stopped');
	return await new Promise<string[]>((_resolve, reject) =>
		signal.addEventListener('abort', () => reject(new Error('stopped'))),
	);
};

const failing: Work = async () => await Promise.reject<string[]>(new Error('the failure'));

const FAILED = { status: 'rejected', reason: new Error('the failure') };
const returns = (...value: unknown[]) => ({ status: 'fulfilled', value });

/** Work that ends when it is told to, and says whether it was stopped. */
function held() {
	const { promise, resolve, reject } = Promise.withResolvers<undefined>();
	const work: Work = async (signal) => {
		await promise;
		return [signal.aborted];
	};
	return { work, finish: () => resolve(undefined), fail: () => reject(new Error('the failure')) };
}

describe('the input items of one run', () => {
	test('return what they have', async () => {
		const works = ['a', 'b'].map((value) => async () => [value]);
		await expect(begin(run(), ...works)).resolves.toEqual([returns('a'), returns('b')]);
	});

	test('stop when one fails, which alone throws', async () => {
		const other = held();
		const others = begin(run(), other.work, other.work);
		await expect(begin(run(), stoppable, failing, stoppable)).resolves.toEqual([returns(), FAILED, returns()]);
		other.finish();
		await expect(others).resolves.toEqual([returns(false), returns(false)]);
	});

	test('stop also when they start after the failure, as with a batch interval', async () => {
		const one = run();
		await expect(begin(one, failing)).resolves.toEqual([FAILED]);
		await expect(stopSiblingsOnFailure(one, 1, stoppable)).resolves.toEqual([]);
	});

	test('do not include those of the next attempt', async () => {
		const one = run();
		await begin(one, failing, stoppable);
		const unstopped: Work = async (signal) => [signal.aborted];
		await expect(begin(one, unstopped, unstopped)).resolves.toEqual([returns(false), returns(false)]);
		await expect(begin(one, failing)).resolves.toEqual([FAILED]);
	});

	test('are not stopped by what an earlier attempt left running', async () => {
		const [one, left, now] = [run(), held(), held()];
		const before = begin(one, left.work);
		const next = begin(one, now.work, now.work);
		left.fail();
		await expect(before).resolves.toEqual([FAILED]);
		now.finish();
		await expect(next).resolves.toEqual([returns(false), returns(false)]);
	});

	test('do not include those of another tool call, which gets the same object', async () => {
		const [agent, other] = [run(), held()];
		const others = begin(agent, other.work);
		await expect(Promise.all([begin(agent, failing), begin(agent, failing)])).resolves.toEqual([[FAILED], [FAILED]]);
		other.finish();
		await expect(others).resolves.toEqual([returns(false)]);
	});
});

/** Describes tests; with a reason against them it skips them, and their title says why. */
export function describeUnless(whyNot: string | undefined, title: string, tests: () => void): void {
	if (whyNot === undefined) describe(title, tests);
	else describe.skip(`${title} [skipped: ${whyNot}]`, tests);
}

/** The same for one test. */
export function testUnless(whyNot: string | undefined, title: string, run: () => Promise<void>): void {
	if (whyNot === undefined) test(title, run);
	else test.skip(`${title} [skipped: ${whyNot}]`, run);
}

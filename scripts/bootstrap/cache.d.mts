export function installOnce(name: string, install: (folder: string) => Promise<void>): Promise<string>;
export function digest(...contents: string[]): string;

/** Two commands start the daemon of one data folder at once: one of them does, and the other names the process that has it and what to do. */
import { expect, it } from '@jest/globals';
import { twoLaptops } from '../support/two-laptops.ts';

const bench = twoLaptops();
const { a, b } = bench;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function together(args: readonly string[]): Promise<{ began: Ended; refused: Ended }> {
  const ups = await Promise.all([0, 1].map(() => bench.godwit(args)));
  const [began, refused] = [...ups].sort((one, other) => (one.code ?? 9) - (other.code ?? 9));
  return { began: began as Ended, refused: refused as Ended };
}

/** Where the second command is late it finds the daemon at work, and that is what it wanted. */
function expectOne(data: string, { began, refused }: { began: Ended; refused: Ended }): void {
  expect([began.code, began.stderr]).toEqual([0, '']);
  if (refused.code === 0) return expect(refused.stdout).toMatch(/^running already: /);
  const said = `godwit: a daemon \\(process \\d+\\) runs on ${data} already; use that one, or end it: `;
  expect(refused.stderr).toMatch(new RegExp(`^${said}a daemon with \`godwit down\`[^\n]*\n$`));
}

it('one of two `up` at once starts the daemon of a paired device, and the other names it', async () => {
  await bench.json(['down', '--data', a.data]);
  expectOne(a.data, await together(['up', '--data', a.data]));
  await bench.flush(a, b);
});

it('one of two first `up` at once pairs the device, and the other takes nothing back', async () => {
  const [data, folder] = [bench.path('cleo', 'data'), bench.path('cleo', 'Godwit')];
  const invite = ['--invite', await bench.invite(bench.home)];
  expectOne(data, await together(['up', '--data', data, '--folder', folder, ...invite]));
  const cleo = { data, folder };
  await bench.flush(a, cleo);
  await bench.json(['down', '--data', data]);
});

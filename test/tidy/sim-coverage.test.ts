/** test/support/sim-coverage/: what counts as a branch, and which reason is a branch's. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { branchesOf } from '../support/sim-coverage/branches.mjs';
import { isSeldom, reasonFor, reasonsIn } from '../support/sim-coverage/reasons.mjs';

const SOURCE = `export function pick(value: number | null, other = 7): string {
  if (value === null) return 'none';
  switch (value) {
    case 1:
      return 'one';
    default:
      return value > 5 && other > 0 ? 'many' : String(value ?? other);
  }
}

export async function wait(value: number | null): Promise<string> {
  const got = value === null ? null : await value;
  if (got === null) return 'none';
  return 'some';
}
`;

/** The line of that function. */
const WAIT = 11;

interface Written {
  readonly result: ReadonlyArray<{ readonly url: string; readonly functions: object[] }>;
}

/** The branches of the source, as counted while another process ran it. */
async function counted(call: string): ReturnType<typeof branchesOf> {
  const folder = mkdtempSync(join(tmpdir(), 'godwit-coverage-'));
  try {
    const path = join(folder, 'pick.ts');
    writeFileSync(path, SOURCE);
    const url = pathToFileURL(path).href;
    const counts = join(folder, 'counts');
    const program = `const m = await import('${url}'); ${call}`;
    execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      env: { ...process.env, NODE_V8_COVERAGE: counts },
    });
    const [file = ''] = readdirSync(counts);
    const { result } = JSON.parse(readFileSync(join(counts, file), 'utf8')) as Written;
    const coverage = result.find((script) => script.url === url);
    if (coverage === undefined) throw new Error('the source was not run');
    return await branchesOf(coverage);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("the branches of the simulator's coverage", () => {
  it('are reported in both ways at their line in the TypeScript source', async () => {
    const branches = await counted('m.pick(1);');
    const missed = branches.filter(({ line, reached }) => line < WAIT && !reached);
    expect(missed.map(({ line, kind, text }) => `${line} ${kind} ${text}`)).toEqual([
      "2 if if (value === null) return 'none';",
      '6 switch default:',
      "7 cond-expr 'many'",
      '7 cond-expr String(value ?? other)',
      '7 binary-expr value > 5',
      '7 binary-expr other > 0',
      '7 binary-expr value',
      '7 binary-expr other',
    ]);
  });

  it('include what passes an `if` behind an `await`', async () => {
    const branches = await counted('for (const value of [null, null, 1]) await m.wait(value);');
    const missed = branches.filter(({ line, reached }) => line >= WAIT && !reached);
    expect(missed).toEqual([]);
  });
});

describe('the reasons for uncovered branches', () => {
  const reasons = reasonsIn(`
| file | branch | why |
| --- | --- | --- |
| \`a/b.ts\` | \`= []\` | exact |
| \`a/\` | \`*\` | folder |
| \`*\` | \`one \\| two\` | part |
`);

  it.each([
    ['a/b.ts', '[]', 'exact'],
    ['a/b.ts', '[] more', 'folder'],
    ['a/c.ts', 'x', 'folder'],
    ['z.ts', 'if (one | two)', 'part'],
    ['z.ts', 'x', undefined],
  ])('are found for %s %s: %s', (file, text, why) => {
    const branch = { line: 1, kind: 'if', text, reached: false };
    const reason = reasonFor(reasons, file, branch) as { why: string } | undefined;
    expect(reason?.why).toBe(why);
  });

  it('can mark a branch as reached by some seeds only', () => {
    expect(isSeldom({ why: 'seldom: two at once' })).toBe(true);
    expect(isSeldom({ why: 'a limit' })).toBe(false);
  });
});

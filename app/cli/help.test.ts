/** The help pages of `godwit` and of its laboratory: what stands under which heading. */
import { describe, expect, it } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { Cli } from './cli.ts';
import { Interruption } from './interruption.ts';
import { buildProgram, loadedProgram } from './program.ts';
import { godwit } from '../../test/support/run-cli.ts';

interface Section {
  readonly heading: string;
  readonly names: readonly string[];
}

/** Headings in their order, each with the names below it; a line that goes on is none. */
function sectionsOf(page: string): Section[] {
  const sections: Array<{ heading: string; names: string[] }> = [];
  for (const line of page.split('\n')) {
    const heading = /^(\S.*):$/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ heading, names: [] });
    const name = /^ {2}([a-z][a-z-]*) /.exec(line)?.[1];
    if (name !== undefined) sections.at(-1)?.names.push(name);
  }
  return sections.filter(({ names }) => names.length > 0);
}

async function page(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await godwit(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const EXPERIMENTS = ['replay', 'trace', 'link', 'bench', 'demo', 'sim'];

describe('the help page', () => {
  it('begins with five commands and has the others in sections', async () => {
    expect(sectionsOf(await page('--help'))).toEqual([
      { heading: 'To begin with', names: ['here', 'server', 'up', 'status', 'conflicts'] },
      {
        heading: 'A synced folder',
        names: [
          ...['down', 'flush', 'tray', 'ui', 'open', 'pause', 'resume', 'queue', 'writeback'],
          ...[
            'sharing',
            'lock',
            'unlock',
            'locks',
            'access',
            'team',
            'share',
            'shares',
            'accept',
            'leave',
            'unshare',
            'volume',
            'network',
            'use',
            'config',
            'confirm',
            'reject',
            'undo',
          ],
          ...['versions', 'snapshots', 'restore'],
        ],
      },
      {
        heading: 'What is here of a volume',
        names: [
          'cache',
          'pin',
          'unpin',
          'evict',
          'prefetch',
          'exclude',
          'include',
          'excluded',
          'group',
        ],
      },
      { heading: 'Files of a volume, without the folder', names: ['ls', 'cat', 'put'] },
      {
        heading: 'To look around and to mend',
        names: ['doctor', 'df', 'log', 'stats', 'metrics', 'completion'],
      },
      { heading: 'The laboratory (godwit lab --help)', names: ['lab', ...EXPERIMENTS] },
      { heading: 'Commands', names: ['help'] },
    ]);
  });

  it.each([[[]], [['help']], [['-h']]])('is the same for %j', async (args) => {
    expect(await page(...args)).toBe(await page('--help'));
  });

  it('has a line for each command as the command itself has it', async () => {
    const still = new PassThrough();
    const cli = new Cli({ stdin: still, stdout: still, stderr: still }, new Interruption());
    const [shown, loaded] = [await buildProgram(cli, ['--help']), await loadedProgram(cli)];
    // Made anew by `npm run docs`.
    expect(shown.helpInformation()).toBe(loaded.helpInformation());
  });

  it.each([['up'], ['server'], ['pin'], ['completion'], ['bench']])(
    'is the same for %s by "help" and by its flag',
    async (name) => {
      expect(await page('help', name)).toBe(await page(name, '--help'));
    },
  );

  it('fits into a hundred columns', async () => {
    const lines = (await page('--help')).split('\n');
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
  });

  it('is parsed into headings and names, without continued lines', () => {
    expect(sectionsOf('Some:\n  one [options]  does\n       more of it\nNone:\n')).toEqual([
      { heading: 'Some', names: ['one'] },
    ]);
  });
});

describe('the help page of the laboratory', () => {
  it('lists each experiment', async () => {
    const told = sectionsOf(await page('lab', '--help'));
    expect(told).toEqual([{ heading: 'Commands', names: EXPERIMENTS }]);
  });

  it.each(EXPERIMENTS)(
    'leads to the options of `%s`, which are the same without `lab`',
    async (name) => {
      const alone = await page(name, '--help');
      expect((await page('lab', name, '--help')).replaceAll('godwit lab ', 'godwit ')).toBe(alone);
      expect(alone).toContain('Options:');
    },
  );

  it('is suggested by `godwit lab` without a command', async () => {
    expect(await godwit(['lab'])).toMatchObject({
      code: 2,
      stderr: `godwit: lab: name one of its commands: ${EXPERIMENTS.join(', ')}; see \`godwit lab --help\`\n`,
    });
  });
});

describe('godwit sim', () => {
  it.each([[['sim']], [['lab', 'sim']]])('runs a seed as `%j`', async (words) => {
    const { code, stdout } = await godwit([
      ...words,
      ...['--seed', '3', '--steps', '5', '--faults', 'none', '--json'],
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ seed: 3, findings: [] });
  });

  it('reports what is wrong with its arguments', async () => {
    expect(await godwit(['sim', '1', '--seed'])).toMatchObject({ code: 2, stdout: '' });
    expect(await godwit(['sim', '--seed'])).toMatchObject({
      code: 2,
      stderr: "godwit: godwit sim: option '--seed <n>' argument missing; see `godwit sim --help`\n",
    });
  });
});

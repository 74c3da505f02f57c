/** Every command that takes a path takes it in each form, and does the same: no command reads a path by itself. */
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import type { z } from 'zod';
import { path as pathKind } from '../../../shared/control/arguments.ts';
import type { Caller } from '../../../shared/control/command.ts';
import { COMMANDS, type CommandName } from '../../../shared/control/commands.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import { FakeControl } from '../../../test/support/fake-control.ts';
import { godwit } from '../../../test/support/run-cli.ts';
import { Cli } from '../cli.ts';
import { Interruption } from '../interruption.ts';
import { loadedProgram } from '../program.ts';
import { takesPath } from './path-arguments.ts';

const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };

async function allCommands(): Promise<Array<{ words: string[]; command: Command }>> {
  const program = await loadedProgram(new Cli(io, new Interruption()));
  const below = (command: Command, above: string[]): Array<{ words: string[]; command: Command }> =>
    command.commands.flatMap((child) => {
      const words = [...above, child.name()];
      return [{ words, command: child }, ...below(child, words)];
    });
  return below(program, []);
}

const known = await allCommands();
const withPaths = known.filter(({ command }) => command.registeredArguments.some(takesPath));
const withPathFlags = known.flatMap(({ words, command }) =>
  command.options.filter(takesPath).map((option) => ({ words, flag: option.long ?? '' })),
);

/** What each needs besides a path, by its words; `PATH` stands for the path. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  put: ['-', 'PATH'],
  sharing: ['PATH', 'shared'],
  'conflicts resolve': ['PATH', '--keep', 'mine'],
  'volume mount': ['home', 'PATH'],
  accept: ['home', 'PATH'],
  'group create': ['g', 'PATH'],
  'group add': ['g', 'PATH'],
  'group remove': ['g', 'PATH'],
};

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly calls: readonly string[];
}

let control: FakeControl;
let folder: string;
const before = process.cwd();

beforeEach(begin);
afterEach(end);

async function begin(): Promise<void> {
  control = new FakeControl();
  await control.start();
  folder = join(realpathSync(control.folder), 'Godwit');
  mkdirSync(join(folder, 'project'), { recursive: true });
  writeFileSync(join(folder, 'project', 'a b.txt'), 'contents');
  control.daemon.become({ folder });
  const { fileSystem } = control.daemon;
  const root = (await fileSystem.volumes())[0]?.root as Fid;
  const { fid } = await fileSystem.mkdir(root, 'project', { mode: 0o755 });
  await fileSystem.create(fid, 'a b.txt', { mode: 0o644 });
  // Nothing that could open a file.
  process.env['PATH'] = control.folder;
  process.chdir(join(folder, 'project'));
}

async function end(): Promise<void> {
  process.chdir(before);
  await control.close();
}

async function outcome(args: readonly string[]): Promise<Outcome> {
  control.daemon.calls.splice(0);
  const { code, stdout, stderr } = await godwit([...args, '--data', control.data]);
  const calls = control.daemon.calls.filter((call) => !call.startsWith('changed'));
  return { code, stdout, stderr, calls };
}

/** Each in the folder `project`. */
const FORMS: Readonly<Record<string, () => string>> = {
  'from the root': () => '/project/a b.txt',
  'of the disk': () => join(folder, 'project', 'a b.txt'),
  'from the working directory': () => 'a b.txt',
  'with its volume': () => 'home:/project/a b.txt',
};

/** A line may repeat what was typed, and where the folder is. */
function withoutPlaces({ stdout, stderr, ...told }: Outcome, path: string): Outcome {
  const shown = (text: string): string =>
    text
      .replaceAll(`: ${path}`, ': PATH')
      .replaceAll(': /project/a b.txt', ': PATH')
      .replaceAll(control.folder, 'BASE');
  return { ...told, stdout: shown(stdout), stderr: shown(stderr) };
}

const lineOf = (words: readonly string[], path: string): string[] => {
  const more = MORE[words.join(' ')] ?? ['PATH'];
  return [...words, ...more.map((word) => (word === 'PATH' ? path : word))];
};

describe.each(withPaths.map(({ words }) => [words.join(' '), words] as const))(
  'godwit %s',
  (_name, words) => {
    it('does the same for each form of a path', async () => {
      const found = new Map<string, Outcome>();
      for (const [form, path] of Object.entries(FORMS)) {
        // An order that was carried out makes the next one another: each form has its own volume.
        if (found.size > 0) {
          await end();
          await begin();
        }
        const told = await outcome(lineOf(words, path()));
        found.set(form, withoutPlaces(told, path()));
      }
      const [first, ...others] = [...found.values()];
      for (const other of others) expect(other).toEqual(first);
      expect(first?.stderr).not.toContain('no such file');
    });

    it('names the folder for a path of this machine that is not in it', async () => {
      const path = join(control.folder, 'outside', 'x');
      const { code, stdout, stderr } = await outcome(lineOf(words, path));
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^godwit: [^\n]+; [^\n]+\n$/);
      expect(stderr).toContain(`${path}: it is not in the synced folder, ${folder};`);
    });
  },
);

it('a flag whose value is a path takes each form', () => {
  expect(withPathFlags).toEqual([{ words: ['restore'], flag: '--to' }]);
});

describe('the table of commands', () => {
  /** By which commands of the CLI a person gives the path of these. */
  const GIVEN_TO: Partial<Record<CommandName, readonly string[]>> = {
    lock: ['lock'],
    unlock: ['unlock'],
    'queue-at': ['status'],
    'queue-order': ['queue now', 'queue later', 'queue cancel'],
    cache: ['pin', 'unpin', 'evict', 'prefetch', 'open'],
    exclude: ['exclude'],
    include: ['include'],
    'left-out': ['status'],
    confirm: ['confirm'],
    reject: ['reject'],
    versions: ['versions'],
    'list-past': ['ls'],
    'share-look': ['share'],
    'share-folder': ['share'],
    'accept-share': ['accept'],
    removed: ['versions'],
    restore: ['restore'],
    // Of a conflict, by its number.
    preview: [],
  };

  it('has a command of the CLI with a path argument for each row that takes a path', () => {
    const rows = (Object.keys(COMMANDS) as CommandName[]).filter(
      (name) =>
        (COMMANDS[name].callers as readonly Caller[]).includes('cli') && takes(COMMANDS[name].args),
    );
    expect(rows.sort()).toEqual(Object.keys(GIVEN_TO).sort());
    const names = withPaths.map(({ words }) => words.join(' '));
    for (const row of rows)
      expect(names).toEqual(expect.arrayContaining([...(GIVEN_TO[row] ?? [])]));
  });

  /** Whether the schema has the kind `path` somewhere. */
  function takes(schema: z.core.$ZodType): boolean {
    if (schema === pathKind) return true;
    const { shape, options, innerType } = schema._zod.def as {
      shape?: Record<string, z.core.$ZodType>;
      options?: z.core.$ZodType[];
      innerType?: z.core.$ZodType;
    };
    const parts = [...Object.values(shape ?? {}), ...(options ?? [])];
    return parts.some(takes) || (innerType !== undefined && takes(innerType));
  }
});

it('no command reads a path by itself', () => {
  const folderOf = join(import.meta.dirname, '..', 'commands');
  const readers = readdirSync(folderOf)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .filter((name) => readFileSync(join(folderOf, name), 'utf8').includes('parseVolumePath('));
  // Its source is a path of this machine; what is read is the last name of that.
  expect(readers).toEqual(['put.ts']);
});

it('an argument that is called a path is one', () => {
  const called = known.flatMap(({ words, command }) =>
    command.registeredArguments
      .filter((argument) => /path/.test(argument.name()) && !takesPath(argument))
      .map((argument) => [...words, argument.name()].join(' ')),
  );
  expect(called).toEqual([]);
});

describe('a path that means something else than it says', () => {
  const said = async (...args: string[]) => {
    const { code, stderr } = await outcome(args);
    return `${code} ${stderr}`;
  };

  it('leads to the volumes that there are', async () => {
    expect(await said('ls', 'nope:/x')).toMatch(
      /^3 godwit: nope:\/x: there is no volume nope; there is home;/,
    );
  });

  it('is refused as a folder where a file is, and not found below one', async () => {
    expect(await said('status', 'a b.txt/')).toMatch(
      /^3 godwit: a b\.txt\/: that is a file; give a b\.txt\n$/,
    );
    expect(await said('status', '/project/')).toMatch(/^0 /);
    expect(await said('ls', '/project/a b.txt/y')).toMatch(/^3 /);
  });

  it('is the working directory for `ls` without one', async () => {
    const { stdout } = await godwit(['ls', '--data', control.data]);
    expect(stdout).toBe('a b.txt\n');
    process.chdir(control.folder);
    expect((await godwit(['ls', '--data', control.data])).stdout).toBe('project/\n');
  });
});

it('`godwit status` names a daemon of another version', async () => {
  control.daemon.become({ version: '0.0.1' });
  const { stdout } = await godwit(['status', '--data', control.data]);
  expect(stdout).toMatch(
    /^! the daemon runs version 0\.0\.1, and \S+ is installed; start it again: /m,
  );
});

/** The table of commands (shared/control/commands.ts) and what follows from it: nothing is in one and missing in another. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { referencePages } from '../../build/docs/reference-pages.mjs';
import { AFTERWARDS, HANDLERS } from '../../daemon/adapters/control/command-handlers.ts';
import { COMMANDS, type Caller, type Command } from '../../shared/control/commands.ts';
import { filesOf } from './repository.ts';

const rows: Array<[string, Command]> = Object.entries(COMMANDS);

/** Where the callers of ours are. */
const FOLDERS: Readonly<Record<Caller, readonly string[]>> = {
  cli: ['app/cli/'],
  window: ['app/tray/'],
  program: ['app/lab/', 'test/'],
};

describe('every command', () => {
  let page: string;
  const texts = new Map<string, string>();
  beforeAll(async () => {
    page = (await referencePages()).get('control-api') ?? '';
    for (const end of ['.ts', '.tsx']) {
      for (const { path, text } of filesOf(end)) texts.set(path, text);
    }
  });

  const namedIn = (folders: readonly string[], name: string): boolean =>
    [...texts].some(
      ([path, text]) =>
        folders.some((folder) => path.startsWith(folder)) &&
        (path.startsWith('test/') || !path.includes('.test.')) &&
        text.includes(`'${name}'`),
    );

  it('has a handler, and no handler is without a command', () => {
    expect(Object.keys(HANDLERS).sort()).toEqual(rows.map(([name]) => name).sort());
    expect(Object.keys(AFTERWARDS).filter((name) => !Object.hasOwn(COMMANDS, name))).toEqual([]);
  });

  it('says in a sentence what it does, and is on the page of the control API', () => {
    for (const [name, { says }] of rows) {
      expect([name, says]).toEqual([name, expect.stringMatching(/^[A-Z].{10,}\.$/)]);
      expect(page).toContain(`| \`${name}\` |`);
    }
  });

  it('is asked for by somebody, and by those whom its row names', () => {
    const found = rows.map(([name, { callers }]) => [
      name,
      callers.filter((caller) => namedIn(FOLDERS[caller], name)),
    ]);
    expect(found).toEqual(rows.map(([name, { callers }]) => [name, callers]));
    expect(rows.filter(([, { callers }]) => callers.length === 0)).toEqual([]);
  });
});

/** The tables of commands and settings (shared/control) and what follows from them: nothing is in one and missing in another. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { referencePages } from '../../build/docs/reference-pages.mjs';
import { AFTERWARDS, HANDLERS } from '../../daemon/adapters/control/command-handlers.ts';
import type { Caller, Command } from '../../shared/control/command.ts';
import { COMMANDS } from '../../shared/control/commands.ts';
import {
  DEFAULT_SETTINGS,
  NETWORK_SETTINGS,
  SETTINGS,
  START_SETTINGS,
  type SettingRow,
} from '../../shared/control/settings.ts';
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

describe('every setting', () => {
  const settings: Array<[string, SettingRow]> = Object.entries(SETTINGS);

  it('is an argument of a command that the window may ask for as well', () => {
    for (const [key, { command, argument, schema }] of settings) {
      const row: Command = COMMANDS[command];
      const names = Object.keys((row.args as z.ZodObject).shape);
      expect([key, names.includes(argument)]).toEqual([key, true]);
      expect([key, row.args.safeParse({ [argument]: {} }).success]).toEqual([key, false]);
      expect(row.callers).toContain('window');
      expect(schema.safeParse({}).success).toBe(false);
    }
  });

  it('has a default that its schema takes, a text, and a line on the page of settings', async () => {
    const page = (await referencePages()).get('settings') ?? '';
    for (const [key, { now, schema, says }] of settings) {
      expect([key, schema.safeParse(now(DEFAULT_SETTINGS)).success]).toEqual([key, true]);
      expect(says).toMatch(/^[a-z].{10,}$/);
      expect(page).toContain(`| \`${key}\` |`);
    }
    for (const part of Object.keys(NETWORK_SETTINGS)) {
      expect(page).toContain(`| \`network.NAME.${part}\` |`);
    }
    for (const key of Object.keys(START_SETTINGS)) expect(page).toContain(`| \`${key}\` |`);
  });
});

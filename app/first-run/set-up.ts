/** Sets a device up on a data folder, by the commands that people type: for the page of the tray, and for that in a browser. */
import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { ControlError, ControlReply } from '../../shared/control/protocol.ts';
import { homeFolder } from '../../shared/system/user-folders.ts';
import { MOST_TEXT } from './first-run-limits.ts';
import type { OwnServer } from './own-server.ts';
import { runCommand, type Program } from './run-command.ts';

/** Whether this device belongs to no server yet: nothing was ever set up in its data folder. */
export const isNew = (data: string): boolean => !existsSync(join(data, 'config.json'));

/** The folder that is proposed to a new device. */
export const usualFolder = (): string => join(homeFolder(), 'Godwit');

/** Pairs with the server of the invitation, and starts the daemon. `name` '': that of the machine. Rejects a CodedError. */
export async function pair(
  program: Program,
  invitation: unknown,
  folder: unknown,
  name: unknown,
): Promise<unknown> {
  const called = textOf(name).trim();
  const up = ['up', '--invite', '-', '--folder', wholeFolder(textOf(folder))];
  if (called !== '') up.push('--name', called);
  return take(await runCommand(program, up, { input: textOf(invitation) }));
}

/** Runs a server on this machine, now and whenever its daemon is started, and pairs with it. Rejects a CodedError. */
export async function serveAndJoin(
  program: Program,
  server: OwnServer,
  folder: unknown,
  name: unknown,
): Promise<unknown> {
  // What is wrong with these is said before a server is set up.
  const [where, called] = [textOf(folder), textOf(name)];
  const { invitation } = take(await server.setUp()) as { invitation: unknown };
  return pair(program, invitation, where, called);
}

/** As a person types it: `~` is the home folder, in which a path that is not whole begins. No shell reads it. */
export function wholeFolder(typed: string, home = homeFolder()): string {
  const text = typed.trim();
  if (text === '~' || text.startsWith('~/')) return join(home, text.slice(1));
  return text === '' || isAbsolute(text) ? text : join(home, text);
}

/** What a command or the daemon has refused, as it travels to a page. */
export interface CodedError extends Error {
  readonly code: string;
  readonly remedy: string;
}

export const coded = (code: string, message: string, remedy: string): CodedError =>
  Object.assign(new Error(message), { code, remedy });

/** The result of a reply. Throws a CodedError for one that is an error. */
export function take(told: ControlReply): unknown {
  if (told.ok) return told.result;
  const { code, message, remedy } = told.error;
  throw coded(code, message, remedy);
}

/** An error as a reply has it. */
export function errorOf(error: unknown): ControlError {
  const { code, message, remedy } = error as Partial<CodedError>;
  const text = typeof message === 'string' ? message : String(error);
  return { code: code ?? 'internal', message: text, remedy: remedy ?? '' };
}

/** A text that a page has sent. Throws `bad-message` where it is none that a command could take. */
export function textOf(given: unknown): string {
  if (typeof given === 'string' && given.length <= MOST_TEXT && !given.includes('\0')) return given;
  throw coded('bad-message', 'that is no text', '');
}

/** The programs that the CLI starts: the daemon, and other commands of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseStartupFailure } from '../../shared/control/startup-failure.ts';
import { makeFolder } from '../../shared/system/make-folder.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { PROGRAM_ROOT } from './folders.ts';
import { appendTrace, traceFile } from './trace-file.ts';

/** The program of `godwit`. */
export const CLI_MAIN = join(PROGRAM_ROOT, 'app', 'cli', 'main.ts');
const DAEMON_MAIN = join(PROGRAM_ROOT, 'daemon', 'main.ts');
/**
 * A daemon rests most of its life. New objects get less room before they are collected than a program for work would give them
 * (three times 16 MB, and what survives by chance with them): its processor time is the same. It may collect when it rests (shared/system/idle-memory.ts).
 */
const SMALL_HEAP = ['--max-semi-space-size=4', '--expose-gc'];
/** Ends its process when the parent is gone, however it went. */
export const END_WITH_PARENT = pathToFileURL(
  join(PROGRAM_ROOT, 'build', 'end-with-parent.mjs'),
).href;

export interface StartedDaemon {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Resolves when it ends. */
  readonly ended: Promise<Ending>;
}

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface HowDaemon {
  /** When this process does, even by SIGKILL. */
  readonly endsWithUs: boolean;
  /** Left out: metrics are not served. */
  readonly metricsPort?: number | undefined;
  /** The module that records for `godwit trace record`. Left out: it records nothing. */
  readonly recorder?: string | undefined;
}

/**
 * Starts the daemon of a data folder in a session of its own, so that no Ctrl-C of a terminal reaches it. What it
 * writes beside its log goes to `startup.log`.
 */
export function spawnDaemon(
  dataDir: string,
  { endsWithUs, metricsPort, recorder }: HowDaemon,
): StartedDaemon {
  const logFolder = join(dataDir, 'log');
  makeFolder(logFolder, 0o700);
  const output = openSync(startupLog(dataDir), 'w', 0o600);
  try {
    const watcher = endsWithUs ? ['--import', END_WITH_PARENT] : [];
    const metrics = metricsPort === undefined ? [] : ['--metrics', String(metricsPort)];
    const records = recorder === undefined ? [] : ['--recorder', recorder];
    const own = ['--data', dataDir, ...metrics, ...records];
    const args = [...SMALL_HEAP, ...watcher, DAEMON_MAIN, ...own];
    const child = spawn(process.execPath, args, {
      cwd: dataDir,
      detached: true,
      stdio: ['ignore', output, output, ...(endsWithUs ? (['ipc'] as const) : [])],
    });
    const ended = endingOf(child);
    if (child.pid === undefined) throw new GodwitError('internal', 'the daemon can not be started');
    return { child, pid: child.pid, ended };
  } finally {
    closeSync(output);
  }
}

export interface StartedCommand {
  readonly child: ChildProcess;
  readonly ended: Promise<Ending>;
  /** What it printed on stdout, and its exit code, when it has ended. */
  readonly output: Promise<{ code: number | null; stdout: string }>;
  /** The object on its first line of stdout; rejects where that is an error, or where it ends without one. */
  readonly firstObject: Promise<Record<string, unknown>>;
}

/** What comes before the program, such as `ip netns exec NAME`; nothing: here. */
export type Place = readonly string[];

/** Starts another `godwit` command, which ends with us. */
export function spawnGodwit(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  place: Place = [],
): StartedCommand {
  const line = [...place, process.execPath, '--import', END_WITH_PARENT, CLI_MAIN, ...args];
  const child = spawn(line[0] as string, line.slice(1), {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...withoutTwins(process.env), ...env },
  });
  let stdout = '';
  let stderr = '';
  const ended = endingOf(child);
  const firstObject = new Promise<Record<string, unknown>>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      stdout += part;
      const end = stdout.indexOf('\n');
      if (end < 0) return;
      const line = stdout.slice(0, end);
      const failure = parseStartupFailure(line);
      if (failure === null) resolve(JSON.parse(line) as Record<string, unknown>);
      else reject(failure);
    });
    child.stderr?.setEncoding('utf8').on('data', (part: string) => (stderr += part));
    void ended.then(() => reject(errorFrom(stdout || stderr, `godwit ${args[0] ?? ''}`)));
  });
  firstObject.catch(() => undefined);
  const output = new Promise<{ code: number | null; stdout: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout }));
  });
  return { child, ended, output, firstObject };
}

/** Runs a `godwit` command to its end, or to that of the signal; its JSON object, or its error thrown. */
export async function runGodwit(
  args: readonly string[],
  signal?: AbortSignal,
): Promise<Record<string, unknown>> {
  signal?.throwIfAborted();
  const command = spawnGodwit([...args, '--json']);
  const stop = (): void => void command.child.kill();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const { code, stdout } = await command.output;
    if (code !== 0) throw errorFrom(stdout, `godwit ${args[0] ?? ''}`);
    return JSON.parse(stdout) as Record<string, unknown>;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** Why a daemon ended at its start. If it did not say so in a line for us, the error names the file with what it wrote. */
export function startupError(dataDir: string): GodwitError {
  let text = '';
  try {
    text = readFileSync(startupLog(dataDir), 'utf8');
  } catch {
    // Then it said nothing.
  }
  return errorFrom(text, 'the daemon');
}

const startupLog = (dataDir: string): string => join(dataDir, 'log', 'startup.log');

/** The flags in our own environment were meant for us. */
function withoutTwins(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GODWIT_')));
}

function errorFrom(text: string, who: string): GodwitError {
  const found = parseStartupFailure(text);
  if (found !== null) return found;
  return endedAtStart(who, text);
}

/** How the runtime and the loader introduce the reason for which a program crashed. */
const CRASH =
  /^(?:FATAL ERROR|(?:Uncaught )?[A-Z]\w*Error(?: \[\w+\])?|Error(?: \[\w+\])?): (.+)$/m;

/** Lines of a stack, of an object and of a log in JSON, and what the runtime adds to them. */
const NO_REASON = /^(?:\s|[{}]|\d+: 0x|-|<|Node\.js v|file:|node:|$)/;

/** What a program that crashed wrote of the reason: its error, or else its last words; null: a stack or a log at most. */
export function crashReason(text: string): string | null {
  const error = CRASH.exec(text)?.[1];
  return error ?? text.split('\n').findLast((line) => !NO_REASON.test(line)) ?? null;
}

/** Lines of a stack or of a log are no reason for people: the log of the CLI gets them, since a start that failed may leave no folder. */
function endedAtStart(who: string, text: string): GodwitError {
  const ended = `${who} ended at its start`;
  const kept = text !== '' && appendTrace({ level: 'error', message: ended, output: text });
  const reason = crashReason(text);
  const why = reason === null ? '' : `: ${reason}`;
  return new GodwitError('internal', `${ended}${why}${kept ? ` (more in ${traceFile()})` : ''}`);
}

function endingOf(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    child.once('error', () => resolve({ code: null, signal: null }));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

/**
 * Real processes for a test: servers and daemons in a folder of their own, with an environment of their own. `close` ends
 * what is left, each by its number.
 *
 * A command that only asks a daemon, or the data of a server, is run inside the test where the test takes its answer as a step on the way
 * (`json`, `flush`): a process for it costs a quarter of a second of processor time. What the command itself does is tested by `godwit`.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControlClient } from '../../shared/control/client.ts';
import { readControlFile } from '../../shared/control/control-file.ts';
import type { StatusSnapshot } from '../../shared/control/snapshot.ts';
import { waitForEnd } from '../../app/cli/processes.ts';
import { within } from './bounded-wait.ts';
import { godwit as godwitHere } from './run-cli.ts';

const CLI = join(import.meta.dirname, '..', '..', 'app', 'cli', 'main.ts');
/** How long a process may take to end before the test fails: only a hanging one takes so long. */
const END_LIMIT_MS = 300_000;
/** How long a status is waited for before the test fails: an upload over a slow line is done long before. */
const STATUS_LIMIT_MS = 300_000;
/** How long a folder is waited for that does not rest after a flush. */
const MOST_REST_MS = 10_000;

/** Commands that take all they need from the data folder which they are given, and start no program. */
const RUN_HERE: ReadonlySet<string> = new Set([
  ...['down', 'flush', 'pause', 'resume', 'status', 'server invite'],
]);

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningServer {
  readonly data: string;
  readonly address: string;
  readonly child: ChildProcess;
  /** The address of its metrics. */
  readonly metrics: string;
}

/** Starts servers, daemons and commands, and ends what is left. */
export class Bench {
  readonly root: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #children = new Set<ChildProcess>();
  readonly #dataDirs = new Set<string>();
  readonly #within = new Map<string, readonly string[]>();

  constructor() {
    this.root = mkdtempSync(join(tmpdir(), 'godwit-bench-'));
    for (const name of ['run', 'state', 'home']) mkdirSync(join(this.root, name), { mode: 0o700 });
    const isOurs = (name: string): boolean => /^GODWIT_(?!BUNDLE$)/.test(name);
    const own = Object.entries(process.env).filter(([name]) => !isOurs(name));
    this.#env = {
      ...Object.fromEntries(own),
      HOME: join(this.root, 'home'),
      XDG_RUNTIME_DIR: join(this.root, 'run'),
      XDG_STATE_HOME: join(this.root, 'state'),
    };
  }

  /** The environment of its processes. */
  get env(): NodeJS.ProcessEnv {
    return this.#env;
  }

  path(...names: string[]): string {
    return join(this.root, ...names);
  }

  /** Runs a command to its end. A stack trace in what it says is an error of the test. */
  async godwit(
    args: readonly string[],
    more: { stdin?: string; env?: NodeJS.ProcessEnv; cwd?: string } = {},
  ): Promise<Run> {
    const child = this.start(args, more.env, more.cwd);
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(more.stdin ?? '');
    return withoutTrace(await outputOf(child));
  }

  /** Runs a command to its end as a step on the way: inside the test where that makes no difference. */
  async #step(args: readonly string[]): Promise<Run> {
    const [first = '', second = ''] = args;
    const data = args[args.indexOf('--data') + 1] ?? '';
    const isHere = RUN_HERE.has(first) || RUN_HERE.has(`${first} ${second}`);
    const hasData = args.includes('--data') && !this.#within.has(data);
    return isHere && hasData ? withoutTrace(await godwitHere(args)) : this.godwit(args);
  }

  /** Runs a command with --json; its object, or an Error with its code where it fails. */
  async json(args: readonly string[]): Promise<Record<string, unknown>> {
    const { code, stdout, stderr } = await this.#step([...args, '--json']);
    if (code !== 0) throw new Error(`godwit ${args.join(' ')}: ${code}: ${stdout}${stderr}`);
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  /** `cwd`: its working directory; left out, that of the test. */
  start(args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd?: string): ChildProcess {
    const at = args.indexOf('--data');
    const data = args[at + 1];
    const [program = '', ...before] = [
      ...(this.#within.get(data ?? '') ?? []),
      ...[process.execPath, CLI],
    ];
    const place = cwd === undefined ? {} : { cwd };
    const own = { env: { ...this.#env, ...env }, ...place };
    const child = spawn(program, [...before, ...args], own);
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    if (at >= 0 && data !== undefined) this.#dataDirs.add(data);
    return child;
  }

  /** Commands for that data folder are run by this one: in a namespace, or with fewer rights. */
  within(data: string, command: readonly string[]): void {
    this.#within.set(data, command);
  }

  /** Ends the given process together with the bench. */
  runs(child: ChildProcess): ChildProcess {
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return child;
  }

  /** Ends the daemon of this data folder with the others, although the bench has not started it. */
  knows(data: string): void {
    this.#dataDirs.add(data);
  }

  async server(name = 'server', listen = '127.0.0.1:0'): Promise<RunningServer> {
    const data = this.path(name);
    const place = ['--data', data, '--listen', listen, '--metrics', '0'];
    const child = this.start(['server', '--json', ...place]);
    const said = JSON.parse(await firstLine(child)) as { listening: string; metrics: string };
    return { data, child, address: said.listening, metrics: said.metrics };
  }

  async stop({ child }: RunningServer): Promise<void> {
    if (child.pid !== undefined) await endProcess(child.pid);
  }

  async invite(
    server: Pick<RunningServer, 'data' | 'address'>,
    ...args: string[]
  ): Promise<string> {
    const place = ['--data', server.data, '--address', server.address];
    return (await this.json(['server', 'invite', ...place, ...args]))['invitation'] as string;
  }

  /** A paired daemon: `data` and `folder` are named after it. */
  async laptop(name: string, invitation: string): Promise<{ data: string; folder: string }> {
    const [data, folder] = [this.path(name, 'data'), this.path(name, 'Godwit')];
    await this.json([
      'up',
      '--data',
      data,
      '--folder',
      folder,
      '--name',
      name,
      '--invite',
      invitation,
    ]);
    return { data, folder };
  }

  /** One after the other. Each has heard by then of what it has put in place itself, which it looks at once more. */
  async flush(...laptops: ReadonlyArray<{ data: string }>): Promise<void> {
    for (const { data } of laptops) {
      await this.json(['flush', '--wait', '--timeout', '500', '--data', data]);
      if (!this.#within.has(data)) await this.#rests(data);
    }
  }

  /** A folder in which something goes on all the while never rests: then it is left at that. */
  async #rests(data: string): Promise<void> {
    const client = ControlClient.of(data);
    const end = setTimeout(() => client.close(), MOST_REST_MS);
    try {
      for await (const { unsettled } of client.snapshots()) {
        if (unsettled.paths + unsettled.commits === 0) return;
      }
    } catch {
      // It was closed, or the daemon ended: what comes next tells.
    } finally {
      clearTimeout(end);
      client.close();
    }
  }

  /** As `flush`, of a laptop on which something can not be synced: gives the code that says so, and the path. */
  async flushButFor({ data }: { data: string }): Promise<string> {
    const { code, stdout } = await this.#step([
      ...['flush', '--wait', '--timeout', '500', '--json', '--data', data],
    ]);
    if (code === 0) throw new Error('the flush says that all is done');
    const { error } = JSON.parse(stdout) as { error: { code: string; message: string } };
    return `${error.code} ${error.message.slice(0, Math.max(0, error.message.indexOf(':')))}`;
  }

  status(data: string): Promise<StatusSnapshot> {
    return this.json(['status', '--data', data]) as unknown as Promise<StatusSnapshot>;
  }

  /** The first snapshot for which `holds` is true. Rejects with the last one where none comes, or the daemon ends. */
  async until(data: string, holds: (status: StatusSnapshot) => boolean): Promise<StatusSnapshot> {
    const client = ControlClient.of(data);
    const stop = new AbortController();
    let last: StatusSnapshot | null = null;
    const search = async (): Promise<StatusSnapshot> => {
      for await (const status of client.snapshots(stop.signal)) {
        last = status;
        if (holds(status)) return status;
      }
      throw new Error('the daemon has ended');
    };
    try {
      const what = `a status of ${data} for which holds: ${holds.toString()}`;
      return await within(search(), what, () => last, STATUS_LIMIT_MS);
    } finally {
      stop.abort();
      client.close();
    }
  }

  async close(): Promise<void> {
    const pids = [...this.#dataDirs].map((data) => readControlFile(data)?.pid);
    for (const pid of pids) if (pid !== undefined) await endProcess(pid);
    for (const child of this.#children) if (child.pid !== undefined) await endProcess(child.pid);
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** A stack trace in what a command says is an error of the test. */
function withoutTrace(run: Run): Run {
  const said = run.stdout + run.stderr;
  if (/^\s+at .*[:)]/m.test(said)) throw new Error(`a stack trace: ${said}`);
  return run;
}

/** Sends a signal to a process and waits until it has ended. */
export async function endProcess(pid: number, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  try {
    process.kill(pid, signal);
  } catch {
    return;
  }
  if (await waitForEnd(pid, END_LIMIT_MS)) return;
  process.kill(pid, 'SIGKILL');
  throw new Error(`process ${pid} did not end by ${signal}`);
}

/** The first line that a process prints. */
export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (part: Buffer) => {
      text += part.toString('utf8');
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${text}`)));
  });
}

/** The output and exit code of a process, when it has ended. */
export function outputOf(child: ChildProcess): Promise<Run> {
  return new Promise((resolve) => {
    let [stdout, stderr] = ['', ''];
    child.stdout?.setEncoding('utf8').on('data', (part: string) => (stdout += part));
    child.stderr?.setEncoding('utf8').on('data', (part: string) => (stderr += part));
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** The text of a file, or null without a file. */
export function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Runs a command line of the CLI inside the test, with streams in memory, as app/cli/main.ts does in a process. */
import { PassThrough, Readable, Writable } from 'node:stream';
import { Interruption } from '../../app/cli/interruption.ts';
import { runCli } from '../../app/cli/run.ts';

export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command and returns its exit code and output. */
export async function godwit(args: readonly string[], stdin = ''): Promise<CliRun> {
  return godwitUntil(args, new Interruption(), new PassThrough(), stdin);
}

/** Runs a command as a person does at a terminal. What it draws in place of something else is in its output as well. */
export async function godwitAtTerminal(
  args: readonly string[],
  typed = '',
  interruption = new Interruption(),
): Promise<CliRun> {
  const terminal = { isTTY: true, columns: 80, rows: 24 } as const;
  const stdout = Object.assign(new Collector(null), terminal);
  const stderr = Object.assign(new Collector(null), terminal);
  const stdin = Object.assign(Readable.from([Buffer.from(typed)]), terminal);
  const code = await runCli(args, { stdin, stdout, stderr }, interruption);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** Runs a command like `godwit`, with an interruption and its output so far. */
export async function godwitUntil(
  args: readonly string[],
  interruption: Interruption,
  seen: PassThrough,
  stdin = '',
): Promise<CliRun> {
  const stdout = new Collector(seen);
  const stderr = new Collector(null);
  const io = { stdin: Readable.from([Buffer.from(stdin)]), stdout, stderr };
  const code = await runCli(args, io, interruption);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

class Collector extends Writable {
  #parts: Buffer[] = [];
  readonly #seen: PassThrough | null;

  constructor(seen: PassThrough | null) {
    super();
    this.#seen = seen;
  }

  get text(): string {
    return Buffer.concat(this.#parts).toString('utf8');
  }

  override _write(chunk: Buffer | string, _encoding: string, done: () => void): void {
    this.#parts.push(Buffer.from(chunk));
    this.#seen?.write(chunk);
    done();
  }
}

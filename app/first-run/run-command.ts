/** Runs a command of the CLI to its end, and gives what it says as the page understands it. */
import { spawn } from 'node:child_process';
import type { ControlError, ControlReply } from '../../shared/control/protocol.ts';

/** How commands are run on a data folder. */
export interface Program {
  /** The data folder of the daemon. */
  readonly data: string;
  /** A Node that runs the CLI, and the CLI. */
  readonly node: string;
  readonly cli: string;
}

/** More than any object that a command prints here. */
const MOST_OUTPUT = 1024 * 1024;

/**
 * Runs a command of the CLI with `--json` and answers with its result or its error. `input` goes to
 * its standard input; `operands` may begin with a hyphen. It never rejects.
 */
export function runCommand(
  { node, cli, data }: Program,
  args: readonly string[],
  { input = '', operands = [] }: { input?: string; operands?: readonly string[] } = {},
): Promise<ControlReply> {
  return new Promise((resolve) => {
    const rest = operands.length === 0 ? [] : ['--', ...operands];
    const child = spawn(node, [cli, ...args, '--json', '--data', data, ...rest], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      if (text.length < MOST_OUTPUT) text += part;
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.once('error', (error) => resolve(failed(`${node}: ${error.message}`)));
    child.once('close', (code) => resolve(replyOf(text, code)));
  });
}

function replyOf(text: string, code: number | null): ControlReply {
  try {
    const told = JSON.parse(text.split('\n', 1)[0] ?? '') as { error?: ControlError };
    if (code === 0) return { ok: true, result: told };
    if (told.error !== undefined) return { ok: false, error: told.error };
  } catch {
    // Then it said nothing that can be read.
  }
  return failed(`the command ended with ${code}`);
}

function failed(message: string): ControlReply {
  const remedy = 'see `godwit doctor`';
  return { ok: false, error: { code: 'internal', message, remedy } };
}

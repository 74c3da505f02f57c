/** A question to a person at a terminal. */
import { createInterface } from 'node:readline';
import type { Context } from './context.ts';

/** Whether somebody is there who can be asked, and has not asked for silence. */
export function canAsk({ io, json, quiet }: Context): boolean {
  const isTerminal = (io.stdin as { isTTY?: boolean }).isTTY === true;
  return isTerminal && io.stderr.isTTY === true && !json && !quiet;
}

/** The line that is typed, without spaces around it; null: there is no more. The terminal itself minds Ctrl-C. */
export async function answerTo({ io }: Context, question: string): Promise<string | null> {
  io.stderr.write(`${question} `);
  const lines = createInterface({ input: io.stdin, terminal: false });
  try {
    for await (const line of lines) return line.trim();
    io.stderr.write('\n');
    return null;
  } finally {
    lines.close();
  }
}

/** Whether a person says yes. Anything else is a no. */
export async function agrees(context: Context, question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await answerTo(context, `${question} [y/N]`)) ?? '');
}

/** `godwit server top`: what a running server does now, for its administrator: again and again on a terminal, once elsewhere. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import { parsePeriod } from '../arguments.ts';
import { flag, SERVER_PREFIX, type Cli } from '../cli.ts';
import { LiveBlock } from '../live-block.ts';
import { askServer } from '../server-client.ts';
import { serverData, serverLeaf, type ServerFlags } from '../server-flags.ts';
import { pictureOf, topLines } from '../top-lines.ts';

interface TopFlags extends ServerFlags {
  readonly once?: boolean;
  /** Milliseconds. */
  readonly every?: number;
}

const EVERY_MS = 1000;
/** More often it would measure itself. */
const LEAST_MS = 100;

/**
 * Builds `godwit server top`, which shows connections, devices, calls by name and volumes of the
 * server that runs on a data folder, until Ctrl-C, or once.
 */
export function topCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'top', 'say what the running server does now, until Ctrl-C');
  flag(command, '--once', 'one picture, and not again and again', SERVER_PREFIX);
  const help = 'the time that rates are of, and between two pictures (default: 1s)';
  flag(command, '--every <time>', help, SERVER_PREFIX, parsePeriod);
  return cli.does<TopFlags>(command, async (context, options) => {
    const { stdout } = context.io;
    const dataDir = serverData(options);
    const every = Math.max(LEAST_MS, options.every ?? EVERY_MS);
    const isOnce = options.once === true || context.json || stdout.isTTY !== true;
    const signal = context.interruption.claim();
    const screen = isOnce ? null : new LiveBlock(stdout);
    let before = await askServer(dataDir);
    while (!signal.aborted) {
      await wait(every, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) break;
      const after = await askServer(dataDir);
      const picture = pictureOf(before, after);
      before = after;
      if (screen === null) return context.result({ ...picture }, topLines(picture));
      screen.show(topLines(picture));
    }
    screen?.end();
  });
}

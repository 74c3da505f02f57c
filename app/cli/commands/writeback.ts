/** `godwit writeback`: shows or changes how updates are sent. */
import type { Command } from 'commander';
import {
  WRITEBACK_POLICIES,
  type WritebackChange,
  type WritebackSettings,
} from '../../../shared/model/writeback.ts';
import { parseDelay, parseSize } from '../arguments.ts';
import { oneOf, wordArgument } from '../fixed-values.ts';
import { flag, type Cli } from '../cli.ts';
import { durationText, sizeText } from '../../../shared/util/amounts.ts';

interface WritebackOptions {
  readonly delay?: number;
  readonly dirtyLimit?: number;
}

const SAYS: Record<WritebackSettings['policy'], string> = {
  async: 'programs go on at once; metadata and contents proceed side by side',
  logging: 'programs go on at once; everything goes in the order in which it was done',
  sync: 'a program that closes a file through the port waits until it is committed (a folder can not make one wait)',
};

/**
 * Builds `godwit writeback`, which prints the policy, the delay and the dirty limit, or sets them.
 */
export function writebackCommand(cli: Cli): Command {
  const command = cli.withData('writeback', 'say how changes are sent, or change that');
  const policies = WRITEBACK_POLICIES.join(', ');
  wordArgument(command, '[policy]', policies, { words: WRITEBACK_POLICIES });
  flag(
    command,
    '--delay <seconds>',
    'send a file when it was not written for so long',
    undefined,
    parseDelay,
  );
  flag(
    command,
    '--dirty-limit <size>',
    'no write begins while so much waits; 0: by the disk',
    undefined,
    parseSize,
  );
  return cli.does<WritebackOptions>(command, async (context, options, [text]) => {
    const { delay, dirtyLimit } = options;
    const change: { -readonly [K in keyof WritebackChange]: WritebackChange[K] } = {};
    if (text !== undefined) change.policy = oneOf(...WRITEBACK_POLICIES)(text);
    if (delay !== undefined) change.delayMs = delay;
    if (dirtyLimit !== undefined) change.dirtyLimit = dirtyLimit === 0 ? null : dirtyLimit;
    const settings = await context.daemon.command('writeback', change);
    context.result(settings, linesOf(settings));
  });
}

function linesOf({ policy, delay, dirtyLimit }: WritebackSettings): string[] {
  const waits =
    delay === 0
      ? 'contents are sent as soon as there is room on the line'
      : `contents are sent when their file was not written for ${durationText(delay)}`;
  const limit = dirtyLimit === null ? 'by the room on the disk' : `from ${sizeText(dirtyLimit)} on`;
  return [`${policy}: ${SAYS[policy]}`, waits, `writes wait for the queue ${limit}`];
}

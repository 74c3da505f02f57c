/** The flag by which a command is told which volume its paths are of. */
import type { Command } from 'commander';
import { parseVolumeName } from './arguments.ts';
import { flag } from './cli.ts';
import { DEFAULT_VOLUME } from './volume-tree.ts';

/** `use`: what the command does in that volume. */
export function volumeFlag(command: Command, use: string): Command {
  const description = `${use} (default: ${DEFAULT_VOLUME})`;
  return flag(command, '--volume <name>', description, undefined, parseVolumeName);
}

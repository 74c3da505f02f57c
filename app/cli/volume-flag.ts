/** The flag that names the volume of a command's paths. */
import type { Command } from 'commander';
import { parseVolumeName } from './arguments.ts';
import { flag } from './cli.ts';

/** For people: the one of the settings (Context.usualVolume). */
export const USUAL_VOLUME = 'the one of the folder';

/** `use`: what the command does in that volume. */
export function volumeFlag(command: Command, use: string): Command {
  const description = `${use} (default: ${USUAL_VOLUME})`;
  return flag(command, '--volume <name>', description, undefined, parseVolumeName);
}

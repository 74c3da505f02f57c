/** What the commands of `godwit server` have in common: a data folder that is another one than a daemon's. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { HostPort } from '../../shared/model/host-port.ts';
import type { Scheduling } from '../../shared/model/scheduling.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { flag, SERVER_PREFIX, type Cli } from './cli.ts';
import { defaultServerData } from './folders.ts';

export interface ServerFlags {
  readonly data?: string;
  readonly listen?: HostPort;
  readonly metrics?: number;
  readonly scheduling?: Scheduling;
  /** Milliseconds. */
  readonly readerWait?: number;
}

/** Builds a subcommand of `godwit server`, with the flag for the server's data folder. */
export function serverLeaf(cli: Cli, name: string, description: string): Command {
  const command = cli.plain(name, description, SERVER_PREFIX);
  return flag(command, '--data <dir>', 'data folder of the server', SERVER_PREFIX);
}

export const serverData = ({ data }: ServerFlags): string => resolve(data ?? defaultServerData());

/** What helps on a laptop does not on its server. */
export async function onServer<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof GodwitError) || error.code !== 'no-such-volume') throw error;
    throw new GodwitError(
      error.code,
      error.message,
      'see `godwit server volume ls` for those there are',
    );
  }
}

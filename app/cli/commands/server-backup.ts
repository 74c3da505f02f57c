/** `godwit server backup` and `godwit server restore`: for the day on which the disk of the server dies. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { BackupReport } from '../../../server/maintenance/backup/backup.ts';
import type { RestoreReport } from '../../../server/maintenance/restore/restore.ts';
import { refuseForBackup, refuseForServer } from '../../../shared/control/foreign-folder.ts';
import { parseCount } from '../arguments.ts';
import { flag, SERVER_PREFIX, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { formatCount, listedContents } from '../format.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { printable } from '../printable.ts';
import { startProgress } from '../progress.ts';
import { serverData, serverLeaf, type ServerFlags } from '../server-flags.ts';

interface BackupFlags extends ServerFlags {
  readonly verify?: boolean;
  readonly rate?: number;
}

interface RestoreFlags extends ServerFlags {
  readonly replace?: boolean;
  readonly force?: boolean;
}

const MEGABYTE = 1_000_000;

/**
 * Builds `godwit server backup`, which copies what is new into a backup folder. `--rate` is in
 * megabytes a second. Exit code 1: some contents are missing or damaged.
 */
export function backupCommand(cli: Cli): Command {
  const command = serverLeaf(
    cli,
    'backup',
    'copy what is new into a backup, also of a running server',
  ).argument('<target>', 'a folder of its own: empty, or with an earlier backup');
  flag(command, '--verify', 'read all of the backup again, and mend it', SERVER_PREFIX);
  const rate = 'copy no more a second (default: as fast as it goes)';
  flag(command, '--rate <megabytes>', rate, SERVER_PREFIX, parseCount);
  return cli.does<BackupFlags>(command, async (context, options, [target = '']) => {
    const { backupServer } = await import('../../../server/maintenance/administration.ts');
    const { verify = false, rate } = options;
    refuseForBackup(resolve(target));
    const report = await watched(context, 'copying', (progress) =>
      backupServer(serverData(options), {
        target: resolve(target),
        verify,
        rate: rate === undefined ? null : rate * MEGABYTE,
        progress,
      }),
    );
    context.result({ ...report }, backupLines(report));
    return report.missing.length + report.damaged.length === 0 ? EXIT.fine : EXIT.failed;
  });
}

function backupLines(report: BackupReport): string[] {
  const { contents, missing, damaged } = report;
  return [
    ...report.volumes.map(({ name, head }) => `volume ${printable(name)} up to commit ${head}`),
    `${formatCount(contents.count, 'content')} (${sizeText(contents.bytes)}), of which ${sizeText(report.copiedBytes)} were copied now`,
    ...listedContents('missing on the server', missing),
    ...listedContents('damaged on the server', damaged),
    `${report.backup} is as of ${report.made}; it holds the key of the server: keep it where nobody else reads it`,
  ];
}

/** Without BACKUP it is run once after the data folder was put back by other means, before the server starts. */
export function restoreCommand(cli: Cli): Command {
  const text =
    'put a backup in place and go on from it; without one: go on from what was put in place';
  const command = serverLeaf(cli, 'restore', text).argument('[backup]', 'folder of the backup');
  flag(command, '--replace', 'move what is in the data folder aside', SERVER_PREFIX);
  flag(command, '--force', 'restore what is there of a damaged backup', SERVER_PREFIX);
  return cli.does<RestoreFlags>(command, async (context, options, [backup]) => {
    const { beginEpoch, restoreServer } =
      await import('../../../server/maintenance/administration.ts');
    const data = serverData(options);
    if (backup === undefined) {
      const volumes = await beginEpoch(data);
      context.result({ volumes }, restoredLines(data, { volumes }));
      return;
    }
    const { replace = false, force = false } = options;
    refuseForServer(data);
    const report = await watched(context, 'restoring', (progress) =>
      restoreServer(data, { backup: resolve(backup), replace, force, progress }),
    );
    context.result({ ...report }, restoredLines(data, report));
  });
}

function restoredLines(
  data: string,
  {
    volumes,
    aside,
    lacking = [],
    accepted = [],
  }: Partial<RestoreReport> & Pick<RestoreReport, 'volumes'>,
): string[] {
  return [
    ...volumes.map(
      ({ volume, lastCommit }) =>
        `volume ${printable(volume)} goes on from its commit ${lastCommit}; devices offer what they know of later ones`,
    ),
    ...listedContents('not in the backup', lacking),
    ...accepted.map((what) => `${printable(what)}: it was taken as it is`),
    ...(aside === null || aside === undefined
      ? []
      : [`what was there is in ${aside}: remove it when all is well`]),
    `start the server now: godwit server --data ${data}; a device that was paired after the backup needs a new invitation`,
  ];
}

async function watched<T>(
  context: Context,
  what: string,
  work: (progress: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  const bar = startProgress(context, what);
  try {
    return await work((done, total) =>
      bar.update(Math.round(done / MEGABYTE), Math.ceil(total / MEGABYTE)),
    );
  } finally {
    bar.stop();
  }
}

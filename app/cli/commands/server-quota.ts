/** `godwit server quota`: how much the files of a volume may take together. */
import type { Command } from 'commander';
import type { QuotaRow } from '../../../server/maintenance/quota/quota.ts';
import { parseSize } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { onServer, serverData, serverLeaf, type ServerFlags } from '../server-flags.ts';

/**
 * Builds `godwit server quota`, which prints the quota of one or all volumes, or sets or lifts one.
 */
export function quotaCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'quota', 'say, or set, how much the files of a volume may take');
  command.argument('[volume]', 'its name; left out: all are told');
  command.argument('[size]', 'such as 10GB or 10GiB; `none` lifts the quota');
  return cli.does<ServerFlags>(command, async (context, options, [volume, size]) => {
    const { changeQuota, quotas } = await import('../../../server/maintenance/administration.ts');
    const dataDir = serverData(options);
    const limit = size === undefined ? undefined : size === 'none' ? null : parseSize(size);
    const told =
      limit === undefined || volume === undefined
        ? quotas(dataDir, volume ?? null)
        : changeQuota(dataDir, volume, limit);
    const rows = await onServer(told);
    const lines = rows.map((row) => lineOf(row));
    const over = rows.some(isOver)
      ? ['what is there stays; nothing more is taken in before so much is removed']
      : [];
    const silent = rows.some(({ limit: has, uploads }) => has !== null && uploads === null)
      ? ['the server that runs has not said what is on its way']
      : [];
    context.result({ volumes: rows }, [...lines, ...over, ...silent]);
  });
}

const isOver = ({ limit, used }: QuotaRow): boolean => limit !== null && used > limit;

function lineOf({ volume, limit, used, uploads, granted, snapshots }: QuotaRow): string {
  const past = snapshots === 0 ? '' : `; snapshots keep ${sizeText(snapshots)} besides`;
  if (limit === null) return `${volume}: ${sizeText(used)} used, no quota${past}`;
  const left =
    used > limit ? `${sizeText(used - limit)} too much` : `${sizeText(limit - used)} free`;
  const kept = [
    ...(uploads ? [`${sizeText(uploads)} kept for uploads`] : []),
    ...(granted ? [`${sizeText(granted)} granted ahead`] : []),
  ];
  const beside = kept.length === 0 ? '' : ` (${kept.join(', ')})`;
  return `${volume}: ${sizeText(used)} of ${sizeText(limit)} used, ${left}${beside}${past}`;
}

/** `godwit server check` verifies all contents; `godwit server gc` removes those that are not needed. */
import type { Command } from 'commander';
import type { CheckReport } from '../../../server/maintenance/check/check.ts';
import { parseCount } from '../arguments.ts';
import { flag, SERVER_PREFIX, type Cli } from '../cli.ts';
import { EXIT } from '../exit-codes.ts';
import { formatCount, formatTable, listedContents } from '../format.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { serverData, serverLeaf, type ServerFlags } from '../server-flags.ts';

interface CheckFlags extends ServerFlags {
  readonly repair?: boolean;
  readonly rate?: number;
}

interface CollectFlags extends ServerFlags {
  readonly days?: number;
}

/** What a server beside it does not notice. */
const DEFAULT_RATE_MB = 100;
const DEFAULT_DAYS = 7;

/**
 * Builds `godwit server check`, which reads all contents and prints what is missing or damaged.
 * `--rate` is in megabytes a second. Exit code 1: something was wrong, also if `--repair` mended
 * it.
 */
export function checkCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'check', 'read all contents and say what is missing or damaged');
  const repair =
    'put damaged contents aside, mend the index, take altered rows as they are; the server must be stopped';
  flag(command, '--repair', repair, SERVER_PREFIX);
  const rate = `read no more a second (default: ${DEFAULT_RATE_MB})`;
  flag(command, '--rate <megabytes>', rate, SERVER_PREFIX, parseCount);
  return cli.does<CheckFlags>(command, async (context, { repair = false, ...options }) => {
    const { checkServer } = await import('../../../server/maintenance/administration.ts');
    const rate = (options.rate ?? DEFAULT_RATE_MB) * 1_000_000;
    const report = await checkServer(serverData(options), { repair, rate });
    const { missing, damaged, miscounted, accepted } = report;
    const fine = missing.length + damaged.length + miscounted.length + accepted.length === 0;
    context.result({ fine, ...report }, reportLines(report));
    return fine ? EXIT.fine : EXIT.failed;
  });
}

/**
 * Builds `godwit server gc`, which removes contents that no version needs and writes packs anew.
 */
export function collectCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'gc', 'remove contents that no version needs any more');
  const days = `how old what no version names must be (default: ${DEFAULT_DAYS})`;
  flag(command, '--days <count>', days, SERVER_PREFIX, parseCount);
  return cli.does<CollectFlags>(command, async (context, options) => {
    const { collectServer } = await import('../../../server/maintenance/administration.ts');
    const collected = await collectServer(serverData(options), options.days ?? DEFAULT_DAYS);
    const { contents, contentBytes, packs, packBytes, packsAside, isCutShort } = collected;
    const lines = [
      `${formatCount(contents, 'content')} removed (${sizeText(contentBytes)})`,
      `${formatCount(packs, 'pack')} written anew, ${sizeText(packBytes)} freed in packs`,
    ];
    if (packsAside > 0) {
      lines.push(`${formatCount(packsAside, 'pack')} with damaged records put in quarantine/`);
    }
    if (isCutShort) lines.push('the disk has no room to write more packs anew');
    context.result({ ...collected }, lines);
  });
}

function reportLines(report: CheckReport): string[] {
  const { use, missing, unreadable, damaged, strayBytes, putAside } = report;
  const row = (name: string, { count, bytes }: { count: number; bytes: number }): string[] => [
    name,
    String(count),
    sizeText(bytes),
  ];
  const table = formatTable(
    [
      row('of present versions', use.live),
      row('of older versions', use.old),
      row('of no version', use.unnamed),
      row('  of them free to go', use.collectable),
      row('in packs (files)', use.packs),
      ['  of that dead', '', sizeText(use.packs.deadBytes)],
      row('as files', use.files),
    ],
    [1, 2],
  );
  const lines = [
    ...table,
    ...listedContents('missing', missing),
    ...listedContents('damaged', damaged),
  ];
  if (strayBytes > 0) {
    const known = unreadable.length === 0 ? '' : `; ${unreadable.length} of the missing are there`;
    lines.push(`${sizeText(strayBytes)} of packs can not be read as records${known}`);
  }
  if (putAside > 0) lines.push(`${formatCount(putAside, 'damaged content')} put aside`);
  else if (damaged.length > 0) lines.push('stop the server and put them aside: --repair');
  lines.push(...report.accepted.map((what) => `${what}: it was taken as it is`));
  for (const { volume, kept, counted } of report.miscounted) {
    lines.push(
      `${volume}: ${counted} bytes are used, and ${kept} were counted; --repair counts again`,
    );
  }
  if (report.unsealed > 0) {
    lines.push(
      `${formatCount(report.unsealed, 'commit')} of an older version of Godwit: rows were held against each other only`,
    );
  }
  if (missing.length === 0 && damaged.length === 0) lines.push('everything is there, and whole');
  return lines;
}

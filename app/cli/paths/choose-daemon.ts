/**
 * Which daemon a command speaks to when nobody says so with --data: the one in whose folder the command is given or whose files it names;
 * else the one that `godwit use` has chosen; else the one that runs; else that of the default data folder. Where several run and none of
 * these tells, nobody guesses.
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { readConfig, type DaemonConfig } from '../../../shared/control/config.ts';
import { readControlFile } from '../../../shared/control/control-file.ts';
import { runningDaemons } from '../../../shared/control/running-daemons.ts';
import { defaultDaemonData, stateFolder } from '../../../shared/control/state-folder.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { isAlive } from '../processes.ts';
import { shellWord } from '../../../shared/util/shell-word.ts';
import { chosenDaemon } from './chosen-daemon.ts';
import { isSameFolder, namesBelow, realOf } from './disk-path.ts';
import { syncedFolderOf } from './synced-folder-of.ts';

export interface KnownDaemon {
  readonly data: string;
  /** Without links; null: it shows its files in none. */
  readonly folder: string | null;
  /** HOST:PORT; null: that can not be read. */
  readonly server: string | null;
}

/** `places`: whole paths, the nearest first. Throws GodwitError `usage` or `not-running`. */
export function chooseDaemon(places: readonly string[], usual: string): string {
  const known = knownDaemons(usual);
  for (const place of known.length === 0 ? [] : places) {
    const holder = holderOf(place, known);
    if (holder !== null) return holder.data;
    const folder = syncedFolderOf(place);
    if (folder === null) continue;
    const same = known.find((each) => each.folder !== null && isSameFolder(each.folder, folder));
    if (same !== undefined) return same.data;
    if (isSameFolder(folderOf(usual) ?? '', folder)) return usual;
    throw new GodwitError(
      'not-running',
      `${folder}: no daemon runs for this synced folder`,
      'start it with `godwit up`, and --data DIR if its data folder is not the usual one; or name another daemon with --data',
    );
  }
  const chosen = chosenDaemon();
  if (chosen !== null) return chosen;
  const [only, ...others] = known;
  if (others.length > 0) throw severalRun(known);
  return only?.data ?? usual;
}

/** All that run, the one with the usual data folder among them, even if it is of an older version and has told nobody. */
export function knownDaemons(usual: string): KnownDaemon[] {
  const running = runningDaemons(stateFolder()).map(({ data }) => data);
  const control = readControlFile(usual);
  const isNew = !running.some((data) => realOf(data) === realOf(usual));
  if (control !== null && isNew && isAlive(control.pid)) running.push(usual);
  return running.map((data) => ({ data, folder: folderOf(data), server: serverOf(data) }));
}

/** Which daemon it is, by its folder and as commands take it; null: no other one runs, and nobody asks. */
export function nameAmongOthers(data: string): string | null {
  const known = isUsualKnown() ? knownDaemons(defaultDaemonData()) : [];
  if (known.every((each) => realOf(each.data) === realOf(data))) return null;
  const folder = folderOf(data);
  return `${folder === null ? 'without a folder' : `of ${folder}`} (--data ${shellWord(data)})`;
}

/** Without a home folder no daemon is the usual one. */
function isUsualKnown(): boolean {
  try {
    return defaultDaemonData() !== '';
  } catch {
    return false;
  }
}

/** A command that is told nothing speaks to this one. */
export function isUsual(data: string): boolean {
  try {
    return chooseDaemon([], defaultDaemonData()) === data;
  } catch {
    return false;
  }
}

/** The one whose synced folder is there or around it, the nearest of several; null: there is none. */
export function holderOf(place: string, known: readonly KnownDaemon[]): KnownDaemon | null {
  let best: KnownDaemon | null = null;
  for (const each of known) {
    const isHolder = each.folder !== null && namesBelow(each.folder, realOf(place)) !== null;
    if (isHolder && (each.folder?.length ?? 0) > (best?.folder?.length ?? -1)) best = each;
  }
  return best;
}

function severalRun(known: readonly KnownDaemon[]): GodwitError {
  const shown = known.map(({ data, folder, server }) => {
    const what = folder ?? 'no folder';
    return `${what} (${server ?? 'no server'}): --data ${shellWord(data)}`;
  });
  return new GodwitError(
    'usage',
    `${known.length} daemons run: ${shown.join(', ')}`,
    'choose one with --data DIR or `godwit use DIR`, or give the command in its folder',
  );
}

/** The synced folder of a data folder, without links; null: it has none, or that can not be read. */
export function folderOf(data: string): string | null {
  const folder = configOf(data)?.folder ?? null;
  return folder === null ? null : realOf(resolve(data, folder));
}

function serverOf(data: string): string | null {
  const config = configOf(data);
  return config === null ? null : `${config.server.host}:${config.server.port}`;
}

/** The settings of a data folder; null: it has none, or they can not be read. */
export function configOf(data: string): DaemonConfig | null {
  try {
    return statSync(data).isDirectory() ? readConfig(data) : null;
  } catch {
    return null;
  }
}

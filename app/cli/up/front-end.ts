/**
 * Which front end `godwit up` takes, and at which place. A data folder may change from a folder to a mount and back: each has its own place, what waits to be
 * sent is with the daemon, and the folder stays on the disk as it was until it is one again.
 */
import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DaemonConfig } from '../../../shared/control/config.ts';
import { FUSE_HERE, fuseFaults, type FuseMachine } from '../../../shared/system/fuse.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';

export type FrontEnd = DaemonConfig['frontEnd'];
export type AskedFrontEnd = FrontEnd | 'auto';

export interface ChosenFrontEnd {
  readonly frontEnd: FrontEnd;
  /** Why it is that one; left out: a person said so, or it is the usual one. */
  readonly why?: string;
}

/** What the choice goes by. */
export interface FrontEndRequest {
  readonly asked: AskedFrontEnd | undefined;
  /** The place that was given. */
  readonly folder: string | undefined;
  /** Of a data folder that is paired; null: it is new. */
  readonly existing: DaemonConfig | null;
}

/** The front end that is asked for, that of before, or a folder. `auto` takes a mount where this machine can have one. */
export function chooseFrontEnd(
  { asked, folder, existing }: FrontEndRequest,
  machine: FuseMachine = FUSE_HERE,
): ChosenFrontEnd {
  const before = existing?.frontEnd ?? 'folder';
  if (asked === undefined) return { frontEnd: before, ...whyOf(existing) };
  if (asked !== 'auto') return { frontEnd: asked };
  if (existing?.frontEnd === 'folder') {
    return { frontEnd: 'folder', why: 'this data folder keeps a folder already' };
  }
  const [fault] = fuseFaults(machine);
  if (fault !== undefined) return { frontEnd: 'folder', why: fault.why };
  const place = folder === undefined ? null : resolve(folder);
  if (existing?.frontEnd !== 'mount' && place !== null && hasNames(place)) {
    return { frontEnd: 'folder', why: 'a volume is mounted at an empty folder only' };
  }
  return { frontEnd: 'mount', why: 'FUSE can be used here' };
}

const whyOf = (existing: DaemonConfig | null): { why?: string } =>
  existing?.frontEndWhy === undefined ? {} : { why: existing.frontEndWhy };

function hasNames(folder: string): boolean {
  try {
    return existsSync(folder) && readdirSync(folder).length > 0;
  } catch {
    return true;
  }
}

/** Where the folder is, or the volume is mounted; and where the other one of the two was. */
export interface Places {
  readonly folder: string;
  readonly otherPlace?: string;
}

/** Throws GodwitError `usage` where a place is missing, or is that of the other. `given`: that of `--folder`. */
export function placesOf(
  existing: DaemonConfig | null,
  frontEnd: Exclude<FrontEnd, 'none'>,
  given: string | undefined,
): Places {
  const place = given === undefined ? null : resolve(given);
  const before = existing?.folder ?? null;
  const isChange =
    existing !== null && existing.frontEnd !== 'none' && existing.frontEnd !== frontEnd;
  const known = existing?.otherPlace;
  if (!isChange) {
    const folder = place ?? before;
    if (folder === null) {
      throw new GodwitError('usage', 'up: --folder DIR is wanted, or --front-end none');
    }
    return { folder, ...(known === undefined ? {} : { otherPlace: known }) };
  }
  const folder = place ?? known ?? null;
  if (frontEnd === 'folder') return toFolder(folder ?? before, { before, known });
  if (folder === null || folder === before) {
    const why = `a volume is mounted at an empty folder, and ${before} is the synced one`;
    const remedy = 'name another with --folder DIR; the synced one stays as it is';
    throw new GodwitError('usage', `--front-end mount: ${why}`, remedy);
  }
  return { folder, ...(before === null ? {} : { otherPlace: before }) };
}

/** A folder that was synced before goes on where it was: its records are of that one. */
function toFolder(
  folder: string | null,
  { before, known }: { before: string | null; known: string | undefined },
): Places {
  if (folder === null) throw new GodwitError('usage', 'up: --folder DIR is wanted');
  if (known !== undefined && folder !== known) {
    const why = `the folder of this data folder is ${known}`;
    const remedy = 'leave --folder out; `godwit config folder DIR` moves it then';
    throw new GodwitError('usage', `--folder ${folder}: ${why}`, remedy);
  }
  return { folder, ...(before === null || before === folder ? {} : { otherPlace: before }) };
}

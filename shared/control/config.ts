/**
 * A daemon's settings: DATA/config.json, written by `godwit up` and read by the daemon at its start, and
 * DATA/invitation.json beside it, which holds a secret: it is there from `up` until the server has redeemed
 * it; then the daemon removes it. So a data folder with settings and without an invitation is paired. Each of these steps is
 * on the disk when the next one is taken.
 *
 * DATA/folder-move.json is there while the folder is being moved to another place: from before it is renamed until the settings name
 * the new place. A reader of the settings, during a move or after a crash in it, gets the place at which the folder is.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { SCHEDULINGS } from '../model/scheduling.ts';
import { diskError } from '../system/disk-error.ts';
import { removeDurably, writeDurably, type Syncs } from '../system/durable-file.ts';
import { GodwitError } from '../wire/error-codes.ts';
import { isFolderAt } from './marker.ts';

const config = z.strictObject({
  server: z.strictObject({
    host: z.string().min(1).max(255),
    port: z.number().int().min(1).max(0xffff),
    /** Lower-case hex SHA-256 of the server's certificate. */
    fingerprint: z.string().regex(/^[0-9a-f]{64}$/),
  }),
  /** Absolute path of the synced folder, or of where the volume is mounted; null with front end `none`. */
  folder: z.string().min(1).nullable(),
  frontEnd: z.enum(['folder', 'mount', 'none']),
  /** Why `--front-end auto` took it; left out: a person said which. */
  frontEndWhy: z.string().min(1).max(500).optional(),
  /** Where the folder is while the volume is mounted, or where it was mounted before; left out: nowhere. */
  otherPlace: z.string().min(1).optional(),
  deviceName: z.string().min(1).max(64),
  /** Name of the volume that the folder shows; left out: the daemon has not heard yet which is usual. */
  volume: z.string().min(1).max(64).optional(),
  /** How what is sent is ordered (ports/link.ts); left out: by priorities. */
  scheduling: z.enum(SCHEDULINGS).optional(),
});

const invitation = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{32}$/),
  secret: z.string().regex(/^[0-9a-f]{32}$/),
});

const folderMove = z.strictObject({
  from: z.string().min(1),
  to: z.string().min(1),
  /** By which the folder is known (control/marker.ts). */
  token: z.string().min(1),
});

export type DaemonConfig = Readonly<z.output<typeof config>>;
export type FolderMove = Readonly<z.output<typeof folderMove>>;
export type PendingInvitation = Readonly<z.output<typeof invitation>>;

/** Beside the settings: what the folder and the volume last had in common. There since the folder was opened first. */
export const RECORDS_FILE = 'folder.db';

const configPath = (dataDir: string): string => join(dataDir, 'config.json');
const movePath = (dataDir: string): string => join(dataDir, 'folder-move.json');
const invitationPath = (dataDir: string): string => join(dataDir, 'invitation.json');

/** Null where there are none. */
export function readConfig(dataDir: string): DaemonConfig | null {
  const stored = read(configPath(dataDir), config);
  const move = stored === null ? null : read(movePath(dataDir), folderMove);
  return stored === null || move === null
    ? stored
    : { ...stored, folder: placeIn(move, stored.folder) };
}

/** What an end in the middle of a move has left: the settings name the place at which the folder is. The caller holds the data folder. */
export function settleMove(dataDir: string, host: Syncs): void {
  if (read(movePath(dataDir), folderMove) === null) return;
  const stored = readConfig(dataDir);
  if (stored !== null) writeConfig(dataDir, stored, host);
  endMove(dataDir, host);
}

/**
 * Records durably that the folder is about to be moved, so that a start after a crash can finish
 * the move or undo it.
 */
export function beginMove(dataDir: string, value: FolderMove, host: Syncs): void {
  write(movePath(dataDir), folderMove.parse(value), host);
}

/** Removes the record of a move. It is gone durably when this returns. */
export function endMove(dataDir: string, host: Syncs): void {
  removeDurably(movePath(dataDir), host);
}

function placeIn({ from, to, token }: FolderMove, stored: string | null): string | null {
  const hasMoved = stored === from && isFolderAt(to, token) && !isFolderAt(from, token);
  return hasMoved ? to : stored;
}

/** Writes DATA/config.json durably. Throws a ZodError if the value is not a valid configuration. */
export function writeConfig(dataDir: string, value: DaemonConfig, host: Syncs): void {
  write(configPath(dataDir), config.parse(value), host);
}

/** Removes DATA/config.json durably; nothing happens if there is none. */
export function removeConfig(dataDir: string, host: Syncs): void {
  removeDurably(configPath(dataDir), host);
}

/** Null if there is none: the device is paired, or was never invited. */
export function readInvitation(dataDir: string): PendingInvitation | null {
  return read(invitationPath(dataDir), invitation);
}

/** Writes DATA/invitation.json durably. It holds a secret. */
export function writeInvitation(dataDir: string, value: PendingInvitation, host: Syncs): void {
  write(invitationPath(dataDir), invitation.parse(value), host);
}

/** Removes the invitation and its secret durably; nothing happens if there is none. */
export function removeInvitation(dataDir: string, host: Syncs): void {
  removeDurably(invitationPath(dataDir), host);
}

function read<S extends z.ZodType>(path: string, schema: S): z.output<S> | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    // Node names no path where a folder is read.
    throw diskError(path, error);
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new GodwitError('damaged-database', `${path}: not settings of this program`);
  }
}

function write(path: string, value: object, host: Syncs): void {
  writeDurably(path, `${JSON.stringify(value, null, 2)}\n`, host);
}

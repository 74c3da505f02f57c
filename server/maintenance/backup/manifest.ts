/**
 * What a backup says of itself: `manifest.json`, replaced in one step, last of all. What it does not name does not count: it belongs to
 * a backup that was not ended, or to one before. So a backup that is broken off leaves the one before as it was.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Digest } from '../../../shared/model/vnode.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { BackupFiles } from './backup-files.ts';

/** Of a pack, the first `length` bytes, and what they are. */
export interface PackCopy {
  readonly number: number;
  readonly mark: string;
  readonly length: number;
  readonly digest: string;
}

/** All of it as of one moment. */
export interface Snapshot {
  /** ISO 8601. */
  readonly made: string;
  readonly epoch: string;
  readonly volumes: ReadonlyArray<{ readonly name: string; readonly head: number }>;
  readonly metadata: { readonly file: string; readonly bytes: number; readonly digest: string };
  /** What versions name that are kept; contents that several have count once. */
  readonly contents: { readonly count: number; readonly bytes: number };
  readonly packs: readonly PackCopy[];
  /** Contents that the server itself had lost, or had damaged. */
  readonly lacking: readonly Digest[];
}

export interface Manifest {
  readonly format: number;
  /** Fingerprint of the server it is of. */
  readonly server: string;
  /** Null: no backup into this folder was ever ended. */
  readonly snapshot: Snapshot | null;
}

export const FORMAT = 1;
const NAME = 'manifest.json';
const PRIVATE_FILE = 0o600;

const hex = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));
const count = z.number().int().nonnegative();
const snapshotSchema = z.object({
  made: z.iso.datetime(),
  epoch: z.string(),
  volumes: z.array(z.object({ name: z.string(), head: count })),
  metadata: z.object({
    file: z.string().regex(/^metadata-[0-9a-z]+\.db$/),
    bytes: count,
    digest: hex(64),
  }),
  contents: z.object({ count, bytes: count }),
  packs: z.array(z.object({ number: count, mark: hex(16), length: count, digest: hex(64) })),
  lacking: z.array(hex(64)),
});
const manifestSchema = z.object({
  format: z.literal(FORMAT),
  server: z.string(),
  snapshot: snapshotSchema.nullable(),
});

export const manifestPath = (folder: string): string => join(folder, NAME);

/** Null: there is none. Throws GodwitError `newer-database`, `damaged-backup`, or as the disk does. */
export function readManifest(folder: string): Manifest | null {
  const path = manifestPath(folder);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
  const value = parsed(text);
  const format = (value as { format?: unknown } | null)?.format;
  if (typeof format === 'number' && format > FORMAT) {
    throw new GodwitError('newer-database', `${path} was written by a newer version of Godwit`);
  }
  const manifest = manifestSchema.safeParse(value);
  if (!manifest.success) throw new GodwitError('damaged-backup', `${path} can not be read`);
  return manifest.data as Manifest;
}

/** Replaces the manifest of a backup in one durable step. Rejects with what the disk says. */
export async function writeManifest(
  folder: string,
  manifest: Manifest,
  files: BackupFiles,
): Promise<void> {
  const path = manifestPath(folder);
  await files.write(`${path}.new`, `${JSON.stringify(manifest, null, 1)}\n`, PRIVATE_FILE);
  await files.rename(`${path}.new`, path);
  await files.syncFolder(folder);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

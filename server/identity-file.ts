/** The identity of a server: made at the first start, and kept for ever. Devices know the server by its fingerprint. */
import { readFileSync, statSync } from 'node:fs';
import type { Host } from '../shared/ports/host.ts';
import type { Identity } from '../shared/ports/transport.ts';
import { writeDurably } from '../shared/system/durable-file.ts';
import { isWhole } from '../shared/transport/identity.ts';
import { GodwitError } from '../shared/wire/error-codes.ts';
import { unusable, type DataFolder } from './data-folder.ts';

/** Null: the server was never started. Throws GodwitError `folder-unusable`, `damaged-database`. */
export function readIdentity(folder: DataFolder): Identity | null {
  let text: string;
  try {
    text = readFileSync(folder.identity, 'utf8');
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return null;
    throw unusable(folder.identity, error);
  }
  const identity = parsed(text);
  if (identity === null) throw damaged(folder);
  return identity;
}

/** To start with. Throws GodwitError `damaged-database` where no connection would come about with it. */
export function wholeIdentity(folder: DataFolder): Identity | null {
  const identity = readIdentity(folder);
  if (identity === null) refuseWithoutKey(folder);
  else if (!isWhole(identity)) throw damaged(folder);
  return identity;
}

const damaged = ({ identity }: DataFolder): GodwitError =>
  new GodwitError('damaged-database', `${identity} is damaged`);

/** Another key would be that of another server: no device would know it any more. */
function refuseWithoutKey(folder: DataFolder): void {
  if ((statSync(folder.database, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  if (statSync(folder.identity, { throwIfNoEntry: false }) !== undefined) return;
  const why = 'it is the key by which devices know the server';
  throw new GodwitError('damaged-database', `${folder.identity} is missing: ${why}`);
}

/** The caller holds the lock of the folder. */
export function writeIdentity(folder: DataFolder, identity: Identity, host: Host): void {
  const { certificatePem, privateKeyPem, fingerprint } = identity;
  const text = JSON.stringify({ certificatePem, privateKeyPem, fingerprint }, null, 2);
  writeDurably(folder.identity, `${text}\n`, host);
}

function parsed(text: string): Identity | null {
  try {
    const value = JSON.parse(text) as Partial<Record<keyof Identity, unknown>>;
    const fields = [value.certificatePem, value.privateKeyPem, value.fingerprint];
    return fields.every((field) => typeof field === 'string') ? (value as Identity) : null;
  } catch {
    return null;
  }
}

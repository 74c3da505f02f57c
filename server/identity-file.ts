/** The identity of a server: made at the first start, and kept for ever. Devices know the server by its fingerprint. */
import { readFileSync } from 'node:fs';
import type { Host } from '../shared/ports/host.ts';
import type { Identity } from '../shared/ports/link.ts';
import { writeDurably } from '../shared/system/durable-file.ts';
import { unusable, type DataFolder } from './data-folder.ts';

/** Null: the server was never started. Throws GodwitError `folder-unusable`. */
export function readIdentity(folder: DataFolder): Identity | null {
  let text: string;
  try {
    text = readFileSync(folder.identity, 'utf8');
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return null;
    throw unusable(folder.path, error);
  }
  const identity = parsed(text);
  if (identity === null) throw unusable(folder.path, new Error('identity.json is damaged'));
  return identity;
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

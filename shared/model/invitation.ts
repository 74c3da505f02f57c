/**
 * The invitation: a text that a person copies from the server to a new device.
 *
 * `godwit://HOST:PORT/FINGERPRINT/ID.SECRET.CHECK`. CHECK is made of everything before it, so that a copy that was
 * cut or altered differs from one that the server does not know. An IPv6 host stands in brackets.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

export interface Invitation {
  readonly host: string;
  readonly port: number;
  /** Lower-case hex SHA-256 of the server's certificate. */
  readonly fingerprint: string;
  /** 32 hex digits each. */
  readonly id: string;
  readonly secret: string;
}

const SCHEME = 'godwit://';
const CHECK_DIGITS = 8;
const PATTERN =
  /^godwit:\/\/(\[[0-9a-f:.]+(?:%[0-9a-z]+)?\]|[^\s/:[\]@?#]+):(\d{1,5})\/([0-9a-f]{64})\/([0-9a-f]{32})\.([0-9a-f]{32})\.([0-9a-f]{8})$/;
/** Host names as people may write them; others must be given in their ASCII form. */
const HOST = /^[0-9A-Za-z_-]+(\.[0-9A-Za-z_-]+)*\.?$/;
const IPV6 = /^[0-9a-f.]*:[0-9a-f:.]*(%[0-9a-z]+)?$/;

/** The text of an invitation. Its host must be a name in ASCII or an address, without brackets. */
export function formatInvitation(invitation: Invitation): string {
  const host = invitation.host.includes(':')
    ? `[${invitation.host.toLowerCase()}]`
    : invitation.host;
  const place = `${SCHEME}${host}:${invitation.port}/${invitation.fingerprint}/`;
  const body = `${place}${invitation.id}.${invitation.secret}.`;
  return body + checkOf(body);
}

/** The invitation in a text (white space around it is forgiven), or null: it is none, or was cut or altered. */
export function parseInvitation(text: string): Invitation | null {
  const trimmed = text.trim();
  const match = PATTERN.exec(trimmed);
  if (match === null) return null;
  const [, bracketed = '', port = '', fingerprint = '', id = '', secret = '', check = ''] = match;
  const host = bracketed.startsWith('[') ? bracketed.slice(1, -1) : bracketed;
  if (host.includes(':') !== bracketed.startsWith('[') || !isHostOfInvitation(host)) return null;
  if (Number(port) < 1 || Number(port) > 0xffff) return null;
  if (checkOf(trimmed.slice(0, -CHECK_DIGITS)) !== check) return null;
  return { host, port: Number(port), fingerprint, id, secret };
}

/** Whether an invitation can name a host: one that it can't, no device would understand. */
export function isHostOfInvitation(host: string): boolean {
  return (host.includes(':') ? IPV6 : HOST).test(host.includes(':') ? host.toLowerCase() : host);
}

/** What the server keeps of the secret, and compares. */
export function hashOfSecret(secret: string): string {
  return sha256Of(secret);
}

function checkOf(body: string): string {
  return sha256Of(body).slice(0, CHECK_DIGITS);
}

/** Lower-case hex. */
function sha256Of(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

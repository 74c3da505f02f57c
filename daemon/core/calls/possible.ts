/**
 * What no vnode can have, no server would take: it is refused at the call, by the schemas that the wire judges by. In the log it
 * would be found when it is sent, and stay there for ever with all that builds on it.
 *
 * That holds for what a front end has seen on a disk as well: nobody could ever have it from there.
 */
import { isFid, type Fid } from '../../../shared/model/fid.ts';
import { nameFault, needsProtocol2, utf8Length } from '../../../shared/model/names.ts';
import type { AttributeChange, MakeOptions } from '../../../shared/ports/file-system.ts';
import * as wire from '../../../shared/wire/fields.ts';
import { MOUNTS_FROM } from '../../../shared/wire/updates.ts';
import { MOST_XATTR_NAME_MADE } from '../../../shared/wire/limits.ts';
import type { Call } from '../events.ts';
import type { ClientState } from '../state.ts';
import { refused, type Attempt } from '../waits/attempt-result.ts';

/** Made once: a schema costs a hundred times what it takes to ask it. */
const MODE = wire.mode.optional();
const XATTRS = wire.xattrs.optional();
const DIGEST = wire.digest.optional();
const SIZE = wire.size.optional();
const MTIME = wire.mtime.optional();
const VERSION = wire.version.optional();
const VOLUME = wire.volumeId.optional();

/** Why a call of the file-system port asks for what can't be; null: it may be possible. */
export function impossible(what: Call): Attempt | null {
  switch (what.op) {
    case 'lookup':
      return badWay(what) ?? badFid(what.dir);
    case 'getattr':
      return badFid(what.fid);
    case 'readdir':
      return badFid(what.dir);
    case 'create':
    case 'create-open':
    case 'mkdir':
      return (
        badName(what.name) ??
        badFid(what.dir) ??
        badMaking(what.options) ??
        fits(VOLUME, what.options.mounts, 'the volume to be mounted is none')
      );
    case 'symlink':
      return (
        badName(what.name) ??
        badFid(what.dir) ??
        badMaking(what.options) ??
        fits(wire.target, what.target, 'the target of the link is none that can be kept')
      );
    case 'link':
      return badName(what.place.name) ?? badFid(what.fid, what.place.dir) ?? badChange(what);
    case 'remove':
    case 'rmdir': {
      const { only } = what.options;
      const no = only === undefined ? null : (badFid(only.fid) ?? badBase(only.version));
      return badName(what.place.name) ?? badFid(what.place.dir) ?? no ?? badChange(what);
    }
    case 'rename': {
      const { from, to, options } = what;
      const moved = options.moved === undefined ? [] : [options.moved];
      const place = badName(from.name) ?? badName(to.name) ?? badFid(from.dir, to.dir, ...moved);
      return place ?? badChange(what);
    }
    case 'setattr':
      return badFid(what.fid) ?? badAttributes(what.change);
    case 'open':
      return badFid(what.fid) ?? (what.how.mode === 'write' ? badSeen(what.how) : null);
    case 'close':
      return what.changed === null ? null : badAttributes(what.changed);
    default:
      return null;
  }
}

/** Refuses a call that needs a newer protocol than the server had at the last Hello; null: the server can take it. */
export function tooNewForServer(state: ClientState, what: Call): Attempt | null {
  const name = givenName(what);
  const protocol = (state.meta.get('protocol') ?? 1) as number;
  if (protocol < MOUNTS_FROM && isOfMountPoint(what)) {
    return refused('server-too-old', 'the server knows no mount points yet');
  }
  if (name === null || protocol >= 2 || !needsProtocol2(name)) return null;
  return refused('server-too-old', 'the server takes no name with the character U+FFFD yet');
}

function isOfMountPoint(what: Call): boolean {
  if (what.op === 'mkdir') return what.options.mounts !== undefined;
  return what.op === 'rmdir' && what.options.unmounts === true;
}

function givenName(what: Call): string | null {
  switch (what.op) {
    case 'create':
    case 'create-open':
    case 'mkdir':
    case 'symlink':
      return what.name;
    case 'link':
      return what.place.name;
    case 'rename':
      return what.to.name;
    default:
      return null;
  }
}

function badName(name: string): Attempt | null {
  const fault = nameFault(name);
  return fault === null ? null : refused('bad-name', `the name can't be used: ${fault}`);
}

function badWay({ name, onwards = [] }: Extract<Call, { op: 'lookup' }>): Attempt | null {
  for (const each of [name, ...onwards]) {
    const bad = badName(each);
    if (bad !== null) return bad;
  }
  return null;
}

function badFid(...fids: Fid[]): Attempt | null {
  const bad = fids.find((fid) => !isFid(fid));
  return bad === undefined ? null : refused('not-found', `${String(bad)} names nothing`);
}

function badMaking(options: Partial<MakeOptions>): Attempt | null {
  return badMtime(options.at) ?? badAttributes(options);
}

function badChange({
  options: { at, observed },
}: Extract<Call, { op: 'link' | 'remove' | 'rmdir' | 'rename' }>): Attempt | null {
  const seen = observed ?? null;
  return badMtime(at) ?? (seen === null ? null : (badFid(seen.fid) ?? badSeen(seen)));
}

function badAttributes(
  given: AttributeChange & { readonly digest?: string; readonly size?: number },
): Attempt | null {
  return (
    fits(MODE, given.mode, 'the mode is more than 7777, or no number') ??
    badMtime(given.mtime) ??
    fits(XATTRS, given.xattrs, 'the extended attributes are too many or too large') ??
    badXattrNames(given.xattrs) ??
    fits(DIGEST, given.digest, 'the digest is none') ??
    fits(SIZE, given.size, 'the size is none that a file can have')
  );
}

function badXattrNames(xattrs: AttributeChange['xattrs']): Attempt | null {
  const isLong = xattrs?.some(({ name }) => utf8Length(name) > MOST_XATTR_NAME_MADE) === true;
  const most = MOST_XATTR_NAME_MADE;
  return isLong
    ? refused('bad-attribute', `an extended attribute has more than ${most} bytes of a name`)
    : null;
}

function badMtime(mtime: string | undefined): Attempt | null {
  return fits(MTIME, mtime, 'the modification time is none');
}

function badSeen({
  base,
  digest,
}: {
  readonly base?: number;
  readonly digest?: string | null;
}): Attempt | null {
  return badBase(base) ?? fits(DIGEST, digest ?? undefined, 'the digest is none');
}

function badBase(base: number | undefined): Attempt | null {
  return fits(VERSION, base, 'the version is none');
}

interface Schema {
  safeParse(value: unknown): { readonly success: boolean };
}

function fits(schema: Schema, value: unknown, otherwise: string): Attempt | null {
  return schema.safeParse(value).success ? null : refused('bad-attribute', otherwise);
}

/** Well-formed messages at random, for property tests of the codec. */
import fc from 'fast-check';
import { makeFid, type Fid } from '../../shared/model/fid.ts';
import { isName } from '../../shared/model/names.ts';
import type {
  CommitNumber,
  DataVersion,
  Digest,
  Mtime,
  VnodeStatus,
} from '../../shared/model/vnode.ts';

const part = fc.nat(0xffff_ffff);
/** Any fid. */
export const fid: fc.Arbitrary<Fid> = fc
  .tuple(part, part, part)
  .map(([volume, vnode, uniquifier]) => makeFid(volume, vnode, uniquifier));

/** Any valid name. */
export const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }).filter(isName);
export const mtime = fc
  .bigInt({ min: -(10n ** 18n), max: 10n ** 18n })
  .map((n) => String(n) as Mtime);
/** Any counter. */
export const counter = fc.nat(2 ** 31 - 1);
export const digest = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString('hex') as Digest);

/** Any status of a vnode. */
export const status: fc.Arbitrary<VnodeStatus> = fc.record({
  fid,
  kind: fc.constantFrom('file', 'directory', 'symlink'),
  mode: fc.nat(0o7777),
  mtime,
  size: counter,
  version: counter as fc.Arbitrary<DataVersion>,
  commit: counter as fc.Arbitrary<CommitNumber>,
  digest: fc.option(digest),
  target: fc.option(fc.string({ minLength: 1, maxLength: 80 }).filter((t) => !t.includes('\0'))),
  links: counter,
  xattrs: fc.array(
    fc.record({
      name: fc.string({ minLength: 1, maxLength: 20 }).filter((t) => !t.includes('\0')),
      value: fc.uint8Array({ maxLength: 40 }).map((b) => Buffer.from(b).toString('base64')),
    }),
    { maxLength: 3 },
  ),
});

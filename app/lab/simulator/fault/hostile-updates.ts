/**
 * Updates that no honest laptop sends: each names something that is not so. The server refuses nearly all of them; one that
 * has come true meanwhile changes what its sender may change.
 */
import { makeFid, rootOf } from '../../../../shared/model/fid.ts';
import { mtimeFromMs } from '../../../../shared/model/vnode.ts';
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { RequestOf } from '../../../../shared/wire/rpcs.ts';
import type { HostileKnowledge } from './hostile-knowledge.ts';

const AT = mtimeFromMs(0);
/** A data version that no file of a run gets to. */
const WRONG_BASE = 1_000_000;
const INTO_ITSELF = 'into itself';

type Item = RequestOf<'Apply'>['updates'][number];
/** As loose as a liar needs it. */
type Lie = Readonly<Record<string, unknown>>;

/** Draws an `Apply` of one to five updates that are not valid. */
export function drawApply(random: SeededRandom, known: HostileKnowledge): RequestOf<'Apply'> {
  const count = random.pick([1, 1, 2, 5]);
  const updates = Array.from({ length: count }, () => drawItem(random, known));
  const volume = random.chance(0.9) ? known.volume : known.volume + 1;
  const lowWater = random.chance(0.7) ? 0 : random.between(0, known.seq + 3);
  return { volume, lowWater, updates } as unknown as RequestOf<'Apply'>;
}

/** Draws one update with its number and what it claims to depend on. */
export function drawItem(random: SeededRandom, known: HostileKnowledge): Item {
  const update = drawUpdate(random, known);
  return { seq: drawSeq(random, known), after: drawAfter(random, known), update } as Item;
}

/** The next number, mostly; one used before, or one after a gap. */
export function drawSeq(random: SeededRandom, known: HostileKnowledge): number {
  if (known.seq > 0 && random.chance(0.2)) return random.between(1, known.seq);
  known.seq += random.chance(0.9) ? 1 : random.between(2, 5);
  return known.seq;
}

/** What it says to depend on: nothing, something before, something that never was, or itself. */
export function drawAfter(random: SeededRandom, known: HostileKnowledge): number[] {
  if (random.chance(0.7)) return [];
  return [Math.max(1, known.seq - random.between(-1, 4))];
}

function drawUpdate(random: SeededRandom, known: HostileKnowledge): Lie {
  const maker = random.pick([make, link, remove, rename, setAttributes]);
  return maker(random, known);
}

function make(random: SeededRandom, known: HostileKnowledge): Lie {
  const taken = known.place(random);
  const fid = random.chance(0.5) ? known.ownFid(random) : known.fid(random);
  const usual = { fid, mtime: AT, at: AT };
  const where = random.pick([
    { dir: taken?.dir ?? rootOf(known.volume), name: taken?.name ?? 'taken' },
    { dir: makeFid(known.volume, 9_999, 9), name: 'in nothing' },
    { dir: known.place(random, 'file')?.status.fid ?? known.fid(random), name: 'in a file' },
  ]);
  const op = random.pick(['create', 'mkdir', 'symlink']);
  if (op === 'symlink') return { op, ...usual, ...where, target: 'nowhere' };
  return { op, ...usual, ...where, mode: 0o644, xattrs: [] };
}

function link(random: SeededRandom, known: HostileKnowledge): Lie {
  const folder = known.place(random, 'directory');
  const taken = known.place(random);
  const fid = random.pick([folder?.status.fid ?? known.fid(random), known.fid(random)]);
  const dir = random.pick([taken?.dir, known.fid(random)]) ?? known.fid(random);
  return { op: 'link', fid, dir, name: taken?.name ?? 'linked', at: AT };
}

function remove(random: SeededRandom, known: HostileKnowledge): Lie {
  const there = known.place(random);
  const { dir, name } = there ?? { dir: rootOf(known.volume), name: 'gone' };
  const fid = random.chance(0.6) && there !== null ? there.status.fid : known.fid(random);
  const isFolder = there?.status.kind === 'directory';
  // The wrong one of the two, for the most part.
  if (isFolder === random.chance(0.3)) return { op: 'rmdir', fid, dir, name, at: AT };
  return { op: 'remove', fid, dir, name, base: WRONG_BASE, at: AT };
}

function rename(random: SeededRandom, known: HostileKnowledge): Lie {
  const from = known.place(random, random.pick(['directory', 'file', 'symlink']));
  const to = known.place(random);
  const fid = from?.status.fid ?? known.fid(random);
  const fromDir = from?.dir ?? known.fid(random);
  const fromName = from?.name ?? 'gone';
  const over = to === null || random.chance(0.3) ? null : { fid: to.status.fid, base: WRONG_BASE };
  const target = random.pick([
    { toDir: fid, toName: INTO_ITSELF },
    { toDir: to?.dir ?? fromDir, toName: to?.name ?? fromName },
    { toDir: fromDir, toName: fromName },
    { toDir: known.fid(random), toName: 'elsewhere' },
  ]);
  if (target.toName === INTO_ITSELF)
    return { op: 'rename', fid, fromDir, fromName, ...target, over: null, at: AT };
  // Where it might come true it names what it replaces wrongly.
  const wrong = { fid: known.ownFid(random), base: WRONG_BASE };
  return { op: 'rename', fid, fromDir, fromName, ...target, over: over ?? wrong, at: AT };
}

function setAttributes(random: SeededRandom, known: HostileKnowledge): Lie {
  const fid = makeFid(known.volume, random.between(2, 9_999), 9_999);
  return { op: 'setattr', fid, mode: 0o600, mtime: null, xattrs: null };
}

/** A store, with what it says of its contents; `content` is what it sends. */
export function drawStore(
  random: SeededRandom,
  known: HostileKnowledge,
  digestOf: (bytes: Uint8Array) => string,
): { readonly body: RequestOf<'Store'>; readonly content: Uint8Array } {
  const content = random.bytes(random.pick([0, 10, 3_000]));
  const honest = random.chance(0.6);
  const size = honest || random.chance(0.5) ? content.length : content.length + 1;
  const digest = honest ? digestOf(content) : digestOf(random.bytes(1));
  const fid = known.place(random)?.status.fid ?? known.fid(random);
  const update = { op: 'store', fid, base: WRONG_BASE, size, digest, mtime: AT };
  const [seq, after] = [drawSeq(random, known), drawAfter(random, known)];
  const body = { volume: known.volume, lowWater: 0, seq, after, update };
  return { body: body as unknown as RequestOf<'Store'>, content };
}

/**
 * Second half of planning local changes: what is to be told, and in which order, so that each step is possible in the
 * volume.
 *
 * Contents of files that were moved or linked first: under its new name a file is never shown as it was under the old one, half
 * written or empty, as git's `index.lock` is while it works. Then moves, then what is new (parents first), then other contents, then
 * removals (children first), then directories' own attributes. A ring of moves goes through a name of ours. Pure.
 */
import { parseFid, type Fid } from '../../../../shared/model/fid.ts';
import { compareNames, SWAP_PREFIX } from '../../../../shared/model/names.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import { isBirthKnown, isSameBytes, isUntouched } from '../disk/disk-facts.ts';
import { placeKey, samePlace, type FolderRecords } from '../records/folder-records.ts';
import type { LocalContext, LocalOp, LocalPlan, Look } from './local-plan.ts';
import {
  isNew,
  NameOrder,
  type NameMove,
  type NameRemoval,
  type NewName,
  type Ref,
} from '../records/order-names.ts';
import { matchLocal, type Claim, type Match } from './plan-local-match.ts';

type Removal = LocalPlan['removals'][number];

/** What of several looks is to be logged, in order. Changes nothing. */
export function planLocal(
  looks: readonly Look[],
  records: FolderRecords,
  context: LocalContext,
): LocalPlan {
  const match = matchLocal(looks, records, context);
  const ops: LocalOp[] = [];
  const removals: Removal[] = [];
  const claimOfMove = new Map<NameMove, Claim>();
  const claimOfName = new Map<NewName, Claim>();
  let isLast = false;
  const { early, late } = checks(match, records);
  ops.push(...early);
  const order = new NameOrder(records, {
    move: (move, from, over) =>
      ops.push(renameOp(move, from ?? swapPlace(records, move.fid), over, claimOfMove.get(move))),
    park: ({ fid }, from) =>
      ops.push({ op: 'rename', fid, from, to: swapPlace(records, fid), over: null }),
    remove: (removal) => (isLast ? removals : ops).push(removalOp(removal)),
    add: (name) => {
      const op = newOp(name, claimOfName.get(name));
      if (op !== null) ops.push(op);
    },
  });
  const left: Array<LocalPlan['left'][number]> = [];
  const taken = new Set(match.claims.map(({ dir, node }) => placeKey(dir as Fid, node.name)));
  const isLeft = (fid: Fid, place: Place): boolean => {
    // Where something else stands, a person has put it there.
    if (taken.has(placeKey(place.dir, place.name)) || !context.hasLeft(fid, place)) return false;
    left.push({ ...place, fid });
    return true;
  };
  const unclear = sortNames(match, records, order, { claimOfMove, claimOfName, isLeft });
  order.tellNames();
  ops.push(...late);
  isLast = true;
  order.tellRemovals();
  const seen = directories(match, looks);
  const { deferred, away } = match;
  return { ops, removals, directories: seen, deferred, unclear, away, left };
}

/** What names were made of, and which lost names are no removals. */
interface Sorted {
  readonly claimOfMove: Map<NameMove, Claim>;
  readonly claimOfName: Map<NewName, Claim>;
  readonly isLeft: (fid: Fid, place: Place) => boolean;
}

/** New names and lost names of one vnode pair up as moves; what is left over are links and removals. */
function sortNames(
  match: Match,
  records: FolderRecords,
  order: NameOrder,
  { claimOfMove, claimOfName, isLeft }: Sorted,
): Array<readonly string[]> {
  const moves: Array<{ move: NameMove; claim: Claim }> = [];
  const unclear: Array<readonly string[]> = [];
  const add = (claim: Claim, isLink: boolean): void => {
    const name = { ref: claim.ref, dir: claim.dir, name: claim.node.name, isLink };
    claimOfName.set(name, claim);
    order.addName(name);
  };
  const remove = (fid: Fid, place: Place): void => {
    if (isLeft(fid, place)) return;
    order.addRemoval({ fid, ...place, isDirectory: records.get(fid)?.kind === 'directory' });
  };

  for (const [ref, claims] of match.byRef) {
    if (isNew(ref)) {
      const files = claims.filter(({ node }) => node.placeholder === undefined);
      files.forEach((claim, index) => add(claim, index > 0));
      // It was moved while it was looked at, and its file has another placeholder by now.
      for (const claim of claims) if (!files.includes(claim)) unclear.push(claim.path);
      continue;
    }
    const fid = ref as Fid;
    const names = records.names(fid);
    const lost = [...(match.lost.get(fid) ?? [])];
    for (const claim of claims) {
      const to = { dir: claim.dir as Fid, name: claim.node.name };
      if (names.some((name) => samePlace(name, to))) continue;
      const from = lost.shift();
      if (from !== undefined) {
        const isDirectory = claim.node.facts.kind === 'directory';
        moves.push({ move: { fid, from, to, isDirectory }, claim });
      } else if (claim.node.facts.links > 1) {
        add(claim, true);
      } else {
        // It has one name only, and that is this one: the other is about to be found gone.
        unclear.push(claim.path);
      }
    }
    for (const place of lost) remove(fid, place);
  }
  for (const [fid, places] of match.lost) {
    if (!match.byRef.has(fid)) for (const place of places) remove(fid, place);
  }
  moves.sort((a, b) => comparePaths(a.claim.path, b.claim.path));
  for (const { move, claim } of moves) {
    claimOfMove.set(move, claim);
    order.addMove(move);
  }
  return unclear;
}

function renameOp(
  move: NameMove,
  from: { dir: Ref; name: string },
  over: Fid | null,
  claim: Claim | undefined,
): LocalOp {
  const disk = claim === undefined ? {} : { path: claim.path, facts: claim.node.facts };
  return { op: 'rename', fid: move.fid, from, to: move.to, over, ...disk };
}

function newOp({ ref, dir, name, isLink }: NewName, claim: Claim | undefined): LocalOp | null {
  if (claim === undefined) return null;
  const { facts } = claim.node;
  const rest = { ref, dir, name, path: claim.path, facts };
  if (isLink) return { op: 'link', ...rest };
  switch (facts.kind) {
    case 'directory':
      return { op: 'mkdir', ...rest };
    case 'file':
      return { op: 'create', ...rest };
    case 'symlink':
      return { op: 'symlink', ...rest };
    case 'other':
      return null;
  }
}

function removalOp({ fid, dir, name, isDirectory }: NameRemoval): Removal {
  return { op: isDirectory ? 'rmdir' : 'remove', fid, dir, name };
}

/** Files and symlinks whose contents or attributes may not be as recorded; what a placeholder has is not the file's. `early`: before their names are told. */
function checks(match: Match, records: FolderRecords): { early: LocalOp[]; late: LocalOp[] } {
  const ops = { early: [] as LocalOp[], late: [] as LocalOp[] };
  for (const [ref, claims] of match.byRef) {
    const claim = claims.find(({ node }) => node.placeholder === undefined);
    if (claim === undefined || isNew(ref) || claim.node.facts.kind === 'directory') continue;
    const { facts } = claim.node;
    const disk = records.get(ref as Fid)?.disk ?? null;
    // Without a birth the number is no proof, and on FAT a move changes no time.
    const isUnsure = claim.how === 'moved' && !isBirthKnown(facts.inode);
    if (disk !== null && isUntouched(facts, disk) && !isUnsure) continue;
    // A move changes the change time, and so may a writer have who put the rest back. Likely it is told as itself, and that need not wait.
    const isLikelySame = disk !== null && isSameBytes(facts, disk) && isBirthKnown(facts.inode);
    const isMoved = claims.some(({ how }) => how === 'moved');
    const isEarly = facts.kind === 'file' && isMoved && !isLikelySame;
    const when = isEarly ? ops.early : ops.late;
    when.push({ op: 'check', fid: ref as Fid, isUnsure, path: claim.path, facts });
  }
  return ops;
}

function directories(match: Match, looks: readonly Look[]): LocalPlan['directories'] {
  const looked = looks.flatMap(({ dir, path, facts }) =>
    facts ? [{ ref: dir, path, facts }] : [],
  );
  const claimed = match.claims
    .filter(({ node }) => node.facts.kind === 'directory')
    .map(({ ref, path, node }) => ({ ref, path, facts: node.facts }));
  const seen = new Set<Ref>();
  return [...looked, ...claimed].filter(({ ref }) => !seen.has(ref) && seen.add(ref));
}

function swapPlace(records: FolderRecords, fid: Fid): { dir: Ref; name: string } {
  return { dir: records.root, name: `${SWAP_PREFIX}${parseFid(fid)?.vnode ?? 0}` };
}

function comparePaths(a: readonly string[], b: readonly string[]): number {
  return a.length - b.length || compareNames(a.join('/'), b.join('/'));
}

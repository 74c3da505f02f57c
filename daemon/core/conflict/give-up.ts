/**
 * Changes that the server refused, or refuses for want of a right, and that a person gives up: the server's version counts again (W7).
 *
 * Invariants
 * 1. What is given up was not applied, or the server shows it all the same: nothing that is on its way is taken out.
 * 2. Contents leave the file store when a copy is where their owner finds it (lost-contents.ts).
 * 3. What waits for what is given up goes with it, all of it in one step.
 * 4. The front end hears of each vnode that they name, so that its disk follows.
 */
import type { QueueOutcome } from '../../../shared/control/queue.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { Update } from '../../../shared/model/update.ts';
import { effectsOf } from '../log/update-index.ts';
import { queuePath } from '../log/queue-path.ts';
import { isRefused } from '../log/queue-status.ts';
import { relog } from '../log/relog.ts';
import type { LoggedUpdate } from '../log/update-log.ts';
import { viewStatus } from '../log/view.ts';
import type { ClientState } from '../state.ts';
import { keepFindable, leftForGood } from './lost-contents.ts';
import { offerAdjustment } from './outcome.ts';

/** Whether it can be given up: the server has refused it for good, or this device may only read. */
export function mayGiveUp(state: ClientState, entry: LoggedUpdate): boolean {
  if (entry.state === 'sent' || entry.state === 'answered') return false;
  const rights = state.names.volumes.rightsIn(entry.volume);
  return rights === 'read' || (rights === 'write' && isRefused(entry));
}

/**
 * Gives up updates of one volume for which `mayGiveUp` holds, with all that waits for them. Returns the paths that they were about, each once, those
 * of them with contents, which are in `lost+found` of the data folder then, and the volume; what the server never had, a folder moves to its own.
 */
export function giveUp(state: ClientState, named: readonly LoggedUpdate[]): GivenUp {
  const all = withDependents(state, named);
  const pathsOf = (entries: readonly LoggedUpdate[]): string[] => [
    ...new Set(entries.map((entry) => queuePath(state, entry))),
  ];
  const givenUp = pathsOf(all);
  const laidAside = pathsOf(all.filter(({ content }) => content !== null));
  const [volume] = all.map((entry) => state.names.volumes.nameOf(entry.volume));
  giveUpAll(state, [...all, ...timesAlone(state, all)]);
  return { givenUp, laidAside, ...(volume === undefined ? {} : { volume }) };
}

/** As in the outcome of an order (shared/control/queue.ts). */
type GivenUp = Required<Pick<QueueOutcome, 'givenUp' | 'laidAside'>> & Pick<QueueOutcome, 'volume'>;

/** Directories' times that follow from these changes alone. */
function timesAlone(state: ClientState, given: readonly LoggedUpdate[]): LoggedUpdate[] {
  const directories = new Set(
    given.flatMap(({ update }) => effectsOf(update).map(({ dir }) => dir)),
  );
  const isGiven = new Set(given);
  return [...directories].flatMap((dir) => {
    const { index } = state.log;
    const isOther = [...index.inDirectory(dir)].some(
      (entry) => entry.state !== 'answered' && !isGiven.has(entry as LoggedUpdate),
    );
    if (isOther) return [];
    return (index.onVnode(dir) as readonly LoggedUpdate[]).filter(
      (entry) => isTimeAlone(state, entry) && mayGiveUp(state, entry) && entry.waiters.size === 0,
    );
  });
}

/** It sets a directory's modification time, and nothing else. */
export function isTimeAlone(state: ClientState, { update }: LoggedUpdate): boolean {
  if (update.op !== 'setattr' || update.mode !== null || update.xattrs !== null) return false;
  return viewStatus(state, update.fid)?.kind === 'directory';
}

function withDependents(state: ClientState, named: readonly LoggedUpdate[]): LoggedUpdate[] {
  const all = new Set(named);
  for (const entry of named) for (const each of state.log.dependents(entry)) all.add(each);
  return [...all].sort((a, b) => a.seq - b.seq);
}

/** Takes them out with nothing in their place. They are in the order of the log, and all that waits for one is among them, or pointless with it. */
function giveUpAll(state: ClientState, entries: readonly LoggedUpdate[]): void {
  for (const entry of entries) keepFindable(state, entry);
  for (const entry of entries) {
    const { seq, content } = entry;
    if (state.log.get(seq) === entry) relog(state, entry, { instead: [], dependent: () => null });
    if (entry.heldBack) state.quota.wantLook();
    state.queue.forget(seq);
    if (content !== null) leftForGood(state, content);
  }
  // What is in a folder is told before it.
  const fids = new Set([...entries].reverse().flatMap(({ update }) => fidsOf(update)));
  const [{ volume } = { volume: null }] = entries;
  if (volume === null) return;
  for (const fid of fids) offerAdjustment(state, { kind: 'restored', volume, fid }, []);
}

function fidsOf(update: Update): Fid[] {
  const over = update.op === 'rename' ? update.over : null;
  return over === null ? [update.fid] : [update.fid, over.fid];
}

/**
 * Rewrites the log after a refusal: the refused update and everything that waited for it leave, and what becomes of them is
 * logged anew under new numbers, in the old order, in the same step (and so in one transaction).
 *
 * What depends on a refused update can't have been applied: the server holds it until what it names is applied. So giving
 * it a new number never applies it twice; an answer that comes for the old one is of no interest.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { Update, UpdateSeq } from '../../../shared/model/update.ts';
import { dataVersion, type VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import type { ClientState } from '../state.ts';
import { loggedNameOf } from './directories-above.ts';
import { leaveLog } from './leave-log.ts';
import { logUpdate, type LogOptions } from './log-update.ts';
import type { LoggedUpdate } from './update-log.ts';
import type { Origin } from '../names/past-places.ts';

export interface Rewriting {
  /** What takes the place of the refused update, in order; with its content where one of them is a store. */
  readonly instead: ReadonlyArray<{ readonly update: Update; readonly content?: string | null }>;
  /** Directories above the new place, innermost first, where the view can't tell any more. */
  readonly ancestors?: readonly Fid[];
  /** For contents: the name that their file had when it was opened, if no other name is known. */
  readonly had?: Origin | null;
  /** What becomes of an update that waited for it; null: it is pointless now. */
  readonly dependent: (update: Update, entry: LoggedUpdate) => Update | null;
  /** The content of one that is done is the server's version now: it is cached as that. */
  readonly cached?: { readonly content: string | null; readonly is: CachedVersion };
  /** A name that nothing has any more: what was logged under it is logged under the one that it has now. */
  readonly leaves?: Place;
  /** How often it was renumbered; left out: once more than before. */
  readonly renumbered?: number;
}

type Origins = Pick<LogOptions, 'origin' | 'had'>;

type CachedVersion = Pick<VnodeStatus, 'fid' | 'version' | 'digest'>;

export interface Relogged {
  readonly instead: readonly LoggedUpdate[];
  /** By the old numbers. */
  readonly dependents: ReadonlyMap<UpdateSeq, LoggedUpdate>;
}

export const AS_IT_IS: Rewriting['dependent'] = (update) => update;

/**
 * Replaces a refused update and its dependents in the log by the updates of the plan. Stages the
 * rows, moves conflict repairs to the new numbers, and releases contents that no update names any
 * more.
 */
export function relog(state: ClientState, refused: LoggedUpdate, plan: Rewriting): Relogged {
  const dependents = state.log.dependents(refused);
  for (const entry of [...dependents].reverse()) takeOut(state, entry, refused.seq);
  takeOut(state, refused, refused.seq);
  const { renumbered = refused.renumbered + 1 } = plan;
  const { endsVnode, queueStatus } = refused;
  const instead = plan.instead.map(({ update, content }) => {
    const origin = originOf(state, update, refused, plan);
    return log(state, update, content ?? null, {
      ...{ rank: refused.rank, renumbered, endsVnode, queueStatus },
      ...origin,
    });
  });
  const successor = instead.at(-1)?.seq ?? null;
  state.conflict.adjustments.renumbered(refused.seq, successor);
  const moved = new Map<UpdateSeq, LoggedUpdate>();
  for (const entry of dependents) {
    const update = plan.dependent(entry.update, entry);
    if (update === null) {
      state.conflict.adjustments.renumbered(entry.seq, null);
    } else {
      const { rank, renumbered: before, movesDirectory, endsVnode, queueStatus } = entry;
      const options = {
        rank,
        renumbered: before,
        movesDirectory,
        endsVnode,
        queueStatus,
      };
      const isElsewhere = update !== entry.update || isAt(entry, plan.leaves);
      const origin = plan.leaves !== undefined && isElsewhere ? {} : { origin: entry };
      const again = log(state, update, entry.content, { ...options, ...origin });
      state.conflict.adjustments.renumbered(entry.seq, again.seq);
      moved.set(entry.seq, again);
    }
  }
  const used = new Set([...instead, ...moved.values()].map((entry) => entry.content));
  for (const { content } of [refused, ...dependents]) {
    if (content === null) continue;
    if (content === plan.cached?.content && !used.has(content))
      keep(state, content, plan.cached.is);
    else if (!used.has(content)) state.cache.files.doom(content);
    state.cache.files.release(content);
  }
  state.out.wake(refused.volume);
  state.waiting.signal({ kind: 'log' });
  state.changed = true;
  return { instead, dependents: moved };
}

function isAt({ place }: LoggedUpdate, at: Place | undefined): boolean {
  return place !== null && place.dir === at?.dir && place.name === at.name;
}

/** A folder has the file itself. */
function keep(state: ClientState, content: string, is: CachedVersion): void {
  const isOther = (state.cache.files.find(is)?.name ?? content) !== content;
  if (state.config.frontEnd === 'folder' || isOther) state.cache.files.doom(content);
  else state.cache.files.renumber(content, is.fid, is.version);
}

/** Where it was, as far as the view may not know. */
function originOf(
  state: ClientState,
  update: Update,
  refused: LoggedUpdate,
  { ancestors, had }: Rewriting,
): Origins {
  if (!('dir' in update)) return { origin: refused, ...(had && { had }) };
  if (ancestors === undefined) return {};
  const above = ancestors.flatMap((dir) => loggedNameOf(state, refused, dir) ?? []);
  return { origin: { place: { dir: update.dir, name: update.name }, ancestors, above } };
}

function takeOut(state: ClientState, entry: LoggedUpdate, refused: UpdateSeq): void {
  if (entry.state === 'sent' && entry.seq !== refused) {
    state.queue.renumberedInFlight(entry.seq, Math.min(refused, ...entry.waitsFor) as UpdateSeq);
  }
  if (entry.update.op === 'store' && !entry.fresh) state.queue.mark(entry.seq);
  leaveLog(state, entry);
}

function log(
  state: ClientState,
  update: Update,
  content: string | null,
  options: LogOptions,
): LoggedUpdate {
  if (content === null) return logUpdate(state, update, options);
  if (update.op === 'store') {
    state.cache.files.renumber(content, update.fid, dataVersion(update.base + 1));
  }
  return logUpdate(state, update, { ...options, content });
}

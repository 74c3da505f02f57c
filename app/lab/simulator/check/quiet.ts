/**
 * When what a laptop shows is the server's word alone: nothing of its own lies over it (rule P5).
 *
 * A call is quiet where nothing that the laptop has queued concerned its directory when it began, and nothing was logged (or
 * logged again after a refusal) before it was answered.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { UpdateSeq } from '../../../../shared/model/update.ts';
import type { Laptop } from './laptop.ts';
import type { FileCall } from './observation.ts';

export interface Quiet {
  readonly lastSeq: UpdateSeq;
  /** Nothing queued concerned the directory it is about. */
  readonly begun: boolean;
  /** Nothing was queued at all. */
  readonly idle: boolean;
}

/** Asked when the call begins. */
export function quietAtBegin({ client, given }: FileCall): Quiet {
  const {
    log,
    conflict: { adjustments },
  } = client.daemon.inside;
  const begun = adjustments.size === 0 && !hasQueued(client, given[0]);
  return { lastSeq: log.lastSeq, begun, idle: begun && log.unanswered === 0 };
}

/** Asked when it is answered: of the directory the call is about. */
export function isQuiet(begin: Quiet, client: Laptop): boolean {
  return begin.begun && client.daemon.inside.log.lastSeq === begin.lastSeq;
}

/** What the laptop shows of a vnode may be contents of its own, numbered over the version they were made over. */
export function mayShowOwn(begin: Quiet, client: Laptop, fid: Fid): boolean {
  const { log } = client.daemon.inside;
  const hasStore = log.index.onVnode(fid).some(({ update }) => update.op === 'store');
  return hasStore || log.lastSeq !== begin.lastSeq;
}

/** It has taken the vnode away or moved it itself, from wherever it was then, and the server has not answered that yet. */
export function placesItself(client: Laptop, fid: Fid): boolean {
  const queued = client.daemon.inside.log.index.onVnode(fid);
  return queued.some(({ state, update }) => state !== 'answered' && PLACING.has(update.op));
}

const PLACING: ReadonlySet<string> = new Set(['remove', 'rmdir', 'rename']);

/** Of any directory. */
export function isIdle(begin: Quiet, client: Laptop): boolean {
  return begin.idle && isQuiet(begin, client);
}

function hasQueued(client: Laptop, subject: unknown): boolean {
  if (typeof subject !== 'string') return false;
  const {
    log,
    names: { aliases },
  } = client.daemon.inside;
  if (log.unanswered === 0) return false;
  const fid = subject as Fid;
  if (aliases.has(fid)) return true;
  for (const { state } of log.index.inDirectory(fid)) if (state !== 'answered') return true;
  return log.index.onVnode(fid).some(({ state }) => state !== 'answered');
}

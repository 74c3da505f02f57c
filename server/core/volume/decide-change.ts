/** Updates of one vnode: setattr (the last one wins), store (made over the present version, or refused). */
import type { Update } from '../../../shared/model/update.ts';
import { dataVersion } from '../../../shared/model/vnode.ts';
import type { RowView } from '../commit/row-view.ts';
import { accepted, refused, type Decision, type Maker } from './decision.ts';

type SetAttr = Extract<Update, { op: 'setattr' }>;
type Store = Extract<Update, { op: 'store' }>;

/** Attributes that are left null stay. */
export function decideSetAttr(update: SetAttr, view: RowView, maker: Maker): Decision {
  const row = view.live(update.fid);
  if (row === null) return refused('no-such-vnode');
  const { status } = row;
  const after = {
    ...status,
    mode: update.mode ?? status.mode,
    mtime: update.mtime ?? status.mtime,
    xattrs: update.xattrs ?? status.xattrs,
    commit: maker.commit,
  };
  return accepted([{ before: row, after: { status: after, entries: row.entries } }], []);
}

/** Also refused when the contents are the same already: the client compares digests, and knows what to do (C1). */
export function decideStore(update: Store, view: RowView, maker: Maker): Decision {
  const row = view.live(update.fid);
  if (row === null) return refused('no-such-vnode');
  const { status } = row;
  if (status.kind !== 'file') return refused('wrong-kind', status);
  if (status.version !== update.base) return refused('stale-base', status);
  const growth = update.size - status.size;
  // What makes a file no larger is let through also where an administrator has set the quota below what is there.
  if (growth > 0 && growth > maker.free) return { ok: false, growth };
  const after = {
    ...status,
    size: update.size,
    digest: update.digest,
    mtime: update.mtime,
    version: dataVersion(status.version + 1),
    commit: maker.commit,
  };
  return accepted([{ before: row, after: { status: after, entries: 0 } }], []);
}

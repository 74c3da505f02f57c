/** Which contents the rows in memory still want: as `contents-named.ts` asks the real database, with the same decision (kept-versions.ts). */
import { volumeOf, type VolumeId } from '../../../../shared/model/fid.ts';
import { keptVersions, type VersionSpan } from '../../../../shared/model/kept-versions.ts';
import type { RetentionPolicy } from '../../../../shared/model/retention.ts';
import type { WallTime } from '../../../../shared/model/time.ts';
import type { CommitNumber, Digest, VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { PlainRows } from './plain-rows.ts';
import type { VersionedRows } from './versioned-rows.ts';

interface Rows {
  readonly versioned: VersionedRows;
  readonly plain: PlainRows;
}

interface Asked {
  readonly now: WallTime;
  readonly policy: RetentionPolicy;
  /** The commits that snapshots show. Asked after the rows were read. */
  readonly shown: (volume: VolumeId) => readonly CommitNumber[];
}

type Row = { readonly status: VnodeStatus; readonly to: CommitNumber | null };
type NamedSpan = VersionSpan & { readonly digest: Digest };

/** Few, so that others have many turns in between. */
const FILES_OF_PAGE = 3;

/** Gives them in parts; one may come several times. */
export function* pagesOfNamed(rows: Rows, asked: Asked): Generator<Digest[], void, undefined> {
  let page: Digest[] = [];
  let files = 0;
  for (const history of rows.versioned.histories()) {
    const spans = spansOf(rows.plain, history);
    const volume = history[0] === undefined ? null : volumeOf(history[0].status.fid);
    if (volume === null || spans.length === 0) continue;
    const kept = keptVersions(spans, asked.shown(volume), asked.policy, asked.now);
    page.push(...spans.filter((_, index) => kept[index] === true).map(({ digest }) => digest));
    files += 1;
    if (files % FILES_OF_PAGE !== 0) continue;
    yield page;
    page = [];
  }
  yield page;
}

/** The data versions of a file, the newest first; none of what is no file. */
function spansOf(plain: PlainRows, history: readonly Row[]): NamedSpan[] {
  const versions = new Map<string, Row[]>();
  for (const row of history) {
    const { kind, digest, version, links } = row.status;
    if (kind !== 'file' || digest === null || links === 0) continue;
    const key = `${version} ${digest}`;
    versions.set(key, [...(versions.get(key) ?? []), row]);
  }
  const spans = [...versions.values()].map((rows) => spanOf(plain, rows));
  return spans.sort((a, b) => b.first - a.first);
}

function spanOf(plain: PlainRows, rows: readonly Row[]): NamedSpan {
  const [oldest, newest] = [rows[0], rows.at(-1)];
  if (oldest === undefined || newest === undefined) throw new Error('a version has a row');
  const { fid, digest, commit: first } = oldest.status;
  const last = newest.to;
  const whenOf = (commit: CommitNumber): WallTime => plain.momentOf(volumeOf(fid), commit).when;
  const ended = last === null ? null : whenOf(last);
  return { digest: digest as Digest, first, last, made: whenOf(first), ended };
}

/** What the files pane lists: a folder, or what a search in it has found; and what is known of each row beside that. */
import type { FolderReport, FoundReport } from '../../../shared/control/folder.ts';
import type { PathQueue } from '../../../shared/control/queue.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { Api } from '../view/api.ts';
import { countBeneath, shownRows, type Beneath } from '../view/files-view.ts';
import { problemsOf } from '../view/problems.ts';
import { useAsked } from './asker.ts';
import type { PlacedRow } from './pane-props.ts';

/** A folder in one answer, as large as the daemon gives it. */
const MOST_ROWS = 20_000;
const MOST_FOUND = 200;
/** Rows whose queue is asked for: what a person sees. */
const MOST_ASKED = 60;

export interface Listing {
  readonly rows: readonly PlacedRow[];
  /** How many the folder has beyond these. */
  readonly more: number;
  /** A search may have missed some. */
  readonly isCut: boolean;
}

interface Place {
  readonly volume: string;
  readonly path: readonly string[];
  /** '' lists the folder. */
  readonly sought: string;
}

/** null until it is known. It is asked for again when the status or `edition` has changed. */
export function useListing(
  api: Api,
  status: StatusSnapshot,
  { volume, path, sought }: Place,
  edition: number,
): { readonly listing: Listing | null; readonly again: () => void } {
  const place = `${volume}/${path.join('/')}?${sought}`;
  const { told, again } = useAsked(
    async () => ({ place, listing: await list(api, { volume, path, sought }) }),
    `${status.revision} ${place}`,
    edition,
  );
  return { listing: told?.place === place ? told.listing : null, again };
}

async function list(api: Api, { volume, path, sought }: Place): Promise<Listing> {
  if (sought !== '') {
    const args = { volume, path, text: sought, most: MOST_FOUND };
    const { rows, isCut } = await api.command<FoundReport>('find', args);
    return { rows, more: 0, isCut };
  }
  const report = await api.command<FolderReport>('folder', {
    ...{ volume, path, from: 0, most: MOST_ROWS },
  });
  const rows = shownRows(report, path).map((row) => ({ ...row, path: [...path, row.name] }));
  return { rows, more: report.total - report.rows.length, isCut: false };
}

/** By the path of a row: what is queued, and what needs somebody, of it and below it. */
export function useBeneath(
  api: Api,
  status: StatusSnapshot,
  volume: string,
  rows: readonly PlacedRow[],
): (row: PlacedRow) => Beneath {
  const { metadata, data } = status.queues;
  const waits = metadata.updates + data.updates > 0;
  const asked = rows.filter(({ kind, sync }) => kind === 'directory' || sync === 'queued');
  const keys = asked.map(({ path }) => path.join('/')).join('\n');
  const { told } = useAsked<ReadonlyMap<string, PathQueue>>(
    async () => {
      const found = new Map<string, PathQueue>();
      for (const { path } of waits ? asked.slice(0, MOST_ASKED) : []) {
        const queued = await api.command<PathQueue>('queue-at', { volume, path }).catch(() => null);
        if (queued !== null) found.set(path.join('/'), queued);
      }
      return found;
    },
    `${waits ? status.revision : 0} ${volume} ${keys}`,
  );
  const conflicts = status.conflicts
    .filter((each) => each.volume === undefined || each.volume === volume)
    .map(({ path, copy }) => [path, copy]);
  const problems = problemsOf(status.errors).errors.map(({ path }) =>
    path === null ? [] : [path],
  );
  return ({ path }) => ({
    queued: waits ? (told?.get(path.join('/')) ?? null) : null,
    conflicts: countBeneath(conflicts, path),
    problems: countBeneath(problems, path),
  });
}

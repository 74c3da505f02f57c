/** What is being fetched: for somebody who waits, or for the folder. */
import type { JSX } from 'preact';
import type { FetchEntry, FetchReport } from '../../../shared/control/queue.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { Api } from '../view/api.ts';
import { fetchRow } from '../view/queue-rows.ts';
import { TEXT } from '../view/text.ts';
import { useRange } from './use-range.ts';
import { VirtualList } from './virtual-list.tsx';

/** A folder that is brought in has more; they are counted. */
const MOST = 1000;

interface FetchProps {
  readonly api: Api;
  readonly status: StatusSnapshot;
}

/** Shows the running and waiting fetches, the first `MOST` at most. */
export function FetchPanel({ api, status }: FetchProps): JSX.Element {
  const { part, see } = useRange<FetchEntry>(async ({ from, count }) => {
    const most = Math.min(MOST, from + count);
    const report = await api.command<FetchReport>('fetches', { most });
    const entries = report.entries.slice(from);
    return { total: Math.min(report.total, MOST), from, entries };
  }, status.revision);
  const rows = part.entries.map((entry, index) => fetchRow(entry, part.from + index));
  return (
    <section class="card" aria-labelledby="fetches-title">
      <h2 id="fetches-title">{TEXT.queue.fetches}</h2>
      {status.fetches.running > 0 && (
        <p class="quiet">{TEXT.queue.fetchCount(status.fetches.running)}</p>
      )}
      <VirtualList
        id="fetches"
        label={TEXT.queue.fetches}
        empty={TEXT.queue.emptyFetches}
        total={part.total}
        from={part.from}
        rows={rows}
        selected={null}
        onRange={see}
      />
    </section>
  );
}

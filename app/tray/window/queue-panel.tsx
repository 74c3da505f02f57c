/** One queue: what it comes to, its updates, and what can be done with the selected one. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import {
  QUEUE_ACTS,
  type QueueAct,
  type QueueEntry,
  type QueueName,
  type QueueReport,
} from '../../../shared/control/queue.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { Api } from '../view/api.ts';
import { queueRow, queueSummary, type Row } from '../view/queue-rows.ts';
import { TEXT } from '../view/text.ts';
import type { Tell } from './toast.tsx';
import { useRange } from './use-range.ts';
import { VirtualList } from './virtual-list.tsx';

const KEYS: Readonly<Record<string, QueueAct>> = {
  Enter: 'now',
  l: 'later',
  L: 'later',
  Delete: 'cancel',
};

interface QueueProps {
  readonly api: Api;
  readonly name: QueueName;
  readonly status: StatusSnapshot;
  readonly tell: Tell;
}

/** Shows one of the two queues and gives orders for the selected update, by buttons or keys. */
export function QueuePanel({ api, name, status, tell }: QueueProps): JSX.Element {
  const [selected, setSelected] = useState<Row | null>(null);
  const { part, see, again } = useRange<QueueEntry>(async ({ from, count }, known) => {
    const args = {
      most: count,
      from,
      of: name,
      ...(known === undefined ? {} : { listing: known }),
    };
    const report = await api.command<QueueReport>('queue', args);
    const { total, entries, restMs, listing } = report;
    return { total, from, entries, restMs, listing };
  }, status.revision);
  const now = Date.now();
  const rows = part.entries.map((entry) => queueRow(entry, now));

  const order = async (act: QueueAct): Promise<void> => {
    if (selected === null) return;
    const target = { number: Number(selected.key) };
    await tell(api.command('queue-order', { act, target, withDependents: act === 'cancel' }));
    again();
  };

  const id = `queue-${name}`;
  return (
    <section class="card" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{TEXT.queue[name]}</h2>
      <p class="quiet summary" data-summary={name}>
        {queueSummary(name, status.queues[name])}
      </p>
      <VirtualList
        id={id}
        label={TEXT.queue[name]}
        empty={TEXT.queue.empty}
        total={part.total}
        from={part.from}
        rows={rows}
        selected={selected?.key ?? null}
        onRange={see}
        onSelect={setSelected}
        onKey={(key) => {
          const act = KEYS[key];
          if (act !== undefined) void order(act);
        }}
      />
      <div class="acts" role="group" aria-label={TEXT.queue.actsLabel}>
        {QUEUE_ACTS.map((act) => (
          <button
            key={act}
            type="button"
            disabled={selected === null}
            data-act={act}
            onClick={() => void order(act)}
          >
            {TEXT.queue.act(act)}
          </button>
        ))}
        <span class="quiet" aria-live="polite">
          {selected === null ? TEXT.queue.noneSelected : TEXT.queue.selected(selected.name)}
        </span>
      </div>
      <p class="hidden-text">{TEXT.queue.keys}</p>
    </section>
  );
}

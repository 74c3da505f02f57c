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
import { CallError, type Api } from '../view/api.ts';
import { queueRow, queueSummary, type Row } from '../view/queue-rows.ts';
import { newlyOut, takenOut } from '../view/queue-undo.ts';
import { TEXT } from '../view/text.ts';
import type { Said, Tell } from './toast.tsx';
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
    const { key, name: what } = selected;
    await tell(orderUpdate(api, act, Number(key)), (out): Said => {
      const text = TEXT.queue.done(act, what);
      if (act === 'now') return text;
      const back = (): void =>
        void tell(sendAgain(api, out), () => TEXT.queue.putBack(what)).then(again);
      return { text, act: { label: TEXT.actions.undo, run: back } };
    });
    again();
  };

  const id = `queue-${name}`;
  return (
    <section class="card" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{TEXT.queue[name]}</h2>
      {status.queues[name].updates > 0 && (
        <p class="quiet" data-summary={name}>
          {queueSummary(name, status.queues[name])}
        </p>
      )}
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
      {part.total > 0 && <Acts {...{ selected, order }} />}
    </section>
  );
}

interface ActsProps {
  readonly selected: Row | null;
  readonly order: (act: QueueAct) => Promise<void>;
}

function Acts({ selected, order }: ActsProps): JSX.Element {
  return (
    <>
      <div class="acts" role="group" aria-label={TEXT.queue.actsLabel}>
        {QUEUE_ACTS.map((act) => (
          <button
            key={act}
            type="button"
            disabled={selected === null || (act === 'cancel' && selected.isOut)}
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
    </>
  );
}

/** More are not looked through for what an order has taken along. */
const MOST_LOOKED_AT = 20_000;

/** Carries the order out. Gives the numbers of the updates that would have to be sent to take it back. */
async function orderUpdate(api: Api, act: QueueAct, number: number): Promise<number[]> {
  const order = { act, target: { number } };
  try {
    await api.command('queue-order', { ...order, withDependents: false });
    return [number];
  } catch (error) {
    // Others wait for it: they go out with it.
    if (!(error instanceof CallError) || error.code !== 'update-needed') throw error;
  }
  const before = await outNow(api);
  await api.command('queue-order', { ...order, withDependents: true });
  return newlyOut(number, before, await outNow(api));
}

/** Page by page, of one listing. */
async function outNow(api: Api): Promise<ReadonlySet<number>> {
  const entries: QueueEntry[] = [];
  let page = await api.command<QueueReport>('queue', { most: MOST_LOOKED_AT });
  for (;;) {
    entries.push(...page.entries);
    const { listing, next = null } = page;
    if (next === null || listing === undefined) return takenOut(entries);
    page = await api.command<QueueReport>('queue', { most: MOST_LOOKED_AT, from: next, listing });
  }
}

async function sendAgain(api: Api, numbers: readonly number[]): Promise<void> {
  for (const number of numbers) {
    await api.command('queue-order', { act: 'now', target: { number }, withDependents: false });
  }
}

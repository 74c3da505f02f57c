/** Much was removed at once, here or on another laptop: it goes on all of them, and can be taken back with a click. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { RestoreReport } from '../../../shared/control/history.ts';
import { agoText } from '../view/ago.ts';
import { timeOf } from '../view/clock.ts';
import { lineText } from '../view/format.ts';
import { restoredText } from '../view/history-view.ts';
import { othersRemovedKey } from '../view/notices.ts';
import { changesWaiting } from '../view/status-view.ts';
import { TEXT } from '../view/text.ts';
import type { PaneProps } from './pane-props.ts';
import { Glyph } from './sign.tsx';
import { useMeant } from './use-meant.ts';

const KEY = 'godwit-removals-meant';
/** Clocks of servers are a little apart. */
const BEFORE_MS = 2000;

/** Shows what was removed until a person has said that it was meant, or has taken it back; null where there is nothing to say. */
export function RemovedCards({ api, status, tell }: PaneProps): JSX.Element {
  const { manyRemoved, othersRemoved = [], volumes } = status;
  const [meant, end] = useMeant(KEY);
  const words = TEXT.home;
  const bringBack = (volume: string, about: object) => (): Promise<RestoreReport | undefined> => {
    const order = { volume, path: [], version: null, at: null, to: null, ...about };
    return tell(api.command<RestoreReport>('restore', order), restoredText);
  };
  const own = manyRemoved === undefined ? [] : [manyRemoved];
  const cards = [
    ...own.map(({ files, since }): CardProps => {
      const when = timeOf(since);
      const waits = changesWaiting(status) > 0;
      const says = waits ? words.manyGoneSoon : words.manyGoneWhen(agoText(when, Date.now()));
      const undo = bringBack(volumes[0]?.name ?? '', { at: when - BEFORE_MS });
      return { key: since, title: words.manyGone(files), says, waits, undo };
    }),
    ...othersRemoved.map(({ device, by, volume, files, since, from, to }): CardProps => {
      const title = words.manyGoneBy(files, by === null ? null : lineText(by));
      const says = words.manyGoneElsewhere(agoText(timeOf(since), Date.now()));
      const undo = bringBack(volume, { removed: { device, from, to } });
      return { key: othersRemovedKey({ volume, from }), title, says, waits: false, undo };
    }),
  ];
  return (
    <>
      {cards
        .filter(({ key }) => !meant.has(key))
        .map(({ key, ...card }) => (
          <RemovedCard key={key} {...card} onEnd={() => end(key)} />
        ))}
    </>
  );
}

interface CardProps {
  readonly key: string;
  readonly title: string;
  readonly says: string;
  /** The server does not know all of it yet. */
  readonly waits: boolean;
  readonly undo: () => Promise<RestoreReport | undefined>;
}

function RemovedCard(props: Omit<CardProps, 'key'> & { onEnd: () => void }): JSX.Element {
  const { title, says, waits, undo, onEnd } = props;
  const words = TEXT.home;
  const [isBusy, setBusy] = useState(false);
  const id = useId();
  const run = async (): Promise<void> => {
    setBusy(true);
    const done = await undo();
    setBusy(false);
    if (done !== undefined && done.failed.length === 0) onEnd();
  };
  return (
    <section class="card needs" aria-labelledby={id} data-card="removed">
      <h2 id={id} class="line">
        <Glyph of="bin" /> {title}
      </h2>
      <p>{says}</p>
      <div class="acts">
        <button
          type="button"
          class="strong"
          aria-disabled={waits || isBusy}
          onClick={() => {
            if (!waits && !isBusy) void run();
          }}
        >
          {words.undoRemoval}
        </button>
        <button type="button" onClick={onEnd}>
          {words.wasMeant}
        </button>
      </div>
    </section>
  );
}

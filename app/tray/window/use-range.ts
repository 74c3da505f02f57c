/** A part of a list of the daemon, asked for anew when the status has changed or another part is to be seen. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Asker } from './asker.ts';
import type { Range } from './virtual-list.tsx';

export interface Part<T> {
  readonly total: number;
  readonly from: number;
  readonly entries: readonly T[];
  /** As the daemon wants it (shared/control/queue.ts). */
  readonly restMs?: number | undefined;
}

const NOTHING: Part<never> = { total: 0, from: 0, entries: [] };
const FIRST: Range = { from: 0, count: 20 };

export function useRange<T>(
  ask: (range: Range) => Promise<Part<T>>,
  revision: number,
): { readonly part: Part<T>; readonly see: (range: Range) => void; readonly again: () => void } {
  const [part, setPart] = useState<Part<T>>(NOTHING);
  const [asker] = useState(() => new Asker<Part<T>>(setPart));
  asker.restAfter = ({ restMs }) => restMs ?? 0;
  const range = useRef(FIRST);
  const latest = useRef(ask);
  latest.current = ask;
  asker.ask = () => latest.current(range.current);
  useEffect(() => asker.want(), [revision]);
  useEffect(() => () => asker.end(), []);
  const see = (next: Range): void => {
    if (next.from === range.current.from && next.count === range.current.count) return;
    range.current = next;
    asker.wantNow();
  };
  return { part, see, again: () => asker.wantNow() };
}

/** A part of a list of the daemon, asked for anew when the status has changed or another part is to be seen. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError } from '../view/api.ts';
import { Asker } from './asker.ts';
import type { Range } from './virtual-list.tsx';

export interface Part<T> {
  readonly total: number;
  readonly from: number;
  readonly entries: readonly T[];
  /** Where the daemon keeps the picture that this is of. */
  readonly listing?: number | undefined;
  /** As the daemon wants it (shared/control/queue.ts). */
  readonly restMs?: number | undefined;
}

const NOTHING: Part<never> = { total: 0, from: 0, entries: [] };
const FIRST: Range = { from: 0, count: 20 };

/**
 * Keeps the visible part of a list of the daemon up to date. `ask` gets the listing of the last answer if only another part of it is wanted;
 * undefined asks for a new one.
 */
export function useRange<T>(
  ask: (range: Range, listing: number | undefined) => Promise<Part<T>>,
  revision: number,
): { readonly part: Part<T>; readonly see: (range: Range) => void; readonly again: () => void } {
  const [part, setPart] = useState<Part<T>>(NOTHING);
  const [asker] = useState(() => new Asker<Part<T>>(setPart));
  asker.restAfter = ({ restMs }) => restMs ?? 0;
  const range = useRef(FIRST);
  const latest = useRef(ask);
  latest.current = ask;
  const known = useRef<number | undefined>(undefined);
  asker.ask = async (isMore) => {
    const part = await (isMore ? more() : latest.current(range.current, undefined));
    known.current = part.listing;
    return part;
  };
  /** Of the same picture, or of the present one where that is not kept any more. */
  const more = (): Promise<Part<T>> =>
    latest.current(range.current, known.current).catch((error: unknown) => {
      if (error instanceof CallError && error.code === 'listing-gone') {
        return latest.current(range.current, undefined);
      }
      throw error;
    });
  useEffect(() => asker.want(), [revision]);
  useEffect(() => () => asker.end(), []);
  const see = (next: Range): void => {
    if (next.from === range.current.from && next.count === range.current.count) return;
    range.current = next;
    asker.wantMore();
  };
  return { part, see, again: () => asker.wantNow() };
}

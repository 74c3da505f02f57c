/**
 * A list of any length, of which only the lines that can be seen exist: they are asked for by their places. One line is selected; it stays
 * selected while it moves through the list.
 *
 * For assistive technology it is a listbox with the whole length told, and one line active.
 */
import type { JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Row } from '../view/queue-rows.ts';
import { TEXT } from '../view/text.ts';
import { RowLine } from './row-line.tsx';

/** As page.css says: a line has one height, so that places follow from it. */
const ROW_HEIGHT = 52;
/** A list is as high as its lines, up to so many. */
const MOST_ROWS = 6;
const BORDERS = 2;
/** Beyond what is seen, so that a step finds something there. */
const MARGIN = 6;

export interface Range {
  readonly from: number;
  readonly count: number;
}

interface ListProps {
  readonly id: string;
  readonly label: string;
  readonly empty: string;
  readonly total: number;
  /** What is here of it, the first at the place `from`. */
  readonly from: number;
  readonly rows: readonly Row[];
  readonly selected: string | null;
  readonly onRange: (range: Range) => void;
  readonly onSelect?: (row: Row) => void;
  /** A key that is none of the list's own. */
  readonly onKey?: (key: string) => void;
}

/** Shows a list of any length of which only the visible rows are in the page. */
export function VirtualList(props: ListProps): JSX.Element {
  const { id, label, empty, total, from, rows, selected, onRange, onSelect, onKey } = props;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const height = useHeight(box);
  /** The place that was stepped to; its line may not be here yet. */
  const [wanted, setWanted] = useState<number | null>(null);
  const at = rows.findIndex(({ key }) => key === selected);
  const place = wanted ?? (at < 0 ? null : from + at);

  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - MARGIN);
  const count = Math.ceil(height / ROW_HEIGHT) + 2 * MARGIN;
  useEffect(() => onRange({ from: first, count }), [first, count]);

  useEffect(() => {
    const row = wanted === null ? undefined : rows[wanted - from];
    if (row === undefined) return;
    setWanted(null);
    onSelect?.(row);
  }, [wanted, rows, from]);

  const step = (to: number): void => {
    const next = Math.min(Math.max(0, to), total - 1);
    setWanted(next);
    reveal(box.current, next);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const to = stepOf(event.key, place, total, Math.floor(height / ROW_HEIGHT));
    if (to !== null && onSelect !== undefined) step(to);
    else if (!event.ctrlKey && !event.altKey && !event.metaKey) onKey?.(event.key);
    if (to !== null || event.key === 'Delete') event.preventDefault();
  };

  const active = at < 0 ? {} : { 'aria-activedescendant': `${id}-${rows[at]?.key}` };
  return (
    <div
      ref={box}
      id={id}
      class="list"
      style={{ height: `${Math.min(Math.max(total, 1), MOST_ROWS) * ROW_HEIGHT + BORDERS}px` }}
      role="listbox"
      aria-label={total === 0 ? `${label}: ${empty}` : label}
      tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
      {...active}
    >
      {total === 0 && (
        <div class="list-empty" role="option" aria-selected={false} aria-disabled={true}>
          {empty}
        </div>
      )}
      <div class="list-all" role="presentation" style={{ height: `${total * ROW_HEIGHT}px` }}>
        {rows.map((row, index) => (
          <div
            key={row.key}
            id={`${id}-${row.key}`}
            class={row.isStuck ? 'row row-stuck' : 'row'}
            role="option"
            aria-selected={row.key === selected}
            aria-setsize={total}
            aria-posinset={from + index + 1}
            style={{ top: `${(from + index) * ROW_HEIGHT}px` }}
            onClick={() => onSelect?.(row)}
          >
            <RowLine row={row} />
          </div>
        ))}
      </div>
      {total > 0 && rows.length === 0 && <p class="list-loading">{TEXT.queue.loading}</p>}
    </div>
  );
}

function useHeight(box: RefObject<HTMLDivElement | null>): number {
  const [height, setHeight] = useState(ROW_HEIGHT * 6);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return height;
}

function stepOf(key: string, place: number | null, total: number, page: number): number | null {
  if (total === 0) return null;
  switch (key) {
    case 'ArrowDown':
      return place === null ? 0 : place + 1;
    case 'ArrowUp':
      return place === null ? 0 : place - 1;
    case 'PageDown':
      return (place ?? 0) + page;
    case 'PageUp':
      return (place ?? 0) - page;
    case 'Home':
      return 0;
    case 'End':
      return total - 1;
    default:
      return null;
  }
}

function reveal(box: HTMLDivElement | null, place: number): void {
  if (box === null) return;
  const [from, to] = [place * ROW_HEIGHT, (place + 1) * ROW_HEIGHT];
  if (from < box.scrollTop) box.scrollTop = from;
  else if (to > box.scrollTop + box.clientHeight) box.scrollTop = to - box.clientHeight;
}

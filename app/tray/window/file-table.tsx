/** The rows of the files pane: what it is, when it changed, how large it is, how it is; and a menu with what can be done. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { sizeText } from '../../../shared/util/amounts.ts';
import { clockText } from '../view/clock.ts';
import { rowKind, rowState, SORTS, type Beneath, type Sort } from '../view/files-view.ts';
import { lineText } from '../view/format.ts';
import { lockText } from '../view/lock-view.ts';
import type { MountLine } from '../view/shares-view.ts';
import { TEXT } from '../view/text.ts';
import type { PlacedRow } from './pane-props.ts';
import { PopupMenu, type MenuEntry, type Point } from './popup-menu.tsx';
import { Glyph, KindSign, StateSign } from './sign.tsx';

export interface Order {
  readonly sort: Sort;
  readonly isDescending: boolean;
}

export interface TableProps {
  readonly rows: readonly PlacedRow[];
  /** By paths, joined by `/`. */
  readonly chosen: ReadonlySet<string>;
  readonly order: Order;
  /** Rows lie in several folders: each says in which. */
  readonly isSearch: boolean;
  readonly beneath: (row: PlacedRow) => Beneath;
  /** What a row shows as a mount point; null: it is none. */
  readonly mount: (row: PlacedRow) => MountLine | null;
  readonly entries: (row: PlacedRow) => readonly MenuEntry[];
  readonly onOrder: (order: Order) => void;
  readonly onChosen: (chosen: ReadonlySet<string>) => void;
  readonly onOpen: (row: PlacedRow) => void;
}

export const keyOf = ({ path }: PlacedRow): string => path.join('/');

/** Shows the rows with their columns, by which they can be sorted. */
export function FileTable(props: TableProps): JSX.Element {
  const { rows, chosen, order, onOrder, onChosen } = props;
  const words = TEXT.files;
  const isAll = rows.length > 0 && rows.every((row) => chosen.has(keyOf(row)));
  const sortBy = (sort: Sort): void =>
    onOrder({ sort, isDescending: order.sort === sort && !order.isDescending });
  return (
    <table class="files" aria-label={words.table}>
      <thead>
        <tr>
          <th scope="col" class="pick">
            <input
              type="checkbox"
              aria-label={words.selectAll}
              checked={isAll}
              onChange={() => onChosen(new Set(isAll ? [] : rows.map(keyOf)))}
            />
          </th>
          {SORTS.map((sort) => (
            <th
              key={sort}
              scope="col"
              class={sort === 'name' ? 'what' : sort}
              aria-sort={sortWord(order, sort)}
            >
              <button
                type="button"
                class="bare"
                aria-label={words.sortBy(words[sort])}
                onClick={() => sortBy(sort)}
              >
                {words[sort]}{' '}
                {order.sort === sort && (
                  <Glyph of={order.isDescending ? 'descending' : 'ascending'} size={14} />
                )}
              </button>
            </th>
          ))}
          <th scope="col" class="how">
            {words.state}
          </th>
          <td class="acts-cell" />
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <FileRow key={keyOf(row)} {...props} row={row} />
        ))}
      </tbody>
    </table>
  );
}

function sortWord({ sort, isDescending }: Order, of: Sort): 'ascending' | 'descending' | 'none' {
  if (sort !== of) return 'none';
  return isDescending ? 'descending' : 'ascending';
}

function FileRow(props: TableProps & { readonly row: PlacedRow }): JSX.Element {
  const { row, chosen, isSearch, beneath, mount, entries, onChosen, onOpen } = props;
  const [at, setAt] = useState<Point | null>(null);
  const { name, kind, size, modified, path } = row;
  const shown = lineText(name);
  const key = keyOf(row);
  const isOn = chosen.has(key);
  const { sign, word } = rowState(row, beneath(row));
  const when = kind === 'file' ? clockText(modified, Date.now()) : '';
  const locked = lockText(row, Date.now());
  const mounted = mount(row);
  const large = kind === 'file' ? sizeText(size) : '';
  const pick = (): void => {
    const next = new Set(chosen);
    if (isOn) next.delete(key);
    else next.add(key);
    onChosen(next);
  };
  return (
    <tr
      data-name={name}
      data-sign={sign}
      class={isOn ? 'chosen' : undefined}
      onContextMenu={(event) => {
        event.preventDefault();
        // The menu opens to the left of its point.
        setAt({ x: event.clientX + MENU_WIDTH, y: event.clientY });
      }}
    >
      <Pick name={shown} isOn={isOn} onPick={pick} />
      <th scope="row" class="what">
        <span class="line">
          <KindSign kind={rowKind(row)} />
          <span class="line-words">
            <button
              type="button"
              class="name"
              title={lineText(path.join('/'))}
              onClick={() => onOpen(row)}
            >
              {shown}
            </button>
            {isSearch && <span class="quiet">{lineText(path.slice(0, -1).join('/'))}</span>}
            {mounted !== null && <MountWords {...mounted} />}
            {locked !== null && <span class="quiet locked">{locked}</span>}
            <span class="quiet narrow">{[large, when].filter((part) => part).join(', ')}</span>
          </span>
        </span>
      </th>
      <td class="modified quiet">{when}</td>
      <td class="size quiet">{large}</td>
      <td class="how">
        <span class={`state-word of-${sign}`}>
          <StateSign sign={sign} /> {word}
        </span>
      </td>
      <td class="acts-cell">
        <PopupMenu
          label={TEXT.files.menu(shown)}
          class="bare"
          entries={entries(row)}
          at={at}
          onAt={setAt}
        >
          <Glyph of="more" />
        </PopupMenu>
      </td>
    </tr>
  );
}

/** What a mount point shows, with a sign of its own; it reads as words of the row. */
function MountWords({ sign, says }: MountLine): JSX.Element {
  return (
    <span class={`mount of-mount-${sign}`} data-mount={sign}>
      <Glyph of={sign === 'shut' ? 'shut' : 'people'} size={14} /> {says}
    </span>
  );
}

interface PickProps {
  readonly name: string;
  readonly isOn: boolean;
  readonly onPick: () => void;
}

function Pick({ name, isOn, onPick }: PickProps): JSX.Element {
  return (
    <td class="pick">
      <input
        type="checkbox"
        aria-label={TEXT.files.select(name)}
        checked={isOn}
        onChange={onPick}
      />
    </td>
  );
}

/** As page.css says. */
const MENU_WIDTH = 208;

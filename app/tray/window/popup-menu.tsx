/**
 * A button that opens a menu. For the keyboard as menus are: arrows, Home, End, Escape; Tab leaves it. It stands above all else, for a list
 * that scrolls would cut it off.
 */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface MenuEntry {
  readonly label: string;
  readonly run: () => void;
  /** A line before it. */
  readonly begins?: boolean;
}

interface MenuProps {
  readonly label: string;
  /** The face of the button; left out: the label. */
  readonly children?: ComponentChildren;
  readonly class?: string;
  readonly entries: readonly MenuEntry[];
  /** Open from elsewhere, such as by the other button of the mouse; null: it is not. */
  readonly at?: Point | null;
  readonly onAt?: (at: Point | null) => void;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Shows the button, and the menu while it is open. */
export function PopupMenu(props: MenuProps): JSX.Element {
  const { label, children = label, class: look, entries, at = null, onAt } = props;
  const [place, setPlace] = useState<Point | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const open = at ?? place;
  const close = (refocus: boolean): void => {
    setPlace(null);
    onAt?.(null);
    if (refocus) button.current?.focus();
  };
  const toggle = (): void => {
    const box = button.current?.getBoundingClientRect();
    if (open !== null || box === undefined) return close(true);
    setPlace({ x: box.right, y: box.bottom });
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class={look}
        aria-label={children === label ? undefined : label}
        aria-haspopup="menu"
        aria-expanded={open !== null}
        onClick={toggle}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' || open !== null) return;
          event.preventDefault();
          toggle();
        }}
      >
        {children}
      </button>
      {open !== null && <List {...{ label, entries, close }} place={open} button={button} />}
    </>
  );
}

interface ListProps extends Pick<MenuProps, 'label' | 'entries'> {
  readonly place: Point;
  readonly button: { readonly current: HTMLButtonElement | null };
  readonly close: (refocus: boolean) => void;
}

/** From the edges of the window. */
const MARGIN = 8;

function List({ label, entries, place, button, close }: ListProps): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const items = (): HTMLElement[] => [
    ...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? []),
  ];
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return;
    const { width, height } = element.getBoundingClientRect();
    const left = Math.min(place.x - width, innerWidth - width - MARGIN);
    const fits = place.y + height + MARGIN <= innerHeight;
    element.style.left = `${Math.max(MARGIN, left)}px`;
    element.style.top = `${Math.max(MARGIN, fits ? place.y : innerHeight - height - MARGIN)}px`;
    items()[0]?.focus();
  }, [place]);
  useEffect(() => {
    const outside = (event: Event): void => {
      const target = event.target as Node;
      if (list.current?.contains(target) === true) return;
      if (button.current?.contains(target) !== true) close(false);
    };
    const leave = (): void => close(false);
    document.addEventListener('pointerdown', outside);
    addEventListener('resize', leave);
    addEventListener('blur', leave);
    return () => {
      document.removeEventListener('pointerdown', outside);
      removeEventListener('resize', leave);
      removeEventListener('blur', leave);
    };
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    const all = items();
    const to = step(event.key, all.indexOf(document.activeElement as HTMLElement), all.length);
    if (to !== null) all[to]?.focus();
    else if (event.key === 'Escape') close(true);
    else if (event.key === 'Tab') return close(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={list} class="menu" role="menu" aria-label={label} onKeyDown={onKeyDown}>
      {entries.map(({ label: text, run, begins = false }) => (
        <button
          key={text}
          type="button"
          role="menuitem"
          class={begins ? 'menu-begins' : undefined}
          tabIndex={-1}
          onClick={() => {
            close(true);
            run();
          }}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

function step(key: string, at: number, count: number): number | null {
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return (at + count - 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : null;
}

/** The menu of the icon, as plain data: what it says, and what each item asks for. */
import type { PageCommand } from '../../../shared/control/commands.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { lineText } from './format.ts';
import { recentRows, type Senders } from './recent-view.ts';
import {
  attentionOf,
  attentionText,
  connectionText,
  headline,
  whyAway,
  type Known,
} from './status-view.ts';
import { TEXT } from './text.ts';

export const PANES = ['home', 'files', 'conflicts', 'settings'] as const;
export type Pane = (typeof PANES)[number];

export type MenuAction =
  | { readonly do: 'show'; readonly pane: Pane }
  | { readonly do: 'open-folder' }
  | { readonly do: 'open-file'; readonly path: string }
  | { readonly do: 'command'; readonly name: PageCommand; readonly args: object }
  | { readonly do: 'start' }
  | { readonly do: 'quit'; readonly andStop: boolean };

export type MenuItem =
  | { readonly kind: 'line' }
  | { readonly kind: 'item'; readonly label: string; readonly wish: MenuAction | null }
  | { readonly kind: 'menu'; readonly label: string; readonly items: readonly MenuItem[] };

const HOUR_MS = 3_600_000;
const PAUSE_HOURS = [1, 4];

/** Which laptop a file came from is not asked for a menu. */
const NO_SENDERS: Senders = new Map();

/**
 * Makes the menu of the icon for what is known of the daemon. `now`: milliseconds since the epoch.
 */
export function menuOf(known: Known, now: number): MenuItem[] {
  const top: MenuItem[] = [item(lineText(headline(known, now)), null)];
  const show: MenuItem = item(TEXT.menu.open, { do: 'show', pane: 'home' });
  if (known.kind !== 'running') {
    const start =
      known.kind === 'away'
        ? [item(TEXT.actions.start, { do: 'start' })]
        : known.kind === 'new'
          ? [item(TEXT.menu.setUp, { do: 'show', pane: 'home' })]
          : [];
    const why = whyAway(known).map((line) => item(line, null));
    return [...top, ...why, LINE, ...start, show, LINE, quit(false)];
  }
  const { status } = known;
  return [
    ...top,
    item(connectionText(known, now), null),
    ...needsItem(known),
    LINE,
    show,
    ...(status.folder === null ? [] : [item(TEXT.menu.openFolder, { do: 'open-folder' })]),
    recentMenu(status, now),
    LINE,
    ...pauseItems(status),
    item(TEXT.actions.syncNow, { do: 'command', name: 'scan', args: {} }),
    item(TEXT.menu.settings, { do: 'show', pane: 'settings' }),
    LINE,
    quit(false),
    quit(true),
  ];
}

/** What a person can choose in a menu, but for the recent files, as one text to compare: the rest are words. */
export function choicesOf(menu: readonly MenuItem[]): string {
  const chosen = (items: readonly MenuItem[]): unknown[] =>
    items.flatMap((each) => {
      if (each.kind === 'menu') return chosen(each.items);
      if (each.kind === 'line' || each.wish === null || each.wish.do === 'open-file') return [];
      return [each];
    });
  return JSON.stringify(chosen(menu));
}

/** What needs a person is where it is dealt with. */
function needsItem(known: Known): MenuItem[] {
  const attention = attentionOf(known);
  if (attention === 'none') return [];
  const pane = attention === 'conflict' ? 'conflicts' : 'home';
  return [item(TEXT.menu.needs(attentionText(known)), { do: 'show', pane })];
}

const LINE: MenuItem = { kind: 'line' };

const item = (label: string, wish: MenuAction | null): MenuItem => ({ kind: 'item', label, wish });

function quit(andStop: boolean): MenuItem {
  return item(andStop ? TEXT.menu.quitAll : TEXT.menu.quit, { do: 'quit', andStop });
}

function pauseItems({ paused }: StatusSnapshot): MenuItem[] {
  const { resume, pause, pauseHours, pauseNetwork, pauseOpen } = TEXT.actions;
  if (paused) return [item(resume, { do: 'command', name: 'resume', args: {} })];
  const wish = (args: object): MenuAction => ({ do: 'command', name: 'pause', args });
  return [
    {
      kind: 'menu',
      label: pause,
      items: [
        ...PAUSE_HOURS.map((n) => item(pauseHours(n), wish({ forMs: n * HOUR_MS }))),
        item(pauseNetwork, wish({ untilNetworkChanges: true })),
        item(pauseOpen, wish({})),
      ],
    },
  ];
}

function recentMenu(status: StatusSnapshot, now: number): MenuItem {
  const rows = recentRows(status, NO_SENDERS, now);
  const items = rows.map(({ name, what, path }) => {
    const wish: MenuAction | null = status.folder === null ? null : { do: 'open-file', path };
    return item(TEXT.menu.item(name, what), wish);
  });
  const none = item(TEXT.menu.noRecent, null);
  return { kind: 'menu', label: TEXT.menu.recent, items: items.length === 0 ? [none] : items };
}

/** The menu of the icon, as plain data: what it says, and what each item asks for. */
import type { PageCommand } from '../../../shared/control/commands.ts';
import type { RecentFile, StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { lineText, splitPath } from './format.ts';
import { headline, type Known } from './status-view.ts';
import { TEXT } from './text.ts';

export const PANES = ['activity', 'files', 'conflicts', 'problems', 'settings'] as const;
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

/**
 * Makes the menu of the icon for what is known of the daemon. `now`: milliseconds since the epoch.
 */
export function menuOf(known: Known, now: number): MenuItem[] {
  const top: MenuItem[] = [item(lineText(headline(known, now)), null), LINE];
  const show: MenuItem = item(TEXT.menu.open, { do: 'show', pane: 'activity' });
  if (known.kind !== 'running') {
    const start =
      known.kind === 'away'
        ? [item(TEXT.actions.start, { do: 'start' })]
        : known.kind === 'new'
          ? [item(TEXT.menu.setUp, { do: 'show', pane: 'activity' })]
          : [];
    return [...top, ...start, show, LINE, quit(false)];
  }
  const { status } = known;
  const { conflicts, folder } = status;
  return [
    ...top,
    show,
    ...(folder === null ? [] : [item(TEXT.menu.openFolder, { do: 'open-folder' })]),
    recentMenu(status),
    LINE,
    ...pauseItems(status),
    item(TEXT.actions.syncNow, { do: 'command', name: 'scan', args: {} }),
    item(TEXT.menu.limits, { do: 'show', pane: 'settings' }),
    item(TEXT.menu.conflicts(conflicts.length), { do: 'show', pane: 'conflicts' }),
    item(TEXT.menu.settings, { do: 'show', pane: 'settings' }),
    LINE,
    quit(true),
    quit(false),
  ];
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

function recentMenu({ recent = [], folder }: StatusSnapshot): MenuItem {
  const items = recent.map((file) => recentItem(file, folder !== null));
  const none = item(TEXT.menu.noRecent, null);
  return { kind: 'menu', label: TEXT.menu.recent, items: items.length === 0 ? [none] : items };
}

function recentItem({ path, how }: RecentFile, canOpen: boolean): MenuItem {
  const word = how === 'sent' ? TEXT.menu.sent : TEXT.menu.received;
  const label = `${lineText(splitPath(path).name)} (${word})`;
  return item(label, canOpen ? { do: 'open-file', path } : null);
}

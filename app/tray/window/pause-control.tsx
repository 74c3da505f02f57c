/** Pause, for how long, and resume. */
import type { JSX } from 'preact';
import { TEXT } from '../view/text.ts';
import type { PaneProps } from './pane-props.ts';
import { PopupMenu, type MenuEntry } from './popup-menu.tsx';
import { Glyph } from './sign.tsx';

const HOUR_MS = 3_600_000;
const LENGTHS: ReadonlyArray<readonly [string, object]> = [
  [TEXT.actions.pauseHours(1), { forMs: HOUR_MS }],
  [TEXT.actions.pauseHours(4), { forMs: 4 * HOUR_MS }],
  [TEXT.actions.pauseNetwork, { untilNetworkChanges: true }],
  [TEXT.actions.pauseOpen, {}],
];

/** Shows a button that asks for how long to pause, or while paused one that resumes. */
export function PauseControl({ api, status, tell }: PaneProps): JSX.Element {
  if (status.paused) {
    return (
      <button type="button" class="strong" onClick={() => void tell(api.command('resume'))}>
        {TEXT.actions.resume}
      </button>
    );
  }
  const entries = LENGTHS.map(([label, args]): MenuEntry => ({
    label,
    run: () => void tell(api.command('pause', args)),
  }));
  return (
    <PopupMenu label={TEXT.actions.pause} entries={entries}>
      {TEXT.actions.pause} <Glyph of="down" size={14} />
    </PopupMenu>
  );
}

/** Pause, for how long, and resume. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { Api } from '../view/api.ts';
import { TEXT } from '../view/text.ts';
import type { Tell } from './toast.tsx';

const HOUR_MS = 3_600_000;
const LENGTHS: Readonly<Record<string, { readonly label: string; readonly args: object }>> = {
  hour: { label: TEXT.actions.forHours(1), args: { forMs: HOUR_MS } },
  hours: { label: TEXT.actions.forHours(4), args: { forMs: 4 * HOUR_MS } },
  network: { label: TEXT.actions.pauseNetwork.toLowerCase(), args: { untilNetworkChanges: true } },
  open: { label: TEXT.actions.pauseOpen.toLowerCase(), args: {} },
};

interface PauseProps {
  readonly api: Api;
  readonly status: StatusSnapshot;
  readonly tell: Tell;
}

/** Shows a button that pauses for a chosen time, or while paused one that resumes. */
export function PauseControl({ api, status, tell }: PauseProps): JSX.Element {
  const [length, setLength] = useState('hour');
  if (status.paused) {
    return (
      <button type="button" class="strong" onClick={() => void tell(api.command('resume'))}>
        {TEXT.actions.resume}
      </button>
    );
  }
  const pause = (): void => void tell(api.command('pause', LENGTHS[length]?.args ?? {}));
  return (
    <div class="pause">
      <button type="button" onClick={pause}>
        {TEXT.actions.pause}
      </button>
      <select
        aria-label={TEXT.actions.pauseFor}
        value={length}
        onChange={(event) => setLength(event.currentTarget.value)}
      >
        {Object.entries(LENGTHS).map(([key, { label }]) => (
          <option key={key} value={key}>
            {label}
          </option>
        ))}
      </select>
    </div>
  );
}

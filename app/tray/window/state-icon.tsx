/** The state as a sign: as the icons of the tray. */
import type { JSX } from 'preact';
import type { DaemonState } from '../../../shared/model/daemon-state.ts';
import { STATE_SHAPES } from '../view/state-shapes.ts';

export function StateIcon({ state }: { readonly state: DaemonState }): JSX.Element {
  return (
    <svg
      class={`state state-${state}`}
      viewBox="0 0 24 24"
      width="40"
      height="40"
      aria-hidden="true"
    >
      <path d={STATE_SHAPES[state]} />
    </svg>
  );
}

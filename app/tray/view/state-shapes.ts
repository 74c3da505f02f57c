/**
 * The sign of each state, told apart by its shape and not by its colour alone: lines in a square of 24. The page and the icons of the
 * tray (build/icons.mjs) draw the same.
 */
import type { DaemonState } from '../../../shared/model/daemon-state.ts';

export const STATE_SHAPES: Readonly<Record<DaemonState, string>> = {
  // A tick.
  idle: 'M5 12.5l4.500 4.500L19 7.500',
  // A tick that is broken.
  incomplete: 'M5 12.5l4.500 4.500M12 14.500L19 7.500',
  // One arrow up, one down.
  syncing: 'M8 19V6M4.500 9.500L8 6l3.500 3.500M16 5v13M12.500 14.500L16 18l3.500-3.500',
  // A drop.
  trickling: 'M12 4c4 5 5.500 7.500 5.500 10a5.500 5.500 0 0 1-11 0C6.500 11.500 8 9 12 4z',
  // Two bars.
  paused: 'M8.500 5.500v13M15.500 5.500v13',
  // A plug that is out: a line with a gap, and a stroke through it.
  offline: 'M4 12h4M16 12h4M15 5L9 19',
  // One way that parts.
  conflict: 'M12 20v-7M12 13L6 5M12 13l6-8',
  // An exclamation mark.
  error: 'M12 5v9M12 18.500v.5',
};

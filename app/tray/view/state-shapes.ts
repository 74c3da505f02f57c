/**
 * The sign of each activity and of what needs a person, told apart by its shape and not by its colour alone: lines in a square of 24. The
 * page and the badges of the icon (build/icons.mjs) draw the same.
 */
import type { Activity, Attention } from './status-view.ts';

export const ACTIVITY_SHAPES: Readonly<Record<Activity, string>> = {
  // A tick.
  idle: 'M5 12.5l4.500 4.500L19 7.500',
  // Two of three lines: not all of it.
  partly: 'M6 9h12M6 15h5',
  // One arrow up, one down.
  syncing: 'M8 19V6M4.500 9.500L8 6l3.500 3.500M16 5v13M12.500 14.500L16 18l3.500-3.500',
  // The hands of a clock: it takes its time.
  slow: 'M12 5v7.500l5 3',
  // Two bars.
  paused: 'M8.500 5.500v13M15.500 5.500v13',
  // A stroke through.
  offline: 'M6 6l12 12M18 6L6 18',
};

export const ATTENTION_SHAPES: Readonly<Record<Exclude<Attention, 'none'>, string>> = {
  // One way that parts.
  conflict: 'M12 20v-7M12 13L6 5M12 13l6-8',
  // An exclamation mark.
  error: 'M12 5v9M12 18.500v.5',
};

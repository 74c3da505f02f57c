/** How a daemon is, in one word: of the snapshot, of the icon, of metrics. */

/** From best to worst; the worst that applies is shown. */
export const DAEMON_STATES = [
  'idle',
  // All is done that goes by itself; something stays unsynced, for a reason that lasts.
  'incomplete',
  'syncing',
  'trickling',
  'paused',
  'offline',
  'conflict',
  'error',
] as const;
export type DaemonState = (typeof DAEMON_STATES)[number];

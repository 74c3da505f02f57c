/** How large a plan may be: what a file may ask of the machine that replays it. */

/** Twice as many as the longest run that anybody asked for. */
export const MOST_ENTRIES = 200_000;
/** Names of laptops (app/lab/simulator/cluster/cluster.ts). */
export const MOST_LAPTOPS = 6;
/** Twelve days: a laptop may sleep for hours. */
export const LONGEST_MS = 1_000_000_000;
/** Times that programs give to files are of the calendar. */
export const LATEST_MS = 10_000_000_000_000;
export const MOST_CONTENT_BYTES = 16 * 1024 * 1024;
export const LONGEST_PATH = 1_000;
/** Of a file on disk: a plan of the most entries fits. */
export const MOST_FILE_BYTES = 64 * 1024 * 1024;

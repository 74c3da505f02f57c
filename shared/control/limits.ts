/** The limits of the control protocol, the same for the endpoint and its clients. */

/** A request body: the largest is a set of extended attributes, 64 values of 4 KB in base64. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** How long a status request is held at most: short enough that a vanished reader is soon forgotten. */
export const MAX_WAIT_MS = 30_000;

/** Connections of all programs together. A runaway program must not take all file descriptors of the daemon. */
export const MAX_CONNECTIONS = 256;

/** Handles of one connection: more than any program here needs, fewer than would fill the disk with private copies. */
export const MAX_HANDLES = 4096;

/** Requests other than for files that one client has under way at once; each has a connection of its own. */
export const MAX_LANES = 16;

/** Calls for files of one connection that are under way; the next are read when one of these has been answered. */
export const MAX_CALLS = 64;

/** A shorter `pause` is over before it is seen; a longer one is better asked for without an end. */
export const SHORTEST_PAUSE_MS = 1000;
export const LONGEST_PAUSE_MS = 30 * 24 * 3_600_000;

/** Entries of the queue, or of what is fetched, that can be asked for at once. */
export const MAX_QUEUE_ENTRIES = 20_000;

/** Entries of a folder in one reply: some megabytes, as for the queue. */
export const MAX_FOLDER_ENTRIES = 20_000;

/** Bytes that a person may bound the files on a laptop to: whoever asks for less has mistaken the unit, and would lose nearly all of them from it. */
export const LEAST_BOUND = 100_000_000;

/** What a search finds at most: more than a person reads. */
export const MAX_FOUND = 1000;

/** The longest writeback delay: what waits for longer than a day is better paused, or cancelled. */
export const LONGEST_DELAY_MS = 24 * 60 * 60 * 1000;

/** Bytes of a file that is fetched to show its beginning: longer ones are hardly text, and would take the line and the room of what is wanted. */
export const MAX_PREVIEW_FETCH = 1024 * 1024;

/** Bytes of a file that are shown to a person who is to choose between two versions: some thousand lines. */
export const MAX_PREVIEW_BYTES = 256 * 1024;

/** Acts that are listed for `undo` at once: who looks for an older one says since when. */
export const MOST_ACTS = 100;

/** The limits of traces: what a reader takes of a file that nobody vouches for, each with its reason. */

/** A line, in bytes: a path has 128 KiB at most, escaped; only a list of a file group is longer. */
export const MAX_LINE_BYTES = 1024 * 1024;

/** Code units of a path: Windows has no longer ones. */
export const MAX_PATH_LENGTH = 32_767;

/** Code units of a program's name. */
export const MAX_PROGRAM_LENGTH = 255;

/** Code units of a machine's name: as those of a domain. */
export const MAX_CLIENT_LENGTH = 255;

/** Different names, and files of one trace: some 200 bytes of memory each. */
export const MAX_TRACE_NAMES = 2_000_000;

/** Processes of one trace, and of these, alive at once: no machine for which this is made runs more. */
export const MAX_TRACE_PROCESSES = 1_000_000;
export const MAX_LIVE_PROCESSES = 4096;

/** Descriptors of all of them together. */
export const MAX_OPEN_DESCRIPTORS = 200_000;

/** File groups of a trace, and files in all of them. */
export const MAX_TRACE_GROUPS = 10_000;
export const MAX_GROUP_MEMBERS = 100_000;

/** Bad lines that are printed one by one; the rest is counted. */
export const MAX_BAD_LINES_KEPT = 5;

/** Accesses to larger files are dropped by default (MFS, section 3.5): 4 MB, of 1,048,576 bytes each. */
export const DEFAULT_MAX_FILE_BYTES = 4 * 1024 * 1024;

/** Every limit of the daemon in one place, with its reason. Wire limits are in shared/wire/limits.ts. */
import { milliseconds, minutes, seconds } from '../shared/model/time.ts';

/** Batches of metadata updates on their way at once: hides the round trip without hiding what fails. */
export const BATCHES_IN_FLIGHT = 4;

/** Messages that tell of hidden updates on their way at once: what is logged meanwhile goes in the next, and needs none if it was sent by then. */
export const ANNOUNCEMENTS_IN_FLIGHT = 4;

/**
 * Stores on their way at once: a queue of small files must not pay a round trip each. Short ones go together, MAX_STORES_TOGETHER in a message:
 * while the server does one, the next is put together.
 */
export const STORES_IN_FLIGHT = 128;

/**
 * What programs were answered for before it is synced: so much of rows in the file of records, and so many contents; and no more is as long as the
 * disk works at one sync for so long. Then answers wait for the disk, and what a loss of power can take stays a moment.
 */
export const MOST_RECORDED_BYTES = 4 * 1024 * 1024;
export const MOST_UNSYNCED = 256;
export const LONGEST_SYNC = seconds(1);

/** Content bytes on their way at once beyond the first store: more would only wait in the link. */
export const STORE_BYTES_IN_FLIGHT = 64 * 1024 * 1024;

/**
 * How long contents are to stand in the link at most before the first of them has arrived: much longer than a round trip and the server's commit, so that
 * the line is never without work, and short for a person. What is handed over ahead is as much as gives that, by halves and doubles: to begin
 * with a second of 256 KB/s; and a second of 64 KB/s at least, less than which would leave gaps between the times at which progress is told.
 */
export const STORE_WAIT = seconds(1);
export const STORE_WINDOW_FIRST = 256 * 1024;
export const STORE_WINDOW_LEAST = 64 * 1024;

/** A save up to this length of what others may have goes before others, and so do contents up to this length on their way into a folder: a second of 256 KB/s, so that none keeps another waiting for long. */
export const SMALL_SAVE = 256 * 1024;

/** Of new files no longer than that, so much goes before large ones on their way: some seconds of a slow line. Then no more than moves of those. */
export const NEW_AHEAD = 1024 * 1024;

/** What a new file counts for at least: each has a name, an answer and a commit. */
export const NEW_LEAST = 4 * 1024;

/** New files that go before others are handed to the link while less than this stands there before them: a save may come that goes first. */
export const NEW_AHEAD_STANDING = 64 * 1024;

/** Stores that a person wants at once, on their way beside those: a full line keeps none of them back. */
export const URGENT_IN_FLIGHT = 16;

/** A store with more contents than this before it on the line is told of as one that is not on its way: a second of a slow line. */
export const HEADER_BEHIND = 64 * 1024;

/** Of the disk, what contents that wait to be sent may take before writes wait: the rest is for files and for what is fetched. */
export const DIRTY_SHARE = 1 / 2;

/** Entries of the queue in one page: some hundred kilobytes, for which nobody else has to wait. */
export const QUEUE_PAGE = 1000;

/** A lock that was held when the connection ended is asked for again so long (AFS: 30 minutes); and lost locks that are listed, for a day. */
export const LOCK_KEPT = minutes(30);
export const LOST_LOCKS_KEPT = 20;
export const LOST_LOCKS_SHOWN = minutes(24 * 60);

/** Pictures of the queue that are kept for those who look through it in parts, and for how long after they were last used: more than that look at once nowhere. */
export const LISTINGS_KEPT = 4;
export const LISTING_KEPT = minutes(1);

/** For so long a picture of the queue is worked on before other events have their turn, and so many steps go between two looks at the clock. */
export const LISTING_SLICE = milliseconds(10);
export const LISTING_STEPS = 500;

/** Who watches a queue takes so small a part of the daemon's time at most: a hundredth, since a window watches two. */
export const QUEUE_REST_SHARE = 100;

/** How fast a queue is: what was so much busy time ago counts half, and before so much of it nothing is told. */
export const RATE_MEMORY = seconds(15);
export const RATE_LEAST = milliseconds(500);

/**
 * Statuses that are kept of volumes that no front end follows, with their names: some 50 MB. Beyond it, when there are so much more, those that were
 * not used lately are forgotten; so many are looked at in a step.
 */
export const MOST_STATUSES = 100_000;
export const FORGET_SLACK = 1 / 16;
export const FORGET_AT_ONCE = 1000;

/** What a call has used stays so long, for calls that need several. Where nothing could be forgotten, the next look is so much later. */
export const KEPT_AFTER_USE = seconds(30);
export const FORGET_AGAIN = seconds(1);

/** Fetches of contents on their way at once, for the same reason as stores. */
export const FETCHES_IN_FLIGHT = 32;

/** Of those, places for what a folder brings in and is short: what is long leaves them free. */
export const SHORT_IN_FLIGHT = 8;

/** Fetches that programs wait for, on their way beside those: what a folder brings in keeps none of them back. */
export const DEMANDED_IN_FLIGHT = 8;

/** Fids of one Validate beyond those asked for: the rest of the directory comes along. */
export const VALIDATE_ALONG = 255;

/** How long a call that needs the server waits for it to come back before it fails `not-connected`. */
export const NOT_CONNECTED_WAIT = seconds(5);

/** How long the end of the daemon waits for what a front end has asked for: the answer may be with a server that is gone. */
export const CLOSE_WAIT = seconds(3);

/** After a connection broke, or at the start, this long nobody is answered from an unpromised cache. */
export const AWAY_AFTER = milliseconds(1500);

/** Shared files that are remembered: more are in use by several people at a time nowhere. */
export const SHARED_KNOWN = 10_000;

/** Delay before the first new attempt to connect, doubled for each further one; half of it is jitter. */
export const RECONNECT_FIRST = milliseconds(250);
export const RECONNECT_MOST = seconds(30);

/** Where the server refused us for good, but may change its mind (updated, restored, paired anew). */
export const RECONNECT_REFUSED = minutes(1);

/**
 * After a session broke, for so long, an attempt that hears nothing is given up for another one after these times, in turn: the transport asks
 * again ever more rarely, and a line that is back should not wait for that. One in four leaves time for a slow line. Who was reading a file when
 * the line went waits as long.
 */
export const SEARCH_FOR = minutes(2);
export const SEARCH_WAITS = [seconds(1), seconds(1), seconds(1), seconds(3)] as const;
/** And the longest delay between attempts that fail by themselves: there may be no network at all for a while. */
export const SEARCH_MOST = seconds(1);

/** A connection that has not got through Hello by then is given up. */
export const HELLO_WAIT = seconds(20);

/** Share of the lease after which, with nothing else sent, GetTime keeps it alive. */
export const KEEP_ALIVE_SHARE = 1 / 3;

/**
 * Something is waited for and nothing was heard for this long: the server is asked for a sign of life. Longer than an answer that
 * waits for somebody else's store, mostly, so that little is asked for nothing.
 */
export const SILENCE_ASKED = seconds(5);

/** Without one for this long the connection is given up: twelve seconds in all. A queue of seconds in a router is no death. */
export const SILENCE_ENDED = seconds(7);

/** Who looks so late was asleep: a suspended machine has heard nothing, and that says nothing. */
export const SILENCE_LATE = seconds(2);

/** Delay before an RPC that failed for now is sent again, doubled each time. */
export const RETRY_FIRST = milliseconds(200);
export const RETRY_MOST = seconds(30);

/** Pause after a feed answer that brought neither commits nor a promise: a server that can't wait is not hammered. */
export const FEED_PAUSE = milliseconds(250);

/** An update that came back this often is put aside as blocked: something is wrong that renumbering does not heal. */
export const MOST_RENUMBERINGS = 8;

/** Names beside a taken one that a restored version tries before it gives up: each is a call to the server. */
export const MOST_NAMES_TRIED = 1000;

/** Of the free disk and the file cache together, what the cache takes at most beyond its minimum: as much is left to others. */
export const CACHE_SHARE = 1 / 2;

/** Of a disk, what is left free where nobody has said how much: enough for a system that logs, a trifle on a large disk. */
export const RESERVE_SHARE = 1 / 20;
export const RESERVE_MOST = 1024 * 1024 * 1024;

/** When the cache gives way it does so by this more, so that not each fetch looks for what is to go. */
export const EVICT_AHEAD = 1 / 64;

/** Uses of contents of which a crash may forget the order: a row for each open would be a transaction for each. */
export const USES_AHEAD = 64;

/** File groups that are looked at for what is worth having: more are in use on no laptop. */
export const MOST_LISTED = 256;

/** What may be prefetched of a group of which one file was opened: two files of a program, a dozen of a text. */
export const PREFETCH_PROBE = 128 * 1024;

/** Prefetched files of which it is remembered whether they were used; the older half counts half. */
export const TRUST_MEMORY = 64;

/** A group of which one file alone was opened is a guess: it is tried when nobody has waited for anything for so long. */
export const GUESS_REST = milliseconds(100);

/** Files of a group that were demanded in a row before their prefetch could have brought anything: then it is read through too fast. */
export const LATE_IN_A_ROW = 4;

/** A group that is read through too fast is looked at again when nobody has opened a file of it for so long. */
export const SCAN_REST = milliseconds(250);

/** Folders of which it is remembered where they are read: a walk has one on each level, and few programs read at a time. */
export const FOLDERS_READ = 16;

/** Opens in a row from which on the next file is read ahead: two come by chance, and to wait for the third costs one gap on the line. */
export const OPENS_IN_ROW = 3;

/** So many more it takes at most where guesses were wrong: one wrong file in fifteen is little, and a folder of photos is soon read ahead again. */
export const MOST_DOUBT = 12;

/** Next files that are looked at for one to read ahead: of the smallest, as many as a program opens in some round trips. */
export const READ_AHEAD_FILES = 16;

/** Folders, empty files and the like that are passed over on the way to them: each open looks. */
export const MOST_PASSED = 256;

/** Entries of a folder in which is read ahead: to put them in order takes some hundredths of a second, and is done again when the folder changes. */
export const MOST_ORDERED = 10_000;

/** Opens with a longer pause between them are two spells of work. */
export const SPELL_PAUSE = seconds(10);

/** Spells of work that are remembered, and files of one: a few megabytes at most. */
export const MOST_SPELLS = 100;
export const MOST_IN_SPELL = 500;

/** Files that make a group: two are found by a person as fast. */
export const LEAST_TOGETHER = 3;

/** What is pinned is looked at so long after others have changed something: a burst of changes is one look. */
export const PINS_REST = seconds(1);

/** Questions to the server to raise one fetch: the first may overtake the fetch. */
export const RAISE_TRIES = 3;

/** How often the daemon looks whether its data folder is there. */
export const DATA_LOOK = seconds(5);

/** How often somebody looks how much room the disk has. */
export const DISK_LOOK = seconds(5);

/** Files that one `godwit prefetch` or `godwit pin` of a folder asks for at a time. */
export const ASKED_AT_ONCE = 32;

/** Snapshots told to watchers: 4 a second. */
export const REVISION_INTERVAL = milliseconds(250);

/** Of the daemon's time, what snapshots for watchers may take: a tray that is left open all day must not be felt. */
export const WATCH_SHARE = 1 / 50;

/** Conflicts and errors shown at once: a status stays readable. */
export const MOST_SHOWN = 200;

/** Files told of as moved last: a menu with more is not read. */
export const MOST_RECENT = 10;

/** Files that are removed so shortly after each other are one burst. */
export const REMOVAL_GAP = seconds(30);

/** For how long the status tells of many files that were removed, here or elsewhere: a day and a night off. */
export const REMOVALS_SHOWN = minutes(48 * 60);

/** For how long the status tells of a laptop that has joined: a week off. */
export const JOINED_SHOWN = minutes(7 * 24 * 60);

/** So many bursts of other laptops are kept, the newest: more than a person looks at. */
export const MOST_OTHERS_REMOVALS = 10;

/** The paths of a burst that are known, to tell which of its files are there again: some megabytes. */
export const MOST_REMOVED_PATHS = 20_000;

/** And those of a burst that outlive the daemon: they are in one row, which is written anew with each file. */
export const MOST_KEPT_PATHS = 500;

/** A person is told of a burst of removals with so many files, or with more than a share of all and at least some. */
export const MANY_REMOVED = 100;
export const REMOVED_SHARE = 0.1;
export const SOME_REMOVED = 10;

/** Local copies being taken for a server that was put back from a backup. */
export const EPOCH_COPIES = 8;

/** File tasks (copy, hash, sync) running side by side: the thread pool has four. */
export const FILE_TASKS = 8;

/** Files that are synced as one group: each is open meanwhile, and nobody waits long behind others. */
export const MOST_SYNCED = 128;

/** Items of the past that one question of a person reads: a folder with a long history costs some megabytes, and no more. */
export const MAX_PAST_ITEMS = 100_000;

/** Folders that had a path one after the other and are gone, of which a question of a person reads the past: each costs a request a name. */
export const MOST_FOLDERS_BEFORE = 8;

/** Contents that are saved up to this length have no file of their own while they wait to be sent: they are what goes together on the line. */
export const SHORT_CONTENTS = 16 * 1024;

/** Bytes of short contents in a pack: it stays until the last of them has gone, and one that has to wait keeps no more than that. */
export const PACK_BYTES = 1024 * 1024;

/** What went with a folder: removals in it, by the same device, in this time before its own. Longer than any `rm -r` takes. */
export const REMOVAL_WINDOW = minutes(60);

/** A file made so shortly before it takes the place of another one is an editor's way to save, not a rename. */
export const SAFE_SAVE_WINDOW = minutes(1);

/** Files and folders that `restore` and `undo` look at or bring back at a time: each waits for the disk and the server, and one beside another costs no more. */
export const MOST_TAKEN_BACK_AT_ONCE = 32;

/** How long `godwit undo` waits for what this device did to be committed: only then is it known what that was. */
export const UNDO_FLUSH = seconds(30);

/** Contents from here on are told against the version before where both sides have it: below, a round trip costs more than they do. */
export const MIN_DELTA = 32 * 1024;

/** Streams from here on go on after a break where they stopped: below, sending them again costs less than asking. */
export const MIN_RESUME = 256 * 1024;

/** Deltas made, applied and joined side by side: each is bound by the disk or by a core. */
export const TRANSFER_WORK = 2;

/** Chunk lists still to be made of contents under way: beyond, a later edit of what was passed over goes whole. */
export const LISTS_WAITING = 1000;

/** Bytes of chunk lists kept, 16 for each chunk: they tell of 4 GB in files of 10 MB, and of some 200 GB in those of a gigabyte. */
export const CHUNK_LIST_BYTES = 128 * 1024 * 1024;

/** Streams of ours remembered as begun on this connection or an earlier one, so that the server is asked how far they got. */
export const STREAMS_BEGUN = 4096;

/** Parts of downloads that breaks left behind: number, bytes (the newest may have more alone), and age, as at the server (rule D3). */
export const PARTS_KEPT = 64;
export const PART_BYTES_KEPT = 4 * 1024 * 1024 * 1024;
export const PART_AGE = minutes(7 * 24 * 60);

/** What trickles moves in slices of this, or of so many seconds of its rate: each begins with a question to the server. */
export const TRICKLE_SLICE = 1024 * 1024;
export const TRICKLE_SLICE_SECONDS = 8;

/** Slices that what trickles may owe: a debt that an earlier, higher rate left is not paid for hours. */
export const MOST_DEBT_SLICES = 64;

/** Contents from here on are stopped in the middle, and go on where they were (MIN_RESUME); shorter ones would begin anew. */
export const LEAST_STOPPED = MIN_RESUME;

/** What was counted of a network's data and is not durable yet: so much may be forgotten by a crash. */
export const USED_STEP = 1024 * 1024;
export const USED_STEP_TIME = minutes(1);

/** Rules of networks that are kept: more than anybody writes, and few enough to be read in a list. */
export const MOST_NETWORK_RULES = 200;

/** Files and folders of snapshots that programs may name, some 500 bytes each; the oldest are forgotten, and can be looked up again. */
export const MOST_PAST_NODES = 65_536;

/** Folders of snapshots whose entries are remembered: a walk has one on each level, and nothing in them changes. */
export const MOST_PAST_LISTINGS = 32;

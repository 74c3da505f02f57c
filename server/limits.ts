/**
 * Every limit of the server in one place, with its reason.
 */
import { milliseconds, minutes, seconds } from '../shared/model/time.ts';

/** How long promises may be used after the last reply (rule P1): long enough for a phone's dead spot, short enough to wait for. */
export const LEASE = seconds(30);

/** A device that is there but acknowledges no break for this long is shut out: writers wait for it (rule P3). */
export const BREAK_PATIENCE = seconds(30);

/**
 * So long after a break was sent, a device that has not acknowledged it gets no answer before it does: each would renew its lease, and writers
 * wait for that. An acknowledgement takes a round trip and waits for nothing; who is slower has its answer with it.
 */
export const ANSWERED_BESIDE_BREAK = milliseconds(250);

/** A device for whose acknowledgement others waited in vain is promised nothing for this long, and each time in a row twice as long. */
export const PROMISE_PAUSE = seconds(600);
export const LONGEST_PAUSE = seconds(24 * 3600);

/** An acknowledgement that a writer has waited for longer than this counts as missed: a slow line takes less. */
export const LATE_ACKNOWLEDGEMENT = seconds(10);

/** Leases of a device may run out so often in a row under a break, without a connection, before that: a bad line does that. So may late acknowledgements. */
export const MISSED_BREAKS = 3;

/** A fetch of something dirty waits for the store this long (rule S4): longer, and people take it for a hang. */
export const FETCH_WAIT = seconds(5);

/** A reader waits no longer for who has not answered a question for this long: a slow line does it in less, and one that is cut never. */
export const QUIET_AFTER = milliseconds(1500);

/** While a reader waits, the one it waits for is asked again so often whether it is there. */
export const ASK_AGAIN = milliseconds(500);

/** Fetches that wait, in total: each holds a stream open. More are answered at once, with what there is. */
export const MAX_WAITING_FETCHES = 4096;

/** Two devices that use a file within this time share it (share/share-monitor.ts): a laptop by day and another in the evening do. */
export const SHARE_PERIOD = seconds(24 * 3600);

/** Vnodes and volumes whose use is watched: about 150 bytes each. */
export const MAX_WATCHED = 65_536;

/** `Changes` with `wait` is held this long: shorter than the lease, so that its reply renews it. */
export const POLL_WAIT = seconds(25);

/** A connection must say Hello within this time: an unknown peer gets no more of us than that. */
export const HELLO_WAIT = seconds(10);

/**
 * What a connection gets before its Hello (shared/ports/transport.ts, contract 9).
 *
 * Calls: a Hello that is refused may be said again, and a daemon sends nothing else. Connections: each costs some 50 KB in the transport, so
 * all of them 25 MB. Of one address, and begun at once: a house or an office behind one address comes back together when its server does, and a
 * device that is known costs its address nothing. A second: a handshake takes a millisecond of a core, so one address gets a thirtieth of one.
 */
export const STRANGERS = {
  maxCalls: 4,
  most: 512,
  mostOfAddress: 128,
  atOnce: 256,
  perSecond: 32,
};

/** Calls of one connection before its Hello has succeeded: more than a daemon makes, which leaves after the first refusal. */
export const MAX_STRANGER_CALLS = 16;

/**
 * Messages of one connection that no schema has room for, of requests that this version knows: a daemon sends none, whatever its version. Each may
 * be as long as a header may be, so who goes on sending them is cut off.
 */
export const MAX_MALFORMED = 16;

/** A log tells so often at most of one device that it leaves its answers unread. */
export const UNREAD_LOG_SPACING = seconds(600);

/** Connections at a time, strangers the first to go; each costs memory and streams in the transport. */
export const MAX_CONNECTIONS = 4096;

/** Calls one connection has open; a daemon of ours stays far below. */
export const MAX_OPEN_CALLS = 1024;

/** Updates of one device received and not answered; a few batches and every store of its window. */
export const MAX_DEVICE_UPDATES = 8192;

/**
 * A store that is sent again while its contents are here already is refused for now if it is longer: about what leaves anyway before the
 * refusal is there.
 */
export const MAX_SENT_AGAIN_BYTES = 256 * 1024;

/** Messages with short files that are taken apart at a time: each has its contents in memory until they are put away, 4 MB in all. */
export const MAX_TAKEN_APART = 16;

/**
 * So long after the first of stores that came together has its answer, the device hears of those that have one: others may wait for a laptop
 * that does not answer.
 */
export const TOGETHER_PATIENCE = milliseconds(100);

/** Vnodes of which one device has updates hidden (rule S2): a week of work offline. Each is a row, and what is beyond is told of when it comes. */
export const MAX_DEVICE_MARKS = 16_384;

/** Messages about them that are here before an earlier one is: that one then counts for nothing, and its device tells everything again. */
export const ANNOUNCEMENTS_AHEAD = 1024;

/** Updates of one device that wait for others (rule W4). Less than the ones received, so that those it waits for get in. */
export const MAX_DEVICE_WAITING = 4096;

/** The same over all devices: bounds memory at about 1 KB each. */
export const MAX_WAITING_UPDATES = 65_536;

/**
 * Blocks of vnode numbers in one volume of which a device has made nothing yet: more are refused. A daemon has two or three; more only where it has
 * made files by the hundred thousand offline, and what it sends of those frees it again.
 */
export const MAX_UNUSED_BLOCKS = 64;

/** Promises of one device, and of all: above it the oldest of the device with the most are taken back. Bounds memory at about 100 bytes each. */
export const MAX_DEVICE_PROMISES = 500_000;
export const MAX_PROMISES = 4_000_000;

/** Previous instances of one device's daemon that may hold a lease; its Hello has to wait where there are more. A laptop that crashes again and again stays below. */
export const MAX_PREVIOUS_INSTANCES = 16;

/** Names of one vnode: all of them travel in one item of a snapshot. */
export const MAX_LINKS = 1000;

/** Directories above one. A path of Linux (4096 bytes) names half as many, so no folder holds more. */
export const MAX_DEPTH = 4096;

/** By so much the bound for the depth of a volume must have been raised by moves before the volume is measured again: that reads all its names. */
export const MEASURE_AGAIN = 1024;

/** Names that are looked at to measure a directory which is moved, where a volume has deep ones: some 100 ms. A larger one is taken for too deep then. */
export const MOST_MEASURED = 100_000;

/** Rounds of "more rows, please": three do, and a rename below directories that are just moving may take a few more. */
export const MAX_ROUNDS = 8;

/** Rows of a group commit at which it no longer waits for others. */
export const MAX_GROUP_WRITES = 20_000;

/**
 * A group commit holds rows that take so long to write, by how long those before took: the thread stands still meanwhile, and what a small save waits
 * for is the group before its own. Who has added to one that is full waits for the next; a sync costs about as much.
 */
export const GROUP_TIME = milliseconds(3);

/** Rows that one holds however long they take: a few updates of everybody. */
export const LEAST_GROUP_WRITES = 32;

/** The same where several devices have added rows lately: half of the time that a save takes alone, for it waits for two groups. */
export const SHARED_GROUP_TIME = milliseconds(0.5);

/** A device that has added less than this part of the rows lately waits for no rest between two groups. */
export const SMALL_SHARE = 0.25;

/** Rows that a device has added lately, from which on it leaves time between its groups for those that add little: some hundred updates a second. */
export const HEAVY_ROWS = 512;

/** So many times as long as its group took: the group of another device then finds one of its groups under way in a quarter of the cases. */
export const HEAVY_REST = 3;

/** The thread sleeps for so long between deciding such a device's updates and writing them: timers know no less. */
export const HEAVY_PAUSE = milliseconds(1);

/** But no longer than this: where the disk is slow, bulk has to go on beside saves, and a save waits for the disk anyhow. */
export const MOST_HEAVY_REST = milliseconds(20);

/** How long "lately" is: what was added counts half after this. */
export const ADDED_LATELY = milliseconds(500);

/** Who has asked something urgent within this time is likely to ask again: others with much work leave time between its pieces. */
export const ASKED_LATELY = seconds(1);

/** A message up to this length is decoded at one go: some 30 updates. */
export const DECODED_AT_ONCE = 4 * 1024;

/** Of one connection so much may wait to be decoded in parts; what comes beyond that is decoded at once. */
export const MOST_BYTES_DECODING = 4 * 1024 * 1024;

/** Updates of one message that are decided at one go. Others have their turn, then it goes on. */
export const UPDATES_AT_ONCE = 16;

/** The same where work has turns of the event loop: less than half a millisecond, and their rows take another half to be written. */
export const UPDATES_IN_TURN = 8;

/** Rows are looked up for so long at one go, by what those of the kind took before: who asks for little waits for one such part of who asks for much. */
export const PART_TIME = milliseconds(0.2);

/** Rows that are looked up at one go, however little they take. */
export const LOAD_PART = 64;

/** Rows are loaded, and answers made of them, for so long before the event loop goes on to what came in meanwhile. */
export const LOADING_MOMENT = milliseconds(0.1);

/** What a turn of a device is worth, of the time that its loads and answers take; and what it may owe, so that it waits for no more than a moment. */
export const LOAD_TURN = milliseconds(0.25);
export const MOST_LOAD_DEBT = milliseconds(64);

/**
 * Group commits begin this far apart at least: the first of a burst goes at once, the rest shares the next one. Each costs a
 * sync of the disk, and the thread stands still meanwhile.
 */
export const COMMIT_SPACING = milliseconds(2);

/** A commit that took long is followed by a rest as long, but no longer than this: its sync goes on beside, and what came meanwhile is the next group. */
export const MOST_COMMIT_REST = milliseconds(5);

/** Bytes of a page of a listing: below the limit of a message with room for its frame. */
export const PAGE_BYTES = 512 * 1024;

/** How often the server looks whether an administrator changed something: revoking takes less than a second. */
export const ACCESS_POLL = milliseconds(500);

/** How long a removed volume stays at least, whatever the retention: a running server hears of the removal and ends what it has decided there. */
export const LEAST_REMOVED = minutes(10);

/** How long a server that closes waits for its breaks to be acknowledged, so that the next start need not wait. */
export const CLOSING_WAIT = seconds(2);

/** Breaks that a server which closes sends to one device; one that holds more promises is waited for at the next start. */
export const MAX_CLOSING_BREAKS = 4096;

/** Contents up to this length lie in packs: a file of its own costs two syncs and a name, which larger ones hide behind their bytes. */
export const SMALL_CONTENT = 64 * 1024;

/** A pack that is longer gets no more: collecting needs room on the disk for its copy. */
export const PACK_BYTES = 64 * 1024 * 1024;

/** Room on the disk that is kept for metadata and collection: some hundred thousand removals. */
export const RESERVE_BYTES = 16 * 1024 * 1024;

/** On small disks it is this part of them. */
export const RESERVE_SHARE = 32;

/** With so many times its size free it is made (again); with less than this part of it, given up before somebody meets the end. */
export const RESERVE_MADE_AT = 3;
export const RESERVE_GIVEN_AT = 0.25;

/** With less free, or less than this part of the disk, the server collects at once. */
export const LOW_DISK_BYTES = 1024 * 1024 * 1024;
export const LOW_DISK_SHARE = 0.05;

/** How often the server looks at its disk, and whether an administrator asks for a collection: a disk fills at some 100 MB a second. */
export const HOUSE_POLL = seconds(1);

/** A collection that nobody asked for begins so long after the one before, however short the disk is: it reads all metadata. */
export const COLLECTION_SPACING = seconds(600);

/** ... and so long after, where the disk is not short. */
export const COLLECTION_PERIOD = seconds(24 * 3600);

/** How long a pack that was written anew stays for who was just about to open it. */
export const READERS_WAIT = seconds(1);

/** Bytes of one write to a pack: some 10 ms of a plain disk, and nobody waits behind more. */
export const MAX_GROUP_BYTES = 4 * 1024 * 1024;

/** Small contents that are put at a time, the others wait: bounds memory at 16 MB, and more would not fit a write. */
export const MAX_SMALL_PUTS = 256;

/**
 * Room that a device is granted ahead in a volume with a quota: this part of what is free, so that many devices find some; not less than
 * one file of some size needs, and not more than a device writes between two answers.
 */
export const GRANT_SHARE = 64;
export const LEAST_GRANT = 1024 * 1024;
export const LARGEST_GRANT = 256 * 1024 * 1024;

/** Contents up to this length may go along with the answer to who follows a volume: as long as a small save of a daemon. */
export const MOST_BROUGHT = 64 * 1024;

/** Contents that came whole and may go along: those who follow ask within a moment. */
export const WHOLE_KNOWN = 256;

/** Contents that are shorter come whole, and nothing is said about how: a question and a delta cost more than they save. */
export const TOLD_FROM = 32 * 1024;

/** What comes of a delta is at most so many times what it is made of: a small message must not fill the disk. */
export const MAX_DELTA_GROWTH = 8;

/** Deltas that are made or applied at a time: each reads two contents, and the disk has other work. */
export const MAX_DELTA_WORK = 2;

/** Deltas that wait to be made. More are not: contents that come whole at once are here sooner. */
export const MAX_WAITING_DELTAS = 64;

/** The same for one device, so that it can't take the turn of others. */
export const MAX_DEVICE_WAITING_DELTAS = 16;

/** Bytes of deltas that were made and are kept for the next who asks, or for the rest of one: a break is over in minutes. */
export const KEPT_DELTA_BYTES = 256 * 1024 * 1024;

/** The same, in number: small ones cost a name on the disk. What is not worth a delta is remembered here too. */
export const KEPT_DELTAS = 512;

/** Chunk lists in memory: each is a five-hundredth of its contents or less. */
export const CHUNK_LIST_BYTES = 16 * 1024 * 1024;

/** How long the begun part of an upload is kept (rule D3). */
export const PART_LIFETIME = seconds(7 * 24 * 3600);

/** Begun parts of one device: its window of stores, cut a few times. */
export const MAX_DEVICE_PARTS = 64;

/** The same over all devices: each is a file, and a name that is read at the start. */
export const MAX_PARTS = 4096;

/** Bytes of the begun parts of one device: a disk image that took a day to send is worth it. */
export const MAX_DEVICE_PART_BYTES = 32 * 1024 * 1024 * 1024;

/** The same over all devices. A disk that is full before that gets all of them. */
export const MAX_PART_BYTES = 128 * 1024 * 1024 * 1024;

/** Commits of each volume that are read again at a start after an end that was not in order: the newest may be damaged by it, and they take 0.2 s. */
export const SEALS_AT_START = 5000;

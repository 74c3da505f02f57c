/**
 * Every limit of the wire in one place, with its reason. Both sides check them: the sender so as not to be
 * refused, the receiver because a peer may be hostile.
 */
import { MAX_VOLUMES_SEEN } from '../model/access-list.ts';

/** A header message. A batch of updates or a page of a listing fits well; the bulk window counts it above 4 KB. */
export const MAX_HEADER_BYTES = 1024 * 1024;

/**
 * A Hello: all that anybody may send before it is known. It has room for the heads of all volumes that a device may see, with numbers of the
 * usual size (daemon/core/session/hello.ts leaves some out where it has not).
 */
export const MAX_HELLO_BYTES = 8 * 1024;

/** Updates of one batch: small enough for one to fit a few round trips at 64 KB/s. */
export const MAX_BATCH_UPDATES = 256;

/** Encoded bytes at which a sender closes a batch. */
export const BATCH_TARGET_BYTES = 64 * 1024;

/**
 * Stores that go together in one message, the longest of their contents, and the bytes of all: a header of some 16 KB. Longer contents hide what a
 * message of their own costs.
 */
export const MAX_STORES_TOGETHER = 64;
export const MAX_STORE_TOGETHER = 16 * 1024;
export const MAX_BYTES_TOGETHER = 256 * 1024;

/** Sequence numbers that one update may name as dependencies; a sender with more waits for some to commit. */
export const MAX_DEPENDENCIES = 64;

/** Fids of one Validate, FetchStatus or GiveUp. */
export const MAX_FIDS = 256;

/** Names of one Lookup: deeper paths are rare, and take another round trip. With their statuses they fit a message. */
export const MAX_LOOKUP_NAMES = 64;

/** Entries of a page of a directory. */
export const MAX_PAGE_ENTRIES = 1000;

/** Commits of a page of the change feed, and vnodes of a page of a snapshot. */
export const MAX_PAGE_COMMITS = 500;

/** Breaks of one message. */
export const MAX_BREAKS = 256;

/** Hidden updates that one ForwardInvalidate announces, and as many that it takes back: small beside a batch. */
export const MAX_MARKS = 256;

/** User extended attributes of a vnode, and bytes of one value. Their total must stay under a header. */
export const MAX_XATTRS = 64;
export const MAX_XATTR_NAME_BYTES = 255;
/** Linux keeps 255 with the `user.` before it: a longer one could be put in no folder, so none is made. Older programs have made some. */
export const MOST_XATTR_NAME_MADE = 250;
export const MAX_XATTR_VALUE_BYTES = 4096;

/** A file: what fits a double exactly, and far above any disk. */
export const MAX_FILE_BYTES = 2 ** 48;

/** Names of devices, users and volumes. */
export const MAX_LABEL_BYTES = 64;

/** Devices of one person that are told at once: more than anybody looks through. */
export const MAX_DEVICES_TOLD = 100;

/** Vnode numbers of a block, and blocks a client may ask for at once (rule I3). */
export const VNODE_BLOCK = 65_536;
export const MAX_BLOCKS = 4;

/** Epochs before the present one that a device tells: a server is not put back from a backup every day. */
export const MAX_EPOCHS = 16;

/** Volumes one device sees. */
export const MAX_VOLUMES = MAX_VOLUMES_SEEN;

/** Streams that one message asks about or names as begun. */
export const MAX_BEGUN = 16;

/** A text meant for people in an error reply. */
export const MAX_DETAIL_BYTES = 300;

/** Files and folders of a volume that have an order about sharing: people name a few folders, and all fit one message. */
export const MAX_SHARING_ORDERS = 1000;

/** Locks of a volume, and of one device in it: people lock a few files, and all fit one message. */
export const MAX_LOCKS = 1000;
export const MAX_DEVICE_LOCKS = 100;

/** Of those who have a file locked, as many are named to who is refused: the first of them is reason enough. */
export const MAX_HOLDERS_TOLD = 8;

/**
 * Every coded error of the product: what one program tells another or a person. A code is never reused.
 * `docs/reference/errors.md` documents each one; a test holds the two against each other.
 */
import { ACCESS_ERRORS } from './access-errors.ts';
import { DESKTOP_ERRORS } from './desktop-errors.ts';
import { BRING_BACK, entry, type ErrorEntry } from './error-entry.ts';
import { DUMP_ERRORS } from './dump-errors.ts';
import { LOCK_ERRORS } from './lock-errors.ts';
import { MOUNT_ERRORS } from './mount-errors.ts';

export const ERROR_CODES = {
  'bad-message': entry(
    'permanent',
    'the other side sent a message that is not one of the protocol',
    'update the older of the two programs; if both are new, report it with `godwit log`',
  ),
  'protocol-version': entry(
    'permanent',
    'the two programs have no protocol version in common',
    'update the older of the two',
  ),
  'server-too-old': entry(
    'permanent',
    'the server is older than this program, and can not do that yet',
    'update the server',
  ),
  'not-paired': entry(
    'permanent',
    'the server does not know this device',
    'ask for an invitation and run `godwit up --invite URL`',
  ),
  'device-revoked': entry(
    'permanent',
    'the server no longer admits this device',
    'ask for a new invitation, and start with a new --data folder',
  ),
  'invitation-unknown': entry(
    'permanent',
    'the server does not know this invitation, or it was altered',
    'copy it again in full, or ask for a new one',
  ),
  'invitation-used': entry(
    'permanent',
    'this invitation was used by another device',
    'ask for a new one, since each is for one device: `godwit server invite` on the server makes it',
  ),
  'invitation-expired': entry(
    'permanent',
    'this invitation has expired',
    'ask for a new one: `godwit server invite` on the server makes it',
  ),
  'invitation-malformed': entry(
    'permanent',
    'this is not an invitation, or a part of it is missing or altered',
    'copy it again in full: it begins with godwit://',
  ),
  'already-paired': entry(
    'permanent',
    'this data folder is paired already',
    'leave --invite out, or use another --data folder for another server',
  ),
  'incarnation-reused': entry(
    'permanent',
    'another copy of this data folder has been in use since',
    'keep one of the two; on the other run `godwit down`, then `godwit up --invite URL` with a new invitation',
  ),
  'epoch-changed': entry(
    'permanent',
    'the server has another history than the one this device knows (it was replaced)',
    'start with a new --data folder and a new invitation; local files stay where they are',
  ),
  'server-behind': entry(
    'permanent',
    'the server has lost commits that this device knows: it was put back from a backup',
    'the administrator stops the server and runs `godwit server restore`; nothing here is lost meanwhile',
  ),
  'wrong-fingerprint': entry(
    'permanent',
    'the server at this address is not the one that was paired with',
    'check the address (`godwit config server HOST:PORT`); if the server was set up anew, ask for a new invitation',
  ),
  'server-unreachable': entry(
    'transient',
    'the server does not answer (it is off, the address is wrong, or UDP is blocked on this network)',
    'check the address and that UDP gets through; work goes on offline and is sent later',
  ),
  'not-connected': entry(
    'transient',
    'the server is away and this is not in the cache',
    'try again when the connection is back',
  ),
  'hello-first': entry(
    'permanent',
    'a request came before the two programs had introduced themselves',
    'report it with `godwit log`',
  ),
  'try-again': entry(
    'transient',
    'the other side has too much to do',
    'wait: it is tried again by itself',
  ),
  'no-right': entry(
    'permanent',
    'this device may not do that in this volume',
    'ask the owner of the volume for the right',
  ),
  'no-such-volume': entry(
    'permanent',
    'there is no such volume',
    'see `godwit status` for those there are',
  ),
  'volume-removed': entry('permanent', 'the volume was removed on the server', BRING_BACK),
  'no-such-vnode': entry(
    'permanent',
    'the file or folder is gone',
    'look elsewhere: it was removed',
  ),
  'no-contents': entry(
    'transient',
    'the contents have not reached the server yet',
    'wait until the device that made it is done',
  ),
  'version-gone': entry('permanent', 'that version is not kept any more', 'use a newer version'),
  'changed-since': entry(
    'permanent',
    'another device has changed it since, so it is not taken back',
    'see `godwit versions PATH`, and `godwit restore` what you want of it',
  ),
  'history-gone': entry(
    'permanent',
    'the changes since then are not kept any more',
    'wait: the whole state is fetched instead',
  ),
  'damaged-contents': entry(
    'permanent',
    'the contents on the server do not match their digest',
    'restore the file from a device that has it, or from a backup',
  ),
  'unknown-base': entry(
    'transient',
    'the contents that others were told against are not here',
    'wait: they are sent whole',
  ),
  'damaged-delta': entry(
    'transient',
    'what was sent instead of contents does not make them',
    'wait: they are sent whole',
  ),
  'length-mismatch': entry(
    'permanent',
    'the contents that arrived are not the ones announced',
    'wait: they are sent again',
  ),
  'server-full': entry(
    'transient',
    "the server's disk is full",
    'free space on the server; everything waits in the queue meanwhile',
  ),
  'over-quota': entry(
    'transient',
    'the volume is full: its quota does not allow that much more',
    'remove something in it, or ask for more (on the server: `godwit server quota VOLUME SIZE`); it is tried again by itself',
  ),
  'device-name-taken': entry(
    'permanent',
    'another laptop of this user is called so',
    'choose another name',
  ),
  'too-many-orders': entry(
    'permanent',
    'too many files and folders of the volume have an order about sharing',
    'give some back to the monitor (`godwit sharing PATH auto`), or order a folder with what is in it',
  ),
  'newer-elsewhere': entry(
    'transient',
    'another device has a newer version, and can not be reached',
    'try again when it is back, or take the last committed version: `godwit config reader.away committed`',
  ),
  'server-closing': entry('transient', 'the server is closing down', 'wait: it is tried again'),
  internal: entry('transient', 'something failed that should not', 'report it with `godwit log`'),
  // What the local programs say to people.
  usage: entry('permanent', 'the command is not one of ours', 'see `godwit help`'),
  'not-running': entry(
    'transient',
    'no daemon runs on this data folder',
    'start it with `godwit up` (see `godwit help up`)',
  ),
  'already-running': entry(
    'permanent',
    'a daemon or a server runs on this data folder already',
    'use that one, or end it: a daemon with `godwit down`, a server where it runs',
  ),
  'upkeep-running': entry(
    'transient',
    'the data folder of the server is just being backed up, collected or repaired',
    'run it again when that has ended',
  ),
  'bad-trace': entry(
    'permanent',
    'this is not a trace of file accesses, or a line of it is none',
    'mend the file, or leave such lines out with --skip-bad; `godwit help trace` lists the formats',
  ),
  'no-laboratory': entry('permanent', 'the laboratory is not installed', 'install godwit-lab'),
  'not-a-backup': entry(
    'permanent',
    'the folder is no backup of a server',
    'name one that `godwit server backup` made; a new backup begins in an empty folder',
  ),
  'other-backup': entry(
    'permanent',
    'the folder has the backup of another server, or of another history of it',
    'keep it, and begin a new backup in an empty folder',
  ),
  'damaged-backup': entry(
    'permanent',
    'a part of the backup is missing or damaged',
    'use another backup, or restore what is there: --force',
  ),
  'data-there': entry(
    'permanent',
    'the folder has data already',
    'restore into an empty folder, or have what is there moved aside: --replace',
  ),
  'not-yours': entry(
    'permanent',
    'the control socket belongs to another user',
    'run the command as the user who started the daemon',
  ),
  'port-in-use': entry(
    'permanent',
    'the address to listen on is in use',
    'choose another with --listen HOST:PORT (metrics: --metrics PORT), or end the program that has it',
  ),
  'bad-address': entry(
    'permanent',
    'the address is none of this machine, or no address at all',
    'give it as HOST:PORT',
  ),
  'newer-database': entry(
    'fatal',
    'the database was written by a newer version of Godwit',
    'update Godwit; nothing was changed',
  ),
  'damaged-database': entry(
    'fatal',
    'the database can not be read, or rows of it are not as they were written',
    'restore the data folder from a backup, or start with a new one; of a server, `godwit server check --repair` takes altered rows as they are, and says which',
  ),
  'folder-unusable': entry(
    'permanent',
    'the folder can not be used',
    'choose a folder that you can read and write',
  ),
  'folder-taken': entry(
    'permanent',
    'another daemon keeps this folder in sync',
    'end that one first (`godwit down --data DIR`), or choose another folder',
  ),
  'no-home': entry(
    'permanent',
    'this user has no home folder, and so no default folder for data',
    'set HOME to a whole path, or name the folder, such as --data DIR',
  ),
  'in-the-way': entry(
    'permanent',
    'something of another kind lies where a file or folder of Godwit is to be',
    'move it away, or choose another folder',
  ),
  'no-server': entry(
    'permanent',
    'no server was started in this folder yet',
    'name the data folder of one with --data, or start one there: `godwit server --data DIR`',
  ),
  'folder-nested': entry(
    'permanent',
    'the folder lies inside another synced folder, or around one',
    'choose a folder outside of it',
  ),
  'other-file-system': entry(
    'permanent',
    'the new place of the folder is on another file system',
    'end the daemon (`godwit down`), move the folder there yourself, and say `godwit up --folder DIR`',
  ),
  'folder-moved': entry(
    'permanent',
    'the synced folder is not where it was, or was replaced',
    'put it back, or say where it is: `godwit config folder DIR`; nothing is deleted elsewhere because of it',
  ),
  'disk-failing': entry(
    'transient',
    'the disk can not read or write something',
    'look at the disk and its log; what is elsewhere on it goes on, and this is tried again',
  ),
  'damaged-rows': entry(
    'permanent',
    'a part of what this device keeps in its own databases was damaged on the disk',
    'nothing was sent of it, and no file was touched: look whether the disk or the memory of this machine fails, and what `godwit doctor` says was set aside',
  ),
  'save-lost': entry(
    'permanent',
    'the machine lost power before the disk had all of a save, and it is gone',
    'look at the file, which is as it was before, and save it again',
  ),
  'disk-full': entry('transient', 'the disk is full', 'free some space; nothing is lost meanwhile'),
  'place-taken': entry(
    'transient',
    'something here that is not synced is in the place of what came from another device',
    'move it away, or remove it if nobody needs it: what belongs there then comes by itself',
  ),
  'file-unreadable': entry(
    'transient',
    'a file or folder can not be read',
    'give yourself the right to read it; everything else goes on',
  ),
  'name-unusable': entry(
    'permanent',
    'a name can not be synced',
    'rename it: names are valid UTF-8 of 255 bytes at most, and such that each disk takes them',
  ),
  'name-refused': entry(
    'permanent',
    'the disk of the folder can not have this name',
    'rename it on a device that has it, if you need it here; the volume and other devices have it',
  ),
  'disk-lacks': entry(
    'permanent',
    'the disk of the folder has nothing to keep this with',
    'the volume and other devices have it; if you need it here, move the folder to a disk that can (ext4, xfs, btrfs)',
  ),
  'disk-limits': entry('permanent', 'the disk keeps less than the volume', 'all is kept elsewhere'),
  'special-file': entry(
    'permanent',
    'a pipe, socket or device is not synced',
    'everything else goes on; name it in `.godwitignore`, and it is not mentioned',
  ),
  'placeholder-copied': entry(
    'permanent',
    'this is a copy of a placeholder: there is nothing in it, and it is not synced',
    'remove it, and copy the file itself after `godwit prefetch` of it',
  ),
  'ignore-pattern': entry(
    'permanent',
    'a pattern of `.godwitignore` does not count: it has too many stars',
    'write it with at most three stars between two slashes and six in all',
  ),
  'ignore-file': entry(
    'permanent',
    'a `.godwitignore` can not be read, and does not count',
    'make it a file of 256 KiB at most that you can read; what it names is synced meanwhile',
  ),
  'not-found': entry(
    'permanent',
    'there is no such file or folder',
    'check the name; `godwit ls` lists what a volume has',
  ),
  exists: entry(
    'permanent',
    'there is a file or folder of that name already',
    'choose another name',
  ),
  'not-a-directory': entry(
    'permanent',
    'that is not a folder',
    'check the path; `godwit ls` lists what a volume has',
  ),
  'is-a-directory': entry('permanent', 'that is a folder', 'name a file'),
  'not-empty': entry('permanent', 'the folder is not empty', 'remove what is in it first'),
  'bad-name': entry('permanent', 'that is not a possible name', 'choose another name'),
  'bad-attribute': entry(
    'permanent',
    'a file or folder can not have that attribute',
    'give one that fits: at most 64 extended attributes of 4 KB, a link target of 4095 bytes',
  ),
  'bad-handle': entry('permanent', 'the file is not open', 'open it first'),
  cycle: entry('permanent', 'a folder can not be moved into itself', 'choose another place'),
  'needs-newer': entry(
    'transient',
    'this version can not do it',
    'try again with a version that has what is named',
  ),
  'timed-out': entry('transient', 'the time given was not enough', 'try again, or give more time'),
  'removals-held': entry(
    'transient',
    'many files are missing from the folder; nothing is removed elsewhere yet',
    '`godwit confirm` if they are meant to be gone, `godwit reject` to have them back',
  ),
  'attributes-left': entry(
    'permanent',
    'a time or extended attributes of a file can not be synced as they are; the file itself is',
    'they stay as they are here; times from 1677 to 2262 and 64 attributes of up to 4,096 bytes are synced',
  ),
  'rights-dropped': entry(
    'permanent',
    'a change from another device took rights or an owner from a file here',
    'look at the change, then give it what it needs again with chmod, setcap, chgrp or setfacl',
  ),
  'disk-away': entry(
    'transient',
    'a disk that is a part of the folder is not there',
    'mount it again, or unmount what covers it: what is in it is held, removed nowhere, and goes on by itself; if it is gone for good, `godwit confirm` removes it everywhere, and `godwit reject` brings it back without the disk',
  ),
  'changes-missed': entry(
    'transient',
    'so much changed at once that some of it was not told: everything is looked at',
    'wait: it goes by itself when everything was looked at',
  ),
  'not-watched': entry(
    'transient',
    'some folders can not be watched, and are looked at from time to time',
    'raise the limit: `sudo sysctl fs.inotify.max_user_watches=1048576 fs.inotify.max_user_instances=1024`; it is tried again by itself',
  ),
  'looked-at': entry(
    'transient',
    'a disk of a network does not tell what others change there, and is looked at from time to time',
    'it is found by itself; `godwit flush` looks at once',
  ),
  'sync-blocked': entry(
    'transient',
    'something keeps a change from being synced',
    'put that right; it is tried again by itself',
  ),
  'put-aside': entry(
    'transient',
    'it was taken out of the queue, and is not synced',
    '`godwit queue now PATH` sends it; it is sent too when it is changed again',
  ),
  'dirty-limit': entry(
    'transient',
    'too much waits to be sent: no write begins before some of it has gone',
    'wait, or let more wait: `godwit writeback --dirty-limit SIZE`',
  ),
  'not-committed': entry(
    'transient',
    'what was written is safe here, but the server has not confirmed it',
    'wait: it is sent when that is possible; see `godwit queue`',
  ),
  'not-queued': entry(
    'permanent',
    'nothing of it waits to be sent',
    'see `godwit queue` for what does',
  ),
  'listing-gone': entry(
    'transient',
    'this listing of the queue is not kept any more',
    'begin with its first page again',
  ),
  'on-its-way': entry(
    'transient',
    'it is on its way to the server, or may have been sent before',
    'let it arrive; `godwit undo` takes it back then',
  ),
  'update-needed': entry(
    'permanent',
    'other changes wait for it',
    'cancel them too: `--with-dependents`',
  ),
  ...DESKTOP_ERRORS,
  ...DUMP_ERRORS,
  ...LOCK_ERRORS,
  ...ACCESS_ERRORS,
  ...MOUNT_ERRORS,
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Informational codes: nothing is wrong, or the user has chosen it. */
export const NOTES: ReadonlySet<string> = new Set<ErrorCode>([
  ...(['special-file', 'disk-limits', 'disk-lacks', 'name-refused', 'put-aside'] as const),
  ...(['placeholder-copied', 'attributes-left', 'rights-dropped', 'looked-at'] as const),
  'place-excluded',
]);

export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && Object.hasOwn(ERROR_CODES, text);
}

/**
 * An error of the world (not a bug of ours): coded, with the particulars for people in `message`.
 * Never carries a secret.
 */
export class GodwitError extends Error {
  readonly code: ErrorCode;
  readonly remedy: string;
  /** `particulars` and `remedy`: in place of the summary and the remedy of the code. */
  constructor(code: ErrorCode, particulars?: string, remedy?: string) {
    super(particulars === undefined ? ERROR_CODES[code].summary : particulars);
    this.name = 'GodwitError';
    this.code = code;
    this.remedy = remedy ?? ERROR_CODES[code].remedy;
  }
  get severity(): ErrorEntry['severity'] {
    return ERROR_CODES[this.code].severity;
  }
}

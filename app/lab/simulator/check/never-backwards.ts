/**
 * Checker: nothing a laptop shows goes back (promise 2, rules W2, P4, P5).
 *
 * - Status: once a laptop has shown a vnode at a version that was committed (`sync` said so), it never shows an older one, over restarts too: the
 *   answer is recorded before it goes out. A call that was asked before that may still be answered as of then. A loss of power may take back its last
 *   answers.
 * - Contents: a file that was shown with contents is never shown without; what a reader is given are the bytes whose digest and reported size, never
 *   half of them and never none.
 * - Names: a name that a laptop has shown, that the server still has and that was not changed since, is never shown as free, whether or not the
 *   server can be reached.
 * - Replicas: commits that have a vnode or a name in common are put in place in order, each once, over restores too, as the server has it; versions
 *   only grow.
 *
 * Allowed: a file that was opened to be written before a newer version was shown, and closed after, shows what was written, numbered over the version
 * that it was opened at, until the store is refused (C1); who has no right in a volume any more sees nothing of it; a laptop's own file that is made
 * and not closed yet is empty there; own versions that were never committed may come to nothing in a conflict (C1); statuses and names under own
 * queued changes are not judged (P5). After a restore from a backup (I1) a laptop may show older versions once it knows of the restore; until then,
 * and as far as it had been given them, its replica puts lost commits in place as they were. Numbers of the new epoch are above all of the lost part,
 * so the order of commits tells that no lost one comes after one of the new epoch.
 */
import { volumeOf } from '../../../../shared/model/fid.ts';
import type { ChangeSet } from '../../../../shared/model/change.ts';
import type { Fid, VolumeId } from '../../../../shared/model/fid.ts';
import type {
  Attributes,
  NamedAttributes,
  OpenFile,
} from '../../../../shared/ports/file-system.ts';
import type { CommitNumber } from '../../../../shared/model/vnode.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { Laptop } from './laptop.ts';
import { digestOf } from '../disk/content-digest.ts';
import type { Checker, CheckerKind, Report } from './checker.ts';
import type { CommitHistory } from './commit-history.ts';
import { Ledgers } from './ledgers.ts';
import type { FileCall, Observation } from './observation.ts';
import { sharedKeys } from '../replica/side-by-side.ts';
import { isIdle, isQuiet, mayShowOwn, quietAtBegin } from './quiet.ts';
import type { Quiet } from './quiet.ts';
import { sameStatus } from './same-status.ts';

export const neverBackwards: CheckerKind = {
  name: 'nothing shown goes back',
  make: (report, ledgers = new Ledgers()) => new NeverBackwards(report, ledgers),
};

interface Shown {
  readonly version: number;
  readonly hasContents: boolean;
  /** Which of the answers it was. */
  readonly answer: number;
}

/** What a laptop has shown. */
class Seen {
  /** Each change of what was shown, the newest last. */
  readonly vnodes = new Map<Fid, Shown[]>();
  /** By directory and name: the commit that gave it what was shown. */
  readonly names = new Map<string, { readonly fid: Fid; readonly commit: CommitNumber }>();
  readonly replica = new Map<Fid, number>();
  applied = 0;
  /** By what commits may have in common, the last one that was put in place. */
  readonly placed = new Map<string, CommitNumber>();
}

/** Where a restore parted two epochs of a volume. */
interface Cut {
  readonly last: CommitNumber;
  readonly first: CommitNumber;
}

/** What of its own a laptop may have over what it shows. */
interface Over {
  readonly quiet: boolean;
  readonly idle: boolean;
  /** May what is shown of a vnode be its own contents? */
  readonly own: (fid: Fid) => boolean;
  /** How many answers there were when it was asked. */
  readonly answers: number;
}

interface PendingCall {
  readonly quiet: Quiet;
  readonly answers: number;
}

class NeverBackwards implements Checker {
  readonly #report: Report;
  readonly #history: CommitHistory;
  readonly #seen = new Map<Laptop, Seen>();
  readonly #asked = new Map<FileCall, PendingCall>();
  readonly #cuts = new Map<VolumeId, readonly Cut[]>();
  #answers = 0;

  constructor(report: Report, { history }: Ledgers) {
    this.#report = report;
    this.#history = history;
  }

  hear(observation: Observation): void {
    this.#history.hear(observation);
    switch (observation.kind) {
      case 'asked':
        if (LOOKS.has(observation.call.method)) {
          const quiet = quietAtBegin(observation.call);
          this.#asked.set(observation.call, { quiet, answers: this.#answers });
        }
        return;
      case 'answered':
        return this.#end(observation.call, (over) =>
          this.#answered(observation.call, observation.value, over),
        );
      case 'denied':
        return this.#end(observation.call, ({ quiet }) =>
          this.#denied(observation.call, observation.error, quiet),
        );
      case 'saw':
        if (observation.bytes === null) return;
        return this.#read(observation.running.client, observation.attributes, observation.bytes);
      case 'applied':
        return this.#applied(observation.client, observation.change);
      case 'restored':
        for (const { volume, last, first } of observation.volumes) {
          this.#cuts.set(volume, [...(this.#cuts.get(volume) ?? []), { last, first }]);
        }
        for (const seen of this.#seen.values()) forget(seen);
        return;
      case 'saved':
        if (observation.changes.some(({ table, key }) => table === 'meta' && key === 'epoch')) {
          forget(this.#of(observation.client));
        }
        return;
      case 'ended':
        if (observation.how === 'power') this.#lostPower(observation.who);
        for (const call of this.#asked.keys()) {
          if (call.client.name === observation.who) this.#asked.delete(call);
        }
        return;
      default:
        return;
    }
  }

  #lostPower(who: string): void {
    for (const [client, seen] of this.#seen) if (client.name === who) forget(seen);
  }

  #end(call: FileCall, judge: (over: Over) => void): void {
    const asked = this.#asked.get(call);
    if (asked === undefined) return;
    this.#asked.delete(call);
    const { quiet, answers } = asked;
    this.#answers += 1;
    const { client } = call;
    judge({
      quiet: isQuiet(quiet, client),
      idle: isIdle(quiet, client),
      own: (fid) => mayShowOwn(quiet, client, fid),
      answers,
    });
  }

  #answered({ client, method, given }: FileCall, value: unknown, over: Over): void {
    const { quiet, idle } = over;
    switch (method) {
      case 'lookup': {
        const [dir, name] = given as [Fid, string];
        const attributes = value as Attributes;
        if (quiet) this.#showName(client, dir, name, attributes.fid);
        return this.#showStatus(client, attributes, idle, over);
      }
      case 'getattr':
        return this.#showStatus(client, value as Attributes, quiet, over);
      case 'open':
        return this.#showStatus(client, (value as OpenFile).attributes, quiet, over);
      case 'readdir':
        for (const { name, attributes } of value as NamedAttributes[]) {
          if (quiet) this.#showName(client, given[0] as Fid, name, attributes.fid);
          this.#showStatus(client, attributes, idle, over);
        }
        if (quiet) this.#missing(client, given[0] as Fid, value as NamedAttributes[]);
        return;
      default:
        return;
    }
  }

  #denied({ client, method, given }: FileCall, error: unknown, quiet: boolean): void {
    if (method !== 'lookup' || !quiet) return;
    if (!(error instanceof GodwitError) || error.code !== 'not-found') return;
    const [dir, name] = given as [Fid, string];
    this.#showName(client, dir, name, null);
  }

  #showStatus(client: Laptop, shown: Attributes, quiet: boolean, over: Over): void {
    const { fid, version, digest, kind, sync } = shown;
    const { vnodes } = this.#of(client);
    const past = vnodes.get(fid) ?? [];
    const before = past.findLast(({ answer }) => answer <= over.answers);
    const hasContents = kind === 'file' && digest !== null;
    if (before !== undefined && (kind !== 'directory' || quiet)) {
      const isOwn = sync !== 'committed' && over.own(fid);
      if (version < before.version && !isOwn) {
        this.#report(
          `${client.name} shows ${fid} at version ${version} after version ${before.version}`,
        );
      }
      if (before.hasContents && !hasContents) {
        this.#report(`${client.name} shows ${fid} without contents after it had some`);
      }
    }
    if (sync !== 'committed' || (kind === 'directory' && !quiet)) return;
    const last = past.at(-1);
    if (last !== undefined && version <= last.version && hasContents === last.hasContents) return;
    vnodes.set(fid, [...past, { version, hasContents, answer: this.#answers }]);
  }

  #showName(client: Laptop, dir: Fid, name: string, fid: Fid | null): void {
    const { names } = this.#of(client);
    const key = `${dir}/${name}`;
    const present = this.#history.name(dir, name).at(-1);
    const before = names.get(key);
    if (fid !== null && present?.fid === fid) names.set(key, { fid, commit: present.commit });
    else names.delete(key);
    if (fid !== null || before === undefined || present?.commit !== before.commit) return;
    if (this.#history.statuses(before.fid).at(-1)?.links === 0) return;
    if (client.daemon.inside.names.volumes.get(volumeOf(dir))?.isShut !== false) return;
    this.#report(
      `${client.name} shows ${key} as free; it has shown ${before.fid} there, and commit ${before.commit} holds`,
    );
  }

  #missing(client: Laptop, dir: Fid, listed: readonly NamedAttributes[]): void {
    const shown = new Set(listed.map(({ name }) => name));
    for (const name of this.#history.names(dir).keys()) {
      if (!shown.has(name)) this.#showName(client, dir, name, null);
    }
  }

  #read(client: Laptop, attributes: Attributes, bytes: Uint8Array): void {
    const { fid, size, digest, sync } = attributes;
    if (bytes.length === size && digestOf(bytes) === digest) return;
    // Its own new file, between its making and its first close.
    if (digest === null && sync !== 'committed' && bytes.length === 0) return;
    this.#report(
      `${client.name} gives ${bytes.length} bytes to who reads ${fid}, and says that it has ${size} (${digest?.slice(0, 12) ?? 'no contents'})`,
    );
  }

  #applied(client: Laptop, change: ChangeSet): void {
    const seen = this.#of(client);
    const { commit } = change;
    const keys = sharedKeys(change);
    const later = keys.find((key) => commit <= (seen.placed.get(key) ?? 0));
    if (later !== undefined) {
      const last = seen.placed.get(later);
      this.#report(`${client.name}'s replica puts commit ${commit} after ${last} (${later})`);
    }
    for (const key of keys) seen.placed.set(key, commit);
    const cuts = this.#cuts.get(client.volume) ?? [];
    const isLost = ({ last, first }: Cut): boolean => last < seen.applied && seen.applied < first;
    if (cuts.some((cut) => isLost(cut) && commit > cut.first)) seen.replica.clear();
    seen.applied = Math.max(seen.applied, commit);
    for (const { fid, version } of change.vnodes) {
      if (version < (seen.replica.get(fid) ?? 0)) {
        this.#report(`${client.name}'s replica takes ${fid} back to version ${version}`);
      }
      seen.replica.set(fid, version);
    }
    if (!this.#isAsCommitted(change)) {
      this.#report(`${client.name}'s replica puts another commit ${commit} than the server has`);
    }
  }

  #isAsCommitted(change: ChangeSet): boolean {
    const [first] = change.vnodes;
    const volume = first && volumeOf(first.fid);
    const past = volume && this.#history.everCommitted(volume, change.commit);
    if (past === undefined) return first === undefined;
    return (
      past.seq === change.seq &&
      past.device === change.device &&
      past.copyOf === change.copyOf &&
      past.vnodes.length === change.vnodes.length &&
      past.vnodes.every((status, i) => {
        const other = change.vnodes[i];
        return other !== undefined && sameStatus(status, other);
      }) &&
      change.entries.every(({ dir, name, fid }) =>
        past.names.some((state) => state.dir === dir && state.name === name && state.fid === fid),
      )
    );
  }

  #of(client: Laptop): Seen {
    const known = this.#seen.get(client);
    if (known !== undefined) return known;
    const made = new Seen();
    this.#seen.set(client, made);
    return made;
  }
}

const LOOKS: ReadonlySet<string> = new Set(['lookup', 'getattr', 'readdir', 'open']);

function forget({ vnodes, names }: Seen): void {
  vnodes.clear();
  names.clear();
}

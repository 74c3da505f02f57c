/**
 * Checker: no stale read under a usable promise (promise 3, rules P1 to P3).
 *
 * From the moment the server sends a writer the result of an update, every holder of a promise has acknowledged its break or has no lease. So what a
 * program reads on a laptop after that moment, in one session that lasts from the call to the answer, it answers from a promise that is good or by
 * asking: the answer holds that update, or a later one. Checked for
 * - statuses (lookup, getattr, readdir, open): the one shown is one that the vnode has had since that update;
 * - names (lookup, readdir): what a name shows is what it has stood for since, and none is missing that was there all the time.
 *
 * Allowed, and why:
 * - anything while there is no session, or one whose Hello did not name the volume: nothing may be checked then, and the old is served as if the
 *   server were away (P1);
 * - statuses with own updates over them (`sync` is not `committed`), and names in a directory in which the laptop has changes of its own queued, or
 *   of a vnode that it has itself removed or moved, wherever somebody else has put it meanwhile: what it shows is its own, and the server judges
 *   later (P5);
 * - anything on a device that is revoked (revoked-devices.ts);
 * - updates that the server has committed and whose writer was not answered yet. A replica follows the feed and is stale for one transfer.
 * A right that is taken excuses nothing: until the laptop has said Hello again it counts its promises as good, and until then, or until its lease is
 * over, writers wait for it.
 */
import { volumeOf } from '../../../../shared/model/fid.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Instant } from '../../../../shared/model/time.ts';
import type { CommitNumber, VnodeStatus } from '../../../../shared/model/vnode.ts';
import type {
  Attributes,
  NamedAttributes,
  OpenFile,
} from '../../../../shared/ports/file-system.ts';
import type { UpdateResult } from '../../../../shared/model/update.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { Laptop } from './laptop.ts';
import type { Checker, CheckerKind, Report } from './checker.ts';
import type { CommitHistory, NameState } from './commit-history.ts';
import { Ledgers } from './ledgers.ts';
import type { FileCall, Observation } from './observation.ts';
import { isIdle, isQuiet, placesItself, quietAtBegin } from './quiet.ts';
import type { Quiet } from './quiet.ts';
import { RevokedDevices } from './revoked-devices.ts';
import { sameStatus } from './same-status.ts';

export const staleRead: CheckerKind = {
  name: 'nothing stale is read under a promise',
  make: (report, ledgers = new Ledgers()) => new StaleRead(report, ledgers),
};

interface PendingCall {
  /** The number of observations until then. */
  readonly tick: number;
  readonly session: Instant;
  readonly quiet: Quiet;
}

/** Commits of one subject that their writers know of, in that order. */
type WriterReplies = Array<{ readonly tick: number; readonly commit: CommitNumber }>;

const LOOKS: ReadonlySet<string> = new Set(['lookup', 'getattr', 'readdir', 'open']);

class StaleRead implements Checker {
  readonly #report: Report;
  readonly #history: CommitHistory;
  readonly #asked = new Map<FileCall, PendingCall>();
  /** By fid, and by directory and name. */
  readonly #told = new Map<string, WriterReplies>();
  readonly #revoked = new RevokedDevices();
  #tick = 0;

  constructor(report: Report, { history }: Ledgers) {
    this.#report = report;
    this.#history = history;
  }

  hear(observation: Observation): void {
    this.#history.hear(observation);
    this.#revoked.hear(observation);
    switch (observation.kind) {
      case 'told':
        return this.#tell(observation.results);
      case 'asked':
        return this.#begin(observation.call);
      case 'answered':
        return this.#end(observation.call, (asked) =>
          this.#judge(observation.call, asked, observation.value),
        );
      case 'denied':
        return this.#end(observation.call, (asked) =>
          this.#judgeDenied(observation.call, asked, observation.error),
        );
      case 'restored':
        this.#told.clear();
        this.#asked.clear();
        return;
      case 'ended':
        for (const call of this.#asked.keys()) {
          if (call.client.name === observation.who) this.#asked.delete(call);
        }
        return;
      default:
        return;
    }
  }

  #tell(results: readonly UpdateResult[]): void {
    this.#tick += 1;
    for (const result of results) {
      if (!result.ok) continue;
      const [first] = result.touched;
      const past = first && this.#history.commit(volumeOf(first.fid), result.commit);
      if (past === undefined) continue;
      for (const { fid } of past.vnodes) this.#mark(fid, past.commit);
      for (const { dir, name } of past.names) this.#mark(`${dir}/${name}`, past.commit);
    }
  }

  #mark(subject: string, commit: CommitNumber): void {
    const told = this.#told.get(subject) ?? [];
    if ((told.at(-1)?.commit ?? 0) < commit) told.push({ tick: this.#tick, commit });
    this.#told.set(subject, told);
  }

  #begin(call: FileCall): void {
    if (!LOOKS.has(call.method)) return;
    const { session } = call.client.daemon.inside;
    if (!session.isUp || isShut(call)) return;
    this.#asked.set(call, {
      tick: this.#tick,
      session: session.downSince,
      quiet: quietAtBegin(call),
    });
  }

  #end(call: FileCall, judge: (asked: PendingCall) => void): void {
    const asked = this.#asked.get(call);
    if (asked === undefined) return;
    this.#asked.delete(call);
    const { session } = call.client.daemon.inside;
    const isSame = session.isUp && session.downSince === asked.session;
    if (isSame && !isShut(call)) judge(asked);
  }

  #judge({ client, method, given }: FileCall, asked: PendingCall, value: unknown): void {
    const quiet = isQuiet(asked.quiet, client);
    const idle = isIdle(asked.quiet, client);
    switch (method) {
      case 'lookup': {
        const [dir, name] = given as [Fid, string];
        const shown = value as Attributes;
        if (quiet) this.#judgeName(client, asked, { dir, name, fid: ownFid(shown) });
        return this.#judgeStatus(client, asked, shown, idle);
      }
      case 'getattr':
        return this.#judgeStatus(client, asked, value as Attributes, quiet);
      case 'open':
        return this.#judgeStatus(client, asked, (value as OpenFile).attributes, quiet);
      case 'readdir':
        if (quiet) this.#judgeNames(client, asked, given[0] as Fid, asNamed(value));
        for (const { attributes } of value as NamedAttributes[]) {
          this.#judgeStatus(client, asked, attributes, idle);
        }
        return;
      default:
        return;
    }
  }

  #judgeDenied({ client, method, given }: FileCall, asked: PendingCall, error: unknown): void {
    if (method !== 'lookup' || !(error instanceof GodwitError) || error.code !== 'not-found')
      return;
    const [dir, name] = given as [Fid, string];
    if (isQuiet(asked.quiet, client)) this.#judgeName(client, asked, { dir, name, fid: null });
  }

  #judgeStatus(client: Laptop, asked: PendingCall, shown: Attributes, quiet: boolean): void {
    // Of another volume, as far as it is shown.
    if (shown.mounted !== undefined) return;
    if (shown.sync !== 'committed' || (shown.kind === 'directory' && !quiet)) return;
    const told = this.#toldBefore(shown.fid, asked.tick);
    if (told === null || shown.commit >= told || this.#revoked.has(client)) return;
    const since = this.#history.statuses(shown.fid).filter(({ commit }) => commit >= told);
    if (since.some((status) => sameStatus(status, shown))) return;
    const { fid, version, commit } = shown;
    this.#report(
      `${client.name} was shown ${fid} at version ${version} (commit ${commit}), and the writer of commit ${told} (version ${versionAt(since)}) had been answered before it asked`,
    );
  }

  #judgeNames(
    client: Laptop,
    asked: PendingCall,
    dir: Fid,
    listed: readonly NamedAttributes[],
  ): void {
    const shown = new Map(listed.map(({ name, attributes }) => [name, attributes.fid]));
    for (const name of this.#history.names(dir).keys()) {
      this.#judgeName(client, asked, { dir, name, fid: shown.get(name) ?? null });
    }
  }

  #judgeName(
    client: Laptop,
    asked: PendingCall,
    { dir, name, fid }: { readonly dir: Fid; readonly name: string; readonly fid: Fid | null },
  ): void {
    const told = this.#toldBefore(`${dir}/${name}`, asked.tick);
    if (told === null || this.#revoked.has(client)) return;
    const since = this.#history.name(dir, name).filter(({ commit }) => commit >= told);
    if (since.some((state) => this.#mayShow(client, state, fid))) return;
    this.#report(
      `${client.name} was shown ${dir}/${name} as ${fid ?? 'nothing'}, and since commit ${told}, whose writer had been answered before it asked, it is ${since.map((state) => state.fid ?? 'nothing').join(', then ')}`,
    );
  }

  /** A name whose vnode is gone is shown as free. */
  #mayShow(client: Laptop, state: NameState, fid: Fid | null): boolean {
    if (state.fid === fid) return true;
    if (fid !== null || state.fid === null) return false;
    if (placesItself(client, state.fid)) return true;
    return this.#history.statuses(state.fid).at(-1)?.links === 0;
  }

  #toldBefore(subject: string, tick: number): CommitNumber | null {
    return this.#told.get(subject)?.findLast((told) => told.tick <= tick)?.commit ?? null;
  }
}

function versionAt(since: readonly VnodeStatus[]): string {
  return since.map(({ version }) => version).join(', then ');
}

/** The session's Hello did not name the volume that is asked about. */
function isShut({ client, given }: FileCall): boolean {
  return client.daemon.inside.names.volumes.get(volumeOf(given[0] as Fid))?.isShut ?? true;
}

/** What the directory itself names: of a mount point not what it shows. */
const ownFid = ({ mounted, fid }: Attributes): Fid => mounted?.at ?? fid;

const asNamed = (value: unknown): NamedAttributes[] =>
  (value as NamedAttributes[]).map(({ name, attributes }) => ({
    name,
    attributes: { ...attributes, fid: ownFid(attributes) },
  }));

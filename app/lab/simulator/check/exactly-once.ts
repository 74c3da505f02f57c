/**
 * Checker: every update is applied once, and its laptop gets the result of that one time (rule W4).
 *
 * From what the server makes durable and from what it sends:
 * - a (device, number) has one commit at most and one result at most, for ever, results forgotten below the low water included;
 * - a result that says `ok` is made durable with the commit it names, in one transaction; a refusal comes without a commit;
 * - commits of a volume are 1, 2, 3 ...; the version of a vnode goes up by one with each commit that gives a file other contents
 *   or a directory other entries, and never otherwise by more than one;
 * - a laptop gets only durable results, and for one number always the same.
 *
 * Allowed: after a restore from a backup (rule I1) all of it begins anew where the backup was.
 */
import type { DeviceId } from '../../../../shared/model/change.ts';
import type { Fid, VolumeId } from '../../../../shared/model/fid.ts';
import type { RowWrite } from '../../../../shared/model/stored.ts';
import type { UpdateResult } from '../../../../shared/model/update.ts';
import type { VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { Fingerprint } from '../../../../shared/ports/transport.ts';
import type { Checker, CheckerKind, Report } from './checker.ts';
import type { Observation } from './observation.ts';

export const exactlyOnce: CheckerKind = {
  name: 'every update is applied once',
  make: (report) => new ExactlyOnce(report),
};

type LogWrite = Extract<RowWrite, { kind: 'log' }>;

class ExactlyOnce implements Checker {
  readonly #report: Report;
  readonly #devices = new Map<Fingerprint, DeviceId>();
  /** By device and number. */
  readonly #results = new Map<string, UpdateResult>();
  readonly #commits = new Map<string, LogWrite>();
  readonly #heads = new Map<VolumeId, number>();
  readonly #present = new Map<Fid, VnodeStatus>();

  constructor(report: Report) {
    this.#report = report;
  }

  hear(observation: Observation): void {
    if (observation.kind === 'committed') this.#committed(observation.writes);
    if (observation.kind === 'told') this.#told(observation.peer, observation.results);
    if (observation.kind === 'restored') {
      this.#results.clear();
      this.#commits.clear();
      this.#present.clear();
      for (const { volume, first } of observation.volumes) this.#heads.set(volume, first);
    }
  }

  #committed(writes: readonly RowWrite[]): void {
    const made = new Set<string>();
    for (const write of writes) {
      if (write.kind === 'log') this.#logged(write, made);
      else if (write.kind === 'vnode') this.#changed(write.row.status);
      else if (write.kind === 'device') this.#devices.set(write.fingerprint, write.id);
    }
    for (const write of writes) {
      if (write.kind === 'applied') this.#applied(write.device, write.result, made);
    }
    if (made.size > 0) this.#report(`committed without a result: ${[...made].join(', ')}`);
  }

  #logged(write: LogWrite, made: Set<string>): void {
    const { volume, commit, device, seq } = write;
    const head = this.#heads.get(volume) ?? 1;
    if (commit !== head + 1) {
      this.#report(`volume ${volume} goes from commit ${head} to commit ${commit}`);
    }
    this.#heads.set(volume, commit);
    const key = keyOf(device, seq);
    const before = this.#commits.get(key);
    if (before !== undefined) {
      this.#report(`${key} is commit ${before.commit} and commit ${commit} as well`);
    }
    this.#commits.set(key, write);
    made.add(key);
  }

  #applied(device: DeviceId, result: UpdateResult, made: Set<string>): void {
    const key = keyOf(device, result.seq);
    const before = this.#results.get(key);
    if (before !== undefined) this.#report(`${key} has a second result: ${shown(result)}`);
    this.#results.set(key, result);
    const isNew = made.delete(key);
    const commit = this.#commits.get(key)?.commit;
    if (result.ok && (!isNew || commit !== result.commit)) {
      this.#report(`${key} has the result ${shown(result)}, and its commit is ${commit ?? 'none'}`);
    }
    if (!result.ok && commit !== undefined) {
      this.#report(`${key} was refused (${result.refusal}), and is commit ${commit}`);
    }
  }

  #changed(status: VnodeStatus): void {
    const { fid, version, digest, kind, commit } = status;
    const before = this.#present.get(fid);
    this.#present.set(fid, status);
    if (before === undefined) return;
    const growth = version - before.version;
    const isStore = kind === 'file' && digest !== before.digest;
    if (growth < 0 || growth > 1 || (isStore && growth !== 1)) {
      this.#report(`commit ${commit} takes ${fid} from version ${before.version} to ${version}`);
    }
  }

  #told(peer: Fingerprint, results: readonly UpdateResult[]): void {
    const device = this.#devices.get(peer);
    if (device === undefined) return;
    for (const result of results) {
      const key = keyOf(device, result.seq);
      const applied = this.#results.get(key);
      if (applied === undefined) {
        this.#report(`a laptop is told of ${key}, which is not durable: ${shown(result)}`);
      } else if (shown(applied) !== shown(result)) {
        this.#report(`${key} is ${shown(applied)}, and its laptop is told ${shown(result)}`);
      }
    }
  }
}

function keyOf(device: DeviceId, seq: number): string {
  return `update ${seq} of device ${device}`;
}

function shown(result: UpdateResult): string {
  if (!result.ok) {
    return `refused ${result.refusal} ${result.existing?.fid ?? ''} ${result.existing?.version ?? ''}`;
  }
  const touched = result.touched.map(({ fid, before, after }) => `${fid} ${before}-${after}`);
  return `commit ${result.commit} ${touched.join(' ')}`;
}

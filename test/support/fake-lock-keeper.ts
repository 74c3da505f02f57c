/** The user locks of the fake daemon, and what it was told of them. */
import type { LockRow, LocksReport, LostLockRow } from '../../shared/control/locks.ts';
import type { LockMode } from '../../shared/model/file-lock.ts';
import { volumeOf, type Fid } from '../../shared/model/fid.ts';
import type { LockKeeper } from '../../shared/ports/controlled.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { FakeVolume } from './fake-volume.ts';
import { settled } from './settled.ts';

/** Notes each call in `calls`; a lock of another, which a test puts into `rows`, is in the way. */
export class FakeLockKeeper implements LockKeeper {
  rows: LockRow[] = [];
  lost: LostLockRow[] = [];
  isCurrent = true;
  /** Another laptop has not sent what it has of the files. */
  behind = false;
  /** Ends of locks wait for what was saved. */
  waits = false;
  readonly #calls: string[];
  readonly #volume: FakeVolume;

  constructor(calls: string[], volume: FakeVolume) {
    this.#calls = calls;
    this.#volume = volume;
  }

  report(): LocksReport {
    return { isCurrent: this.isCurrent, locks: this.rows, lost: this.lost };
  }

  lock(fid: Fid, mode: LockMode): ReturnType<LockKeeper['lock']> {
    this.#calls.push(`lock ${fid} ${mode}`);
    return settled(() => {
      this.#mayLock(fid);
      const other = this.rows.find((row) => row.fid === fid && !row.isOwn);
      if (other !== undefined) {
        throw new GodwitError('locked', `locked by ${other.device} (${other.user})`);
      }
      const lock = { ...this.#row(fid), mode, state: 'held', isOwn: true } as const;
      this.rows = [...this.rows.filter((row) => row.fid !== fid), lock];
      return { lock, isCurrent: true, behind: this.behind };
    });
  }

  unlock(fid: Fid, breaks: boolean): ReturnType<LockKeeper['unlock']> {
    this.#calls.push(`unlock ${fid}${breaks ? ' --break' : ''}`);
    return settled(() => {
      const isOwn = this.rows.some((row) => row.fid === fid && row.isOwn);
      if (!isOwn && !breaks) throw new GodwitError('not-locked', 'this laptop has not locked it');
      if (!isOwn) this.#mayLock(fid);
      const those = this.rows.filter((row) => row.fid === fid && row.isOwn === isOwn);
      this.rows = this.rows.filter((row) => !those.includes(row));
      return { waits: this.waits, others: isOwn ? 0 : those.length };
    });
  }

  #mayLock(fid: Fid): void {
    const { connected, info, server, view } = this.#volume;
    if (!connected) throw new GodwitError('not-connected');
    if (volumeOf(fid) !== info.id) throw new GodwitError('no-right');
    const status = view.get(fid);
    if (status === null) throw new GodwitError('not-found');
    if (server.get(fid) === null) throw new GodwitError('not-committed');
    if (status.kind !== 'file') throw new GodwitError('is-a-directory');
  }

  #row(fid: Fid): Omit<LockRow, 'mode' | 'state' | 'isOwn'> {
    const since = '2026-11-27T10:00:00.000Z';
    const path = this.#volume.pathOf(fid);
    return { volume: 'home', path, fid, device: 'laptop', user: 'ada', since };
  }
}

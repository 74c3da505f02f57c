/** User locks for the control endpoint: each call is one of the core. */
import type { LockOutcome, LocksReport, UnlockOutcome } from '../../shared/control/locks.ts';
import type { LockMode } from '../../shared/model/file-lock.ts';
import type { Fid } from '../../shared/model/fid.ts';
import type { LockKeeper } from '../../shared/ports/controlled.ts';
import type { ClientReports } from '../core/reports/client-reports.ts';
import type { CallBroker } from './call-broker.ts';

/** Lists, sets and ends user locks by asking the core. */
export class CoreLockKeeper implements LockKeeper {
  readonly #broker: CallBroker;
  readonly #reports: ClientReports;

  constructor(broker: CallBroker, reports: ClientReports) {
    this.#broker = broker;
    this.#reports = reports;
  }

  report(): LocksReport {
    return this.#reports.locks();
  }

  lock(fid: Fid, mode: LockMode): Promise<LockOutcome> {
    return this.#broker.call({ op: 'lock', fid, mode });
  }

  unlock(fid: Fid, breaks: boolean): Promise<UnlockOutcome> {
    return this.#broker.call({ op: 'unlock', fid, breaks });
  }
}

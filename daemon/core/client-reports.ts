/**
 * What the client tells people: computed from its state when somebody asks (promise 7). What takes a look at the whole log is kept for as
 * long as no event comes: then nothing of it can have changed.
 */
import type { CacheUse } from '../../shared/control/cache.ts';
import type { SuggestedGroup } from '../../shared/control/groups.ts';
import type { NetworkList } from '../../shared/control/network.ts';
import type { FetchReport, QueueName, QueueReport } from '../../shared/control/queue.ts';
import type { SharingReport } from '../../shared/control/sharing.ts';
import type { Fid } from '../../shared/model/fid.ts';
import { cacheUse } from './cache/cache-use.ts';
import { fetchReport } from './cache/fetch-report.ts';
import { sharingReport } from './consistency/sharing-orders.ts';
import { networkList } from './network/network-status.ts';
import { suggestedGroups } from './prefetch/suggested-groups.ts';
import type { ClientState } from './state.ts';
import { coreStatus, logTally, type CoreStatus, type LogTally, type Outside } from './status.ts';
import { queueReport, QueuePlan } from './writeback/queue-report.ts';

export class ClientReports {
  readonly #state: ClientState;
  #tally: { readonly edition: number; readonly tally: LogTally } | null = null;
  #plan: { readonly edition: number; readonly plan: QueuePlan } | null = null;

  constructor(state: ClientState) {
    this.#state = state;
  }

  status(outside: Outside): CoreStatus {
    const { edition } = this.#state;
    if (this.#tally?.edition !== edition) this.#tally = { edition, tally: logTally(this.#state) };
    return coreStatus(this.#state, outside, this.#tally.tally);
  }

  queue(most: number, from: number, of: QueueName | null): QueueReport {
    const { edition } = this.#state;
    if (this.#plan?.edition !== edition) {
      this.#plan = { edition, plan: new QueuePlan(this.#state) };
    }
    return queueReport(this.#state, this.#plan.plan, { most, from, of });
  }

  fetches(most: number): FetchReport {
    return fetchReport(this.#state, most);
  }

  cacheUse(): CacheUse {
    return cacheUse(this.#state);
  }

  suggestedGroups(): SuggestedGroup[] {
    return suggestedGroups(this.#state);
  }

  networks(): NetworkList {
    return networkList(this.#state);
  }

  sharing(fid: Fid | null): SharingReport {
    return sharingReport(this.#state, fid);
  }
}

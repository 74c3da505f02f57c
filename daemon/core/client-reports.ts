/** What the client tells people: computed from its state when somebody asks, and never kept (promise 7). */
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
import { coreStatus, type CoreStatus, type Outside } from './status.ts';
import { queueReport } from './writeback/queue-report.ts';

export class ClientReports {
  readonly #state: ClientState;

  constructor(state: ClientState) {
    this.#state = state;
  }

  status(outside: Outside): CoreStatus {
    return coreStatus(this.#state, outside);
  }

  queue(most: number, from: number, of: QueueName | null): QueueReport {
    return queueReport(this.#state, most, from, of);
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

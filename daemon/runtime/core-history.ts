/** The history port over the core. */
import type { Fid, VolumeId } from '../../shared/model/fid.ts';
import type {
  OwnCommitsPage,
  PastDirectoryPage,
  PastNamesPage,
  PastVersionsPage,
} from '../../shared/model/history.ts';
import type { NamedSnapshot } from '../../shared/model/snapshots.ts';
import type { CommitNumber, DataVersion } from '../../shared/model/vnode.ts';
import type { Place } from '../../shared/ports/file-system.ts';
import type { History } from '../../shared/ports/history.ts';
import { MAX_PAGE_COMMITS, MAX_PAGE_ENTRIES } from '../../shared/wire/limits.ts';
import type { Client } from '../core/client.ts';
import type { CallBroker } from './call-broker.ts';

const limit = MAX_PAGE_COMMITS;

/** The history port over the core: past versions, names and commits, page by page. */
export class CoreHistory implements History {
  readonly #broker: CallBroker;
  readonly #client: Client;

  constructor(broker: CallBroker, client: Client) {
    this.#broker = broker;
    this.#client = client;
  }

  placesOf(fid: Fid): readonly Place[] {
    return this.#client.placesOf(fid);
  }

  versions(fid: Fid, before: DataVersion | null): Promise<PastVersionsPage> {
    const question = { rpc: 'PastVersions', body: { fid, before, limit } } as const;
    return this.#broker.call({ op: 'past', question });
  }

  names(
    dir: Fid,
    name: string | null,
    after: { readonly name: string; readonly commit: CommitNumber } | null,
  ): Promise<PastNamesPage> {
    const question = { rpc: 'PastNames', body: { dir, name, after, limit } } as const;
    return this.#broker.call({ op: 'past', question });
  }

  directory(fid: Fid, at: CommitNumber, after: string | null): Promise<PastDirectoryPage> {
    const question = { rpc: 'PastDir', body: { fid, at, after, limit: MAX_PAGE_ENTRIES } } as const;
    return this.#broker.call({ op: 'past', question });
  }

  async snapshots(volume: VolumeId): Promise<readonly NamedSnapshot[]> {
    const question = { rpc: 'NamedSnapshots', body: { volume } } as const;
    const { snapshots } = await this.#broker.call<{ snapshots: readonly NamedSnapshot[] }>({
      op: 'past',
      question,
    });
    return snapshots;
  }

  ownCommits(volume: VolumeId, before: CommitNumber | null): Promise<OwnCommitsPage> {
    const question = { rpc: 'OwnCommits', body: { volume, before, limit } } as const;
    return this.#broker.call({ op: 'past', question });
  }
}

/** What people share with one another, as the server tells it: asked again when the volumes that this person may see have changed, or their rights. */
import type { AccessReport, SharesReport } from '../../../shared/control/access.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { Api } from '../view/api.ts';
import type { KnownShare, KnownShares } from '../view/shares-view.ts';
import { useAsked } from './asker.ts';

/** Volumes whose users are asked for: each is a question to the server. */
const MOST_ASKED = 64;

/** null until it is known; what was told last stays while the server is away. An older daemon or server tells nothing. */
export function useShares(
  api: Api,
  { volumes, connected }: StatusSnapshot,
  edition: number,
): { readonly known: KnownShares | null; readonly again: () => void } {
  const seen = volumes.map(({ name, rights, shut }) => [name, rights, shut === true]);
  const key = JSON.stringify([connected, seen]);
  const { told, again } = useAsked(() => ask(api), key, edition);
  return { known: told, again };
}

async function ask(api: Api): Promise<KnownShares> {
  const { person, shares } = await api.command<SharesReport>('shares');
  const own = shares.filter(({ by, isFolder }) => by === null && !isFolder).slice(0, MOST_ASKED);
  const found: KnownShare[] = [];
  for (const share of shares) {
    const list = own.includes(share)
      ? await api.command<AccessReport>('access', { volume: share.volume }).catch(() => null)
      : null;
    found.push(list === null ? share : { ...share, entries: list.entries });
  }
  return { person, shares: found };
}

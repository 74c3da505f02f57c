/** A person sets limits on the contents of a laptop, and those who watch hear from when on they hold. */
import type { LimitsChange } from '../../../../shared/model/transfer-limits.ts';
import type { Observe } from '../check/observation.ts';
import type { ClientNode } from './client-node.ts';

/** Rejects as the daemon does. If its disk fails just then, the limits may hold or not. */
export async function setLimits(
  client: ClientNode,
  change: LimitsChange,
  hear: Observe,
): Promise<void> {
  hear({ kind: 'limiting', client });
  try {
    hear({ kind: 'limited', client, limits: await client.daemon.limits(change) });
  } catch (error) {
    hear({ kind: 'limited', client, limits: null });
    throw error;
  }
}

/** What happens to a laptop or to the server while a person looks at the past. */
import type { ClientNode } from '../cluster/client-node.ts';
import type { EndFault, FaultTarget } from './fault.ts';

/** Begins it, and gives how to end it; null: nothing happens. */
export function meanwhileOf(
  meanwhile: string,
  client: ClientNode,
  target: FaultTarget,
): EndFault | null {
  const { cluster } = target;
  switch (meanwhile) {
    case 'cut':
      cluster.cut(client);
      return () => cluster.heal(client);
    case 'killed':
      return () => {
        if (!client.running) return;
        target.kill(client, 'killed');
        return target.start(client);
      };
    case 'server killed':
      return () => {
        if (cluster.server.running) cluster.server.crash();
        return target.start(cluster.server);
      };
    default:
      return null;
  }
}

/**
 * A request is applied and its sender never hears of it: the connection is lost when a request has arrived, when its commit
 * is durable and before the server's code sees it, or when its reply is about to arrive. The laptop sends it again on
 * its next connection, perhaps while the server still works for the old one.
 */
import type { RowWrite } from '../../../../shared/model/stored.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { SERVER_HOST } from '../cluster/server-node.ts';
import { NOTICED } from './connection-death.ts';
import type { FaultFamily, FaultTarget } from './fault.ts';

const LONGEST_WAIT_MS = 20_000;
const MOST_PASSED = 12;

export const replyLost: FaultFamily = {
  name: 'reply-lost',
  weight: 3,
  draw: (random, { laptops }) => ({
    family: 'reply-lost',
    laptop: random.below(laptops.length),
    when: random.pick(['request', 'commit', 'reply']),
    nth: random.between(1, MOST_PASSED),
    noticed: random.pick(['both', 'client', 'client', 'nobody']),
    lastsMs: LONGEST_WAIT_MS,
  }),
  begin: ({ laptop, when, nth, noticed }, target) => {
    const client = target.laptop(Number(laptop));
    const { network, world } = target.cluster;
    const lose = (): void => {
      world.note(`${client.name} will not hear of it`);
      network.lose(client.name, SERVER_HOST, NOTICED[String(noticed)] ?? []);
    };
    let passed = 0;
    const counted = (): boolean => ++passed === Number(nth);
    if (when === 'commit') {
      return ofCommits(target, client, () => {
        if (counted()) lose();
      });
    }
    const [from, to] = when === 'request' ? [client.name, SERVER_HOST] : [SERVER_HOST, client.name];
    return network.tap((frame) => {
      if (frame.kind !== when || frame.from !== from || frame.to !== to || !counted()) return;
      // A request is heard first, and what follows from it at once.
      if (when === 'request') world.time.soon('the connection is lost', lose);
      else lose();
    });
  },
};

/** Hears of each commit of a laptop's updates, before the server does. */
function ofCommits(target: FaultTarget, client: ClientNode, run: () => void): () => void {
  return target.cluster.watch((observation) => {
    if (observation.kind !== 'committed' || !client.running) return;
    const { device } = client;
    if (observation.writes.some((write) => isOf(write, device))) run();
  });
}

function isOf(write: RowWrite, device: number | null): boolean {
  return write.kind === 'log' && write.device === device;
}

/** Connections: how one ends, and what ends with it on both sides. */
import { noLines } from './network.ts';
import { forget } from './server-promises.ts';
import { clientAt, type World } from './world.ts';

/** What was under way is gone. Leases run on: neither side knows yet whether the other is there. */
export function cutLink(world: World, index: number): void {
  const client = clientAt(world, index);
  const { server, net } = world.state;
  net[index] = noLines();
  client.conn = 'none';
  client.asks = [];
  for (const update of client.log) {
    update.sent = false;
    update.broken = 0;
  }
  server.asks = server.asks.filter((ask) => ask.client !== index);
  server.incoming = server.incoming.filter((each) => each.client !== index);
  server.answers = server.answers.filter((each) => each.client !== index);
  if (server.conns[client.device] !== index) return;
  delete server.conns[client.device];
  if (server.leases[client.device] !== true) forget(world, client.device);
}

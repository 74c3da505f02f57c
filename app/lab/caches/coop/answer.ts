/** Who answers a read that its client's own cache does not: the server's memory, a client that has the block, or the disk. */
import type { Level } from './costs.ts';
import type { Holders } from './holders.ts';
import type { Load } from './policy.ts';
import type { ServerCache } from './server-cache.ts';

export interface Answering {
  readonly server: ServerCache;
  readonly holders: Holders;
  readonly load: Load;
}

/** What the disk answers is in the server's memory then. `forwards`: whether the server passes a request on to a client. */
export function answer(
  { server, holders, load }: Answering,
  client: number,
  block: number,
  forwards = true,
): Level {
  if (server.use(block)) {
    load.answered('server');
    return 'server';
  }
  if (forwards && holders.other(block, client) !== undefined) {
    load.forwarded();
    return 'remote';
  }
  load.answered('disk');
  server.add(block);
  return 'disk';
}

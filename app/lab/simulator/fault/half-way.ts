/**
 * A transfer is cut off while its contents are on their way: the connection is lost, or one of the two processes is killed, when so many
 * parts of some have arrived; several times, so that what goes on with a begun part is cut off again (rule D3).
 */
import { SERVER_HOST } from '../cluster/server-node.ts';
import { NOTICED } from './connection-death.ts';
import type { FaultFamily } from './fault.ts';

const LASTS_MS = [20_000, 600_000];
/** Contents of a run have a few dozen packets at most, where those are small. */
const MOST_PARTS = 30;
const MOST_TIMES = 40;

export const halfWay: FaultFamily = {
  name: 'half-way',
  weight: 8,
  draw: (random, { laptops }) => ({
    family: 'half-way',
    laptop: random.below(laptops.length),
    way: random.pick(['up', 'down']),
    parts: random.between(1, random.pick([3, MOST_PARTS])),
    times: random.between(1, MOST_TIMES),
    dies: random.pick(['connection', 'connection', 'connection', 'laptop', 'server']),
    noticed: random.pick(Object.keys(NOTICED)),
    lastsMs: random.pick(LASTS_MS),
  }),
  begin: ({ laptop, way, parts, times, dies, noticed }, target) => {
    const client = target.laptop(Number(laptop));
    const { network, server, world } = target.cluster;
    const [from, to] = way === 'up' ? [client.name, SERVER_HOST] : [SERVER_HOST, client.name];
    const kills = dies !== 'connection';
    let left = kills ? 1 : Number(times);
    let arrived = 0;
    let [killed, over] = [false, false];
    const cutOff = (): void => {
      if (over) return;
      world.note(`${client.name} is cut off half way`);
      if (!kills) {
        network.lose(client.name, SERVER_HOST, NOTICED[String(noticed)] ?? []);
      } else if (dies === 'server' ? server.running : client.running) {
        killed = true;
        if (dies === 'server') server.crash();
        else target.kill(client, 'killed');
      }
    };
    const stop = network.tap((frame) => {
      if (frame.kind !== 'part' || frame.from !== from || frame.to !== to || left === 0) return;
      if (++arrived < Number(parts)) return;
      arrived = 0;
      left -= 1;
      // It is heard first.
      world.time.soon('it is cut off', cutOff);
    });
    return async () => {
      stop();
      over = true;
      if (killed) await target.start(dies === 'server' ? server : client);
    };
  },
};

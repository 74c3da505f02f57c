/** Databases that refuse: commits, reads and starts that fail, several in a row or for a while. */
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { DiskError } from '../disk/memory-disk.ts';
import type { FaultFamily } from './fault.ts';

const LONGEST_MS = 30_000;
const MOST_IN_A_ROW = 5;

export const metaFails: FaultFamily = {
  name: 'meta-fails',
  weight: 2,
  // A laptop that can't say Hello tells why.
  programsMeet: ['server-full'],
  draw: (random) => ({
    family: 'meta-fails',
    method: random.pick([
      'commit',
      'commit',
      'load',
      'accessOf',
      'changedOutside',
      'volumes',
      'open',
    ]),
    // A commit that fails so ends the server: nobody knows what is on the disk.
    how: random.pick(['coded', 'coded', 'disk']),
    times: 1 + random.below(MOST_IN_A_ROW),
    lastsMs: 1 + random.below(LONGEST_MS),
  }),
  begin: ({ method, how, times }, target) => {
    const { server, hear } = target.cluster;
    hear({ kind: 'database-fails' });
    let left = Number(times);
    const end = server.metaStore.troubles.add((asked) => {
      if (asked !== method || left <= 0) return null;
      left -= 1;
      if (asked === 'open') return new GodwitError('disk-failing');
      return how === 'coded' && asked === 'commit'
        ? new GodwitError('server-full')
        : new DiskError('EIO', `server ${asked}`);
    });
    return async () => {
      end();
      await target.start(server);
    };
  },
};

export const logFails: FaultFamily = {
  name: 'log-fails',
  weight: 2,
  draw: (random, { laptops }) => ({
    family: 'log-fails',
    laptop: random.below(laptops.length),
    method: random.pick(['commit', 'commit', 'load']),
    how: random.pick(['full', 'full', 'disk']),
    times: 1 + random.below(MOST_IN_A_ROW),
    lastsMs: 1 + random.below(LONGEST_MS),
  }),
  begin: ({ laptop, method, how, times }, target) => {
    const client = target.laptop(Number(laptop));
    let left = Number(times);
    const end = client.clientStore.troubles.add((asked) => {
      if (asked !== method || left <= 0) return null;
      left -= 1;
      return new GodwitError(how === 'full' && asked === 'commit' ? 'disk-full' : 'disk-failing');
    });
    return async () => {
      end();
      await target.start(client);
    };
  },
};

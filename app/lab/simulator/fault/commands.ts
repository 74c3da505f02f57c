/** What a person asks of a running daemon beside its files: to wait for a change, to flush in a hurry, to forget a conflict. */
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { World } from '../world.ts';
import type { FaultFamily } from './fault.ts';

const LONGEST_WAIT_MS = 5_000;
const LOG_LINES = 10;

export const commands: FaultFamily = {
  name: 'commands',
  weight: 1,
  draw: (random, { laptops }) => ({
    family: 'commands',
    laptop: random.below(laptops.length),
    command: random.pick([
      'dismiss',
      'dismiss',
      'watch',
      'look',
      'flush',
      'confirm',
      'reject',
      'log',
    ]),
    waitMs: random.below(LONGEST_WAIT_MS),
    lastsMs: 0,
  }),
  begin: ({ laptop, command, waitMs }, target) => {
    const client = target.laptop(Number(laptop));
    if (!client.running || client.machine.asleep) return null;
    carryOut(client, String(command), Number(waitMs), target.cluster.world);
    return null;
  },
};

function carryOut(client: ClientNode, command: string, waitMs: number, world: World): void {
  const { daemon } = client;
  if (command === 'dismiss') {
    const [newest] = daemon.snapshot().conflicts;
    // Who looks at an old picture dismisses what is dismissed already.
    daemon.dismissConflict(newest?.id ?? 1);
    return;
  }
  asked(daemon, command, waitMs)
    .then(() => 'done')
    .catch((error: unknown) => {
      if (error instanceof GodwitError) return error.code;
      world.fault(error);
      return 'failed';
    })
    .then((how) => world.note(`${client.name} ${command}: ${how}`))
    .catch((error: unknown) => world.fault(error));
}

function asked(daemon: ClientNode['daemon'], command: string, waitMs: number): Promise<unknown> {
  const { revision } = daemon.snapshot();
  switch (command) {
    case 'watch':
      return daemon.changed(revision, waitMs);
    case 'look':
      return daemon.changed(revision - 1, waitMs);
    case 'confirm':
      return daemon.confirmRemovals();
    case 'reject':
      return daemon.rejectRemovals();
    case 'log':
      return daemon.logLines(LOG_LINES);
    default:
      return daemon.flush(waitMs);
  }
}

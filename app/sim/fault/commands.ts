/** What a person asks of a running daemon beside its files: to wait for a change, to flush in a hurry, to forget a conflict. */
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { World } from '../world.ts';
import type { FaultFamily } from './fault.ts';

const LONGEST_WAIT_MS = 5_000;

export const commands: FaultFamily = {
  name: 'commands',
  weight: 1,
  draw: (random, { laptops }) => ({
    family: 'commands',
    laptop: random.below(laptops.length),
    command: random.pick(['dismiss', 'watch', 'flush']),
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
    if (newest !== undefined) daemon.dismissConflict(newest.id);
    return;
  }
  const { revision } = daemon.snapshot();
  const answer = command === 'watch' ? daemon.changed(revision, waitMs) : daemon.flush(waitMs);
  answer
    .then(() => 'done')
    .catch((error: unknown) => {
      if (error instanceof GodwitError) return error.code;
      world.fault(error);
      return 'failed';
    })
    .then((how) => world.note(`${client.name} ${command}: ${how}`))
    .catch((error: unknown) => world.fault(error));
}

/** Checks on the moment at which an answer is shown: is it empty, older than what was promised, or older than what is here? */
import type { Down } from './network.ts';
import { nameOf, type Ask, type Entry } from './state.ts';
import { descends } from './server-commit.ts';
import { told } from './server-promises.ts';
import { isStore } from './update.ts';
import { find, type World } from './world.ts';

export function checkReply(
  world: World,
  index: number,
  ask: Ask,
  reply: Down & { t: 'reply' },
): void {
  const { x, version, content, flagged } = reply;
  if (flagged) return;
  if (content === null) {
    find(
      world,
      '2',
      `${nameOf(index)} opens ${x} and sees an empty file, though its contents are only not here yet`,
    );
  }
  if (version < ask.floor) {
    find(
      world,
      '3',
      `${nameOf(index)} is shown version ${version} of ${x}, though version ${ask.floor} was committed before it was opened`,
    );
  }
}

/** "Nothing local is replaced by an older version." */
export function checkReplaced(
  world: World,
  index: number,
  x: string,
  old: Entry | undefined,
  next: Entry,
): void {
  if (old === undefined) return;
  const [had, gets] = [old.content, next.content];
  if (typeof had !== 'number' || typeof gets !== 'number' || had === gets) return;
  // Who has a save of his own queued sees that one, before and after.
  const queued =
    world.state.clients[index]?.log.some(
      (update) =>
        isStore(update) && (update.file === x || update.of === x || update.content === had),
    ) === true;
  if (queued || !descends(world, had, gets)) return;
  find(
    world,
    'never older',
    `${nameOf(index)}'s ${x}, ${told(had)}, is replaced by the older ${told(gets)}`,
  );
}

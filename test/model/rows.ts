/** The table: for each switch the hole that it closes, where the search finds it, and what must break there. */
import type { Switch } from './rules.ts';
import type { PromiseName } from './world.ts';

export interface Row {
  readonly off: Switch;
  /** Off as well, because either of the two would do. */
  readonly also?: readonly Switch[];
  readonly scope: string;
  readonly breaks: PromiseName;
  readonly hole: string;
  /** A step that the story must have. */
  readonly step: string;
}

export const ROWS: readonly Row[] = [
  {
    off: 'P2',
    scope: 'late-grant',
    breaks: '3',
    hole: 'a break overtakes the answer with the promise that it voids, and the promise is taken for good',
    step: 'who holds nothing to give up',
  },
  {
    off: 'P3',
    scope: 'break-wait',
    breaks: '3',
    hole: 'the writer is answered while the break is on its way',
    step: 'the server tells ada: update 1 is committed',
  },
  {
    off: 'P5',
    scope: 'own-updates',
    breaks: '3',
    hole: 'an answer to our own update makes our view the latest, and hides what others changed before it',
    step: 'takes what it holds of desk for version 3',
  },
  {
    off: 'S1',
    scope: 'unshared',
    breaks: '3',
    hole: 'a file is promised to a second client while the first still takes it for its own',
    step: 'the server answers bob with version 1',
  },
  {
    off: 'S2',
    scope: 'paused-queue',
    breaks: '3',
    hole: 'a save waits in a paused queue, and nobody is told of it',
    step: 'Ada saves doc',
  },
  {
    off: 'S4',
    scope: 'writer-away',
    breaks: '3',
    hole: 'the mark goes with the lease of its writer, and what is stale is promised as fresh',
    step: 'the marks of its updates with it',
  },
  {
    off: 'S5',
    scope: 'order',
    breaks: '4',
    hole: 'a store overtakes an earlier save of its client, of which the reader knows nothing',
    step: 'is shown version 2 of doc',
  },
  {
    off: 'W1',
    scope: 'safe-save',
    breaks: '4',
    hole: 'the rename of a safe save is committed before the contents',
    step: 'Ada renames tmp to doc',
  },
  {
    off: 'W2',
    scope: 'no-contents',
    breaks: '2',
    hole: 'a file whose contents are still on their way is served as an empty one',
    step: 'nothing (no contents yet)',
  },
  {
    off: 'W4',
    scope: 'retry',
    breaks: 'exactly once',
    hole: 'an update whose answer was lost is applied a second time, as a conflict with what came after it',
    step: "Ada's connection breaks",
  },
  {
    off: 'W4',
    scope: 'safe-save',
    breaks: '4',
    hole: 'what depends on an update that is under way is applied before it',
    step: 'Ada renames tmp to doc',
  },
  {
    off: 'W5',
    scope: 'cancel',
    breaks: '1',
    hole: 'create and remove vanish although the create was sent: the removed file is back',
    step: 'both vanish from the log',
  },
  {
    off: 'W5',
    scope: 'two-names',
    breaks: '1',
    hole: 'the save of a file is cancelled when one of its names goes',
    step: 'is cancelled',
  },
  {
    off: 'C1',
    scope: 'conflict',
    breaks: '1',
    hole: 'the losing save leaves the log before its copy is there',
    step: 'daemon crashes and starts again',
  },
  {
    off: 'C1',
    scope: 'conflict-twice',
    breaks: 'every version kept',
    hole: 'what is queued behind the losing save goes on to the winner, and takes its place unseen',
    step: 'what is queued for doc stays',
  },
  {
    off: 'I1',
    scope: 'restored',
    breaks: 'never older',
    hole: 'a restored server replaces what is newer here by what is older there',
    step: 'The server is restored',
  },
  {
    off: 'I2',
    scope: 'copied-folder',
    breaks: '1',
    hole: 'two copies of one data folder use the same sequence numbers, and one save counts as the other',
    step: 'data folder is copied',
  },
  {
    off: 'P1-wait',
    scope: 'restart',
    breaks: '3',
    hole: 'a restarted server does not know of a lease, and commits against it',
    step: 'starts again, waiting for nobody',
  },
  {
    off: 'P1-suspend',
    scope: 'asleep',
    breaks: '3',
    hole: "a clock that stops in suspend lets a lease outlive the server's count",
    step: 'is suspended',
  },
  {
    off: 'announce-again',
    scope: 'writer-away',
    breaks: '3',
    hole: 'a forward invalidation is lost with its connection',
    step: "Ada's connection breaks",
  },
  {
    off: 'hello-gives-up',
    scope: 'lost-break',
    breaks: '3',
    hole: 'a client that gives up its promises only at the answer to its Hello uses them in between',
    step: 'Bob connects and says Hello',
  },
  {
    off: 'lease-row',
    scope: 'restart-newcomer',
    breaks: '3',
    hole: 'a wait that ends early does not know of a device whose lease was not written down',
    step: 'crashes and starts again',
  },
  {
    off: 'wait-no-answers',
    scope: 'restart',
    breaks: '3',
    hole: 'after a restart a retried update counts as applied, and is answered though its breaks were lost',
    step: 'again, and knows that it is applied',
  },
  {
    off: 'wait-no-unshared',
    scope: 'restart-alone',
    breaks: '3',
    hole: 'a restarted server gives "unshared" to one while another may still use an old promise',
    step: 'unshared',
  },
  {
    off: 'new-epoch-waits',
    scope: 'restored-lease',
    breaks: '3',
    hole: 'the list of leases in a backup is too old for the wait to end early by it',
    step: 'The server is restored',
  },
  {
    off: 'no-outrun',
    scope: 'order',
    breaks: '4',
    hole: 'an answer outruns a break that was sent before it to the same client',
    step: 'is shown version 2 of doc',
  },
  {
    off: 'lists-metadata',
    scope: 'names-overtake',
    breaks: '4',
    hole: 'a change of a name overtakes an earlier save; rule S5 has only stores list what they overtake',
    step: 'Ada creates new in desk',
  },
  {
    off: 'break-pulls',
    scope: 'retry',
    breaks: '3',
    hole: 'a break ends "unshared", and its holder says nothing of the save that it has queued under it',
    step: 'unshared',
  },
  {
    off: 'named-updates',
    scope: 'copied-folder',
    breaks: '1',
    hole: 'the original goes on after it was copied, and the copy says Hello before it does',
    step: 'data folder is copied',
  },
  {
    off: 'own-run',
    scope: 'copied-reader',
    breaks: '3',
    hole: 'a copied data folder says Hello, and what was promised to the original, which is cut off, counts as given up',
    step: 'data folder is copied',
  },
  {
    off: 'saves-follow',
    scope: 'conflict-open',
    breaks: 'every version kept',
    hole: 'what is saved after a conflict, before its copy is committed, takes the place of the winner unseen',
    step: 'logs a conflict copy',
  },
  {
    off: 'owing',
    also: ['no-outrun'],
    scope: 'break-wait',
    breaks: '3',
    hole: 'a lease that has run out comes to life again, and with it a promise whose break is on its way',
    step: 'it runs out at the server',
  },
];

/** Switches without which nothing is found in the scope made for them, with all others on. */
export const NOT_NEEDED: readonly Switch[] = ['chain', 'owing'];

/**
 * How long the saves of others wait, one after the other, for a device that holds promises for all of the files and does not acknowledge as it should: half a
 * minute in all, or three times as long where a bad line could have done it. In simulated time.
 */
import { expect, it } from '@jest/globals';
import { CoreServer, type TestDevice } from '../../../test/support/core-server.ts';
import { chmod, create, VOLUME } from '../../../test/support/core-updates.ts';
import { ANSWERED_BESIDE_BREAK, BREAK_PATIENCE, MISSED_BREAKS } from '../../limits.ts';

const SAVES = 12;
const LOOK_MS = 250;
const LONGEST_MS = BREAK_PATIENCE + ANSWERED_BESIDE_BREAK;
/** No save after those that may wait long waits longer. */
const THEN_MS = 1000;

interface Scene {
  readonly server: CoreServer;
  readonly bad: TestDevice;
}

interface Habit {
  readonly name: string;
  /** How many saves may wait as long as a lease. */
  readonly long: number;
  /** Every quarter of a second of a save that waits so long already. */
  readonly meanwhile?: (scene: Scene, waited: number) => void | Promise<void>;
  /** When the save has been answered. */
  readonly afterwards?: (scene: Scene) => Promise<void>;
}

const asksOtherThings = ({ bad }: Scene): void => void bad.send('GetTime', {});
const acknowledges = ({ server }: Scene): Promise<void> => server.release('breaks');
const acknowledgesAfter =
  (ms: number) =>
  async (scene: Scene, waited: number): Promise<void> => {
    if (waited >= ms) await acknowledges(scene);
    scene.server.hold.breaks = true;
  };
async function comesBack({ bad }: Scene): Promise<void> {
  await bad.hello();
}

const HABITS: readonly Habit[] = [
  { name: 'acknowledges nothing', long: 1 },
  { name: 'acknowledges nothing and asks other things', long: 1, meanwhile: asksOtherThings },
  { name: 'says Hello when it was shut out', long: 1, afterwards: comesBack },
  { name: 'acknowledges when its lease is over', long: 1, afterwards: acknowledges },
  {
    name: 'acknowledges just before its lease is over',
    long: MISSED_BREAKS,
    meanwhile: acknowledgesAfter(BREAK_PATIENCE - LOOK_MS),
    afterwards: acknowledges,
  },
  {
    name: 'is cut off from the server at each break and comes back',
    long: MISSED_BREAKS,
    meanwhile: ({ bad }) => bad.disconnect(),
    afterwards: comesBack,
  },
];

it.each(HABITS)(
  'a device that $name delays $long of 12 saves for a lease and the rest for no second',
  async ({ long, meanwhile, afterwards }) => {
    const server = await CoreServer.start();
    const [writer, bad] = [await server.join(), await server.join()];
    const scene = { server, bad };
    const files = Array.from({ length: SAVES }, (_, n) => writer.fid(n));
    for (const [n, fid] of files.entries()) await writer.apply(create(fid, `file ${n}`));
    const asksForAll = (): void => {
      bad.send('FetchStatus', { fids: files });
      const head = server.state.volumes.find(VOLUME)?.head.committed ?? 0;
      const page = { since: head as never, limit: 9, wait: false };
      bad.send('Changes', { volume: VOLUME, ...page, promise: true });
    };
    const waits: number[] = [];
    for (const fid of files) {
      asksForAll();
      await server.settle();
      server.hold.breaks = true;
      const save = writer.sendUpdates([{ update: chmod(fid, 0o600) }]);
      await server.settle();
      let waited = 0;
      for (; server.outcome(save) === undefined && waited <= LONGEST_MS; waited += LOOK_MS) {
        await server.pass(LOOK_MS);
        await writer.ask('GetTime', {});
        await meanwhile?.(scene, waited + LOOK_MS);
        await server.settle();
      }
      waits.push(waited);
      await server.pass(LOOK_MS);
      await afterwards?.(scene);
      await server.settle();
    }
    const beyond = (ms: number): number => waits.filter((waited) => waited > ms).length;
    expect({ waits, beyond: beyond(LONGEST_MS) }).toMatchObject({ beyond: 0 });
    expect({ waits, long: beyond(THEN_MS) <= long }).toMatchObject({ long: true });
    expect(waits[0]).toBeGreaterThan(THEN_MS);
  },
);

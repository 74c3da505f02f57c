/** Each way to die does what it says, and what was acknowledged is there afterwards. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { seconds } from '../../../../shared/model/time.ts';
import { begun } from '../../../../test/support/fault-target.ts';
import type { Observation } from '../check/observation.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { Cluster } from '../cluster/cluster.ts';
import { crashAny, crashAt, crashStart } from './crash.ts';

const SERVER = -1;

let cluster: Cluster;
let ada: ClientNode;
let ends: Array<[string, string]>;

beforeEach(async () => {
  cluster = await Cluster.start({ clients: 1, frontEnd: 'none' });
  ada = cluster.clients[0] as ClientNode;
  await cluster.settled();
  ends = [];
  cluster.watch((seen: Observation) => {
    if (seen.kind === 'ended') ends.push([seen.who, seen.how]);
  });
});

async function adasText(): Promise<string | null> {
  await cluster.settled();
  const isThere = await cluster.at(ada, (files) => files.exists('/doc'));
  return isThere ? cluster.at(ada, (files) => files.read('/doc')) : null;
}

const POINT = { machine: 0, nth: 1, how: 'killed' };

describe('the fault crash-at', () => {
  it.each(['before', 'middle', 'after'])(
    'kills a laptop %s a labelled call without an answer, and it restarts',
    async (moment) => {
      const end = await begun(cluster, crashAt, { ...POINT, label: 'files.finish', moment });
      let answered = false;
      void ada.files.write('/doc', 'text').then(() => (answered = true));
      await cluster.until(() => !ada.running, 'the crash');
      await cluster.pass(seconds(1));
      expect([answered, ends]).toEqual([false, [['ada', 'killed']]]);
      await end();
      expect([ada.running, ada.crashPoints.armed]).toEqual([true, false]);
    },
  );

  it('leaves a record whole or absent', async () => {
    const lost = { ...POINT, label: 'database.record', moment: 'before', how: 'killed' };
    let end = await begun(cluster, crashAt, lost);
    void ada.files.mkdir('/lost');
    await cluster.until(() => !ada.running, 'the crash');
    await end();
    await cluster.settled();
    end = await begun(cluster, crashAt, { ...lost, moment: 'after' });
    void ada.files.mkdir('/kept');
    await cluster.until(() => !ada.running, 'the crash');
    await end();
    await cluster.settled();
    expect(await cluster.at(ada, (files) => files.names('/'))).toEqual(['kept']);
  });

  it('strikes at the nth call, and not when it is over before', async () => {
    const end = await begun(cluster, crashAt, {
      ...POINT,
      label: 'files',
      moment: 'after',
      nth: 50,
    });
    await cluster.at(ada, (files) => files.write('/doc', 'text'));
    await end();
    for (let i = 0; i < 30; i++) await cluster.at(ada, (files) => files.write('/doc', `${i}`));
    expect([ends, await adasText()]).toEqual([[], '29']);
  });

  it.each(['disk.sync', 'disk.rename', 'contents.put', 'database.commit'])(
    'strikes the server at %s, and acknowledged changes still arrive',
    async (label) => {
      for (const moment of ['before', 'middle', 'after']) {
        const point = { machine: SERVER, nth: 1, label, moment, how: 'power' };
        const end = await begun(cluster, crashAt, point);
        await cluster.at(ada, (files) => files.write('/doc', `${label} ${moment}`));
        await cluster.until(() => !cluster.server.running, 'the crash');
        await end();
        expect(await adasText()).toBe(`${label} ${moment}`);
      }
      expect(ends).toHaveLength(3);
    },
  );
});

describe('the fault crash-any', () => {
  it('strikes several machines after a number of events', async () => {
    const end = await begun(cluster, crashAny, {
      machine: 0,
      other: SERVER,
      several: true,
      events: 3,
      how: 'power',
    });
    for (let i = 0; i < 3; i++) {
      expect(ends).toEqual([]);
      await cluster.world.step();
    }
    expect(ends).toEqual([
      ['ada', 'power'],
      ['server', 'power'],
    ]);
    await end();
    await cluster.until(() => ada.status.connected, 'ada to be back');
  });
});

describe('the fault crash-start', () => {
  it.each([0, SERVER])('kills a machine repeatedly during its start (%d)', async (machine) => {
    await cluster.at(ada, (files) => files.write('/doc', 'text'));
    await cluster.until(() => ada.isDurable, 'the save to be durable');
    const details = { machine, times: 3, nth: 1, moment: 'before', how: 'power' };
    const end = await begun(cluster, crashStart, details);
    await end();
    expect(ends.length).toBeGreaterThan(1);
    expect(await adasText()).toBe('text');
  });
});

/** What a message passes that is not named in it is told of before it goes, or rises (rule S5). */
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ClientBench, ROOT, type BenchClient } from '../../../test/support/client-bench.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import { instant } from '../../../shared/model/time.ts';

let bench: ClientBench;
let a: BenchClient;
let doc: Fid;
let other: Fid;
let dir: Fid;
let more: Fid;
/** What a has sent and raised since the last look, in order. */
let sent: () => unknown[];

const mkdir = (where: Fid, name: string) =>
  ({ op: 'mkdir', dir: where, name, options: { mode: 0o755 } }) as const;

beforeEach(async () => {
  bench = await ClientBench.start();
  a = await bench.join();
  const b = await bench.join();
  for (const name of ['doc', 'other']) await a.write(ROOT, name, 'first');
  for (const name of ['dir', 'more']) await a.do(mkdir(ROOT, name));
  await bench.settle();
  const fidOf = async (name: string): Promise<Fid> =>
    (await b.do({ op: 'lookup', dir: ROOT, name })).fid;
  doc = await fidOf('doc');
  other = await fidOf('other');
  dir = await fidOf('dir');
  more = await fidOf('more');
  // So nothing of these is a's own.
  for (const fid of [ROOT, dir, more]) await b.list(fid);
  for (const fid of [doc, other]) await b.read(fid);
  for (const fid of [dir, more]) await a.list(fid);
  for (const fid of [doc, other]) await a.read(fid);
  const step = jest.spyOn(a.client, 'step');
  sent = () => {
    const results = step.mock.results.splice(0);
    const effects = results.flatMap(
      ({ value }) => (value as ReturnType<typeof a.client.step>).effects,
    );
    return effects.flatMap((effect): unknown[] => {
      if (effect.kind === 'raise') return [`raise to ${effect.priorityClass}`];
      if (effect.kind !== 'request') return [];
      const { rpc, body } = effect.message;
      if (rpc === 'Apply' || rpc === 'Store') return [`${rpc} in ${effect.priorityClass}`];
      if (rpc !== 'ForwardInvalidate') return [];
      return [{ tells: body.marks.map(({ fid }) => fid) }];
    });
  };
});

const now = () => instant(bench.now);
const inside = () => a.client.inside;

/** A save that does not go out by itself. */
async function held(fid: Fid, text: string): Promise<void> {
  inside().delays.failed({ kind: 'store' }, now(), 1);
  await a.store(fid, text);
}

function pull(fid: Fid): void {
  inside().delays.succeeded({ kind: 'store' });
  a.feed({ kind: 'pull', call: bench.id(), fids: [fid] });
}

describe('names under way are announced before a save that overtakes them because it', () => {
  it('is sent when somebody waits for it', async () => {
    await held(doc, 'second');
    a.call(mkdir(dir, 'new'));
    expect(sent().slice(-1)).toEqual(['Apply in STORE_ATTR']);
    pull(doc);
    expect(sent()).toEqual([{ tells: [dir] }, 'Store in FETCH']);
  });

  it('is sent, and they are announced once', async () => {
    await held(doc, 'second');
    await held(other, 'second');
    for (const each of [dir, more]) a.call(mkdir(each, 'new'));
    sent();
    pull(doc);
    expect(sent()).toEqual([{ tells: [dir, more] }, 'Store in FETCH', 'Store in STORE_FAST']);
    pull(other);
    expect(sent()).toEqual(['raise to FETCH']);
  });

  it('is expedited while it is sent', async () => {
    await held(doc, 'second');
    inside().delays.succeeded({ kind: 'store' });
    a.call(mkdir(dir, 'new'));
    a.feed({ kind: 'tick' });
    expect(sent().slice(-2)).toEqual(['Apply in STORE_ATTR', 'Store in STORE_FAST']);
    pull(doc);
    expect(sent()).toEqual([{ tells: [dir] }, 'raise to FETCH']);
  });

  it('is in another batch that somebody waits for', () => {
    a.call(mkdir(dir, 'new'));
    a.call({ op: 'setattr', fid: doc, change: { mode: 0o600 } });
    sent();
    pull(doc);
    expect(sent()).toEqual([{ tells: [dir] }, 'raise to FETCH']);
  });
});

it.each([
  ['announced before an expedited one overtakes it', false],
  ['not announced when it has begun to arrive', true],
])('a save under way is %s', async (_, hasBegun) => {
  // The server's answers to saves come late.
  const feed = a.feed.bind(a);
  a.feed = (event) => {
    const isOfSave = event.kind === 'reply' && event.reply.ok && isStored(event.reply.body);
    if (!isOfSave) feed(event);
  };
  await held(doc, 'second');
  inside().delays.succeeded({ kind: 'store' });
  await a.store(other, 'second');
  expect(sent()).toEqual([{ tells: [doc] }, 'Store in STORE_FAST', 'Store in STORE_FAST']);
  const requests = [...inside().requests.values()];
  const { id: request } = requests.find(({ purpose }) => {
    return purpose.for === 'store' && purpose.fid === other;
  }) as { id: number };
  if (hasBegun) feed({ kind: 'progress', request, sentBytes: 3, receivedBytes: 0 });
  pull(doc);
  expect(sent()).toEqual([...(hasBegun ? [] : [{ tells: [other] }]), 'raise to FETCH']);
});

function isStored(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'result' in body;
}

import { beforeEach, describe, expect, it } from '@jest/globals';
import type { VolumeId } from '../../shared/model/fid.ts';
import type { PriorityClass } from '../../shared/model/priority-class.ts';
import type { UpdateSeq } from '../../shared/model/update.ts';
import { MAX_STORES_TOGETHER, MAX_STORE_TOGETHER } from '../../shared/wire/limits.ts';
import type { RequestOf } from '../../shared/wire/rpcs.ts';
import { MemoryLog } from '../../app/lab/simulator/process/memory-log.ts';
import { World } from '../../app/lab/simulator/world.ts';
import type { RpcReply } from '../core/events.ts';
import { StoreBatcher } from './store-batcher.ts';
import type { Answer, RequestEffect } from './transfers/conversation.ts';

/** What was done, in order. */
let done: string[];
let calls: Array<{ body: RequestOf<'StoreMany'>; length: number; ended: (answer: Answer) => void }>;
let replies: Map<number, RpcReply>;
let joined: Array<PromiseWithResolvers<string>>;
let stores: StoreBatcher;

beforeEach(() => {
  done = [];
  calls = [];
  joined = [];
  replies = new Map();
  stores = new StoreBatcher({
    fileStore: {
      join: (parts) => {
        done.push(`join ${parts.map(({ name }) => name).join(' ')}`);
        joined.push(Promise.withResolvers<string>());
        return (joined.at(-1) as PromiseWithResolvers<string>).promise;
      },
      discard: (path) => {
        done.push(`discard ${path}`);
        return Promise.resolve();
      },
    },
    log: new MemoryLog(new World(1), 'daemon'),
    alone: ({ request }, priorityClass) => void done.push(`alone ${request} ${priorityClass}`),
    call: (requests, message, { priorityClass, content }, ended) => {
      done.push(`call ${requests.join(' ')} ${priorityClass}`);
      const body = message.body as RequestOf<'StoreMany'>;
      calls.push({ body, length: content.length, ended });
    },
    answered: (request, reply, moved) => {
      replies.set(request, reply);
      done.push(`answered ${request} ${moved}`);
    },
    aborted: (request, reason) => void done.push(`aborted ${request} ${reason}`),
  });
});

interface How {
  readonly length?: number;
  readonly priorityClass?: PriorityClass;
  readonly lowWater?: number;
}

const storeOf = (
  request: number,
  { length = 10, priorityClass = 'STORE_DATA', lowWater = request }: How = {},
): RequestEffect => {
  const body = {
    volume: 1 as VolumeId,
    lowWater: lowWater as UpdateSeq,
    seq: request,
    after: [],
    update: {},
  };
  return {
    kind: 'request',
    request,
    message: { rpc: 'Store', body } as unknown as RequestEffect['message'],
    priorityClass,
    content: { name: `c${request}`, length, base: null, from: null, again: false },
  };
};
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const send = async (...effects: RequestEffect[]): Promise<void> => {
  for (const effect of effects) {
    if (!stores.takes(effect)) done.push(`not taken ${effect.request}`);
  }
  await turn();
};
const join = async (path = '/out'): Promise<void> => {
  (joined.at(-1) as PromiseWithResolvers<string>).resolve(path);
  await turn();
};
const since = (): string[] => done.splice(0);
const told = (reply: RpcReply): Answer => ({ kind: 'reply', reply, content: null });
const result = (seq: number) => ({ result: { seq, ok: true, commit: 1, touched: [] } });

describe('short stores of one step', () => {
  it('are sent together and answered separately', async () => {
    await send(storeOf(1, { lowWater: 1 }), storeOf(2, { lowWater: 2, length: 5 }));
    await join();
    expect(since()).toEqual(['join c1 c2', 'call 1 2 STORE_DATA']);
    const [call] = calls;
    expect(call?.length).toBe(15);
    expect(call?.body).toMatchObject({ lowWater: 1, stores: [{ seq: 1 }, { seq: 2 }] });
    const body = { results: [result(1), { code: 'over-quota', detail: 'no' }], rooms: [] };
    call?.ended(told({ ok: true, body, afterBreak: 4 }));
    expect(since()).toEqual(['discard /out', 'answered 1 10', 'answered 2 0']);
    expect(replies.get(1)).toEqual({ ok: true, body: { ...result(1), rooms: [] }, afterBreak: 4 });
    expect(replies.get(2)).toEqual({ ok: false, code: 'over-quota', detail: 'no', afterBreak: 4 });
  });

  it('are sent singly when there is only one', async () => {
    await send(storeOf(1));
    expect(since()).toEqual(['alone 1 STORE_DATA']);
  });

  it('are sent in their order, a long one after those that are joined', async () => {
    await send(storeOf(1), storeOf(2), storeOf(3, { length: MAX_STORE_TOGETHER + 1 }), storeOf(4));
    expect(since()).toEqual(['join c1 c2']);
    await join();
    expect(since()).toEqual(['call 1 2 STORE_DATA', 'alone 3 STORE_DATA', 'alone 4 STORE_DATA']);
    await send(storeOf(5, { length: MAX_STORE_TOGETHER + 1 }));
    expect(since()).toEqual(['not taken 5']);
  });

  it('are sent separately for two classes, in the class they have by then', async () => {
    await send(storeOf(1), storeOf(2), storeOf(3, { priorityClass: 'STORE_FAST' }));
    stores.raise(3, 'FETCH');
    await join();
    expect(since()).toEqual(['join c1 c2', 'call 1 2 STORE_DATA', 'alone 3 FETCH']);
  });

  it.each([1, 2])(
    'are sent in the class of the one that is expedited meanwhile: %i',
    async (raised) => {
      await send(storeOf(1), storeOf(2));
      stores.raise(raised, 'STORE_FAST');
      await join();
      expect(since()).toEqual(['join c1 c2', 'call 1 2 STORE_FAST']);
    },
  );

  it('are not sent when they are cancelled before', async () => {
    await send(storeOf(1), storeOf(2));
    await send(storeOf(3, { length: MAX_STORE_TOGETHER + 1 }), storeOf(4));
    since();
    stores.stop(3);
    stores.stop(2);
    expect(since()).toEqual(['aborted 3 local']);
    await join();
    expect(since()).toEqual([
      'discard /out',
      'alone 1 STORE_DATA',
      'aborted 2 local',
      'alone 4 STORE_DATA',
    ]);
  });

  it('are not cancelled after they were sent', async () => {
    await send(storeOf(1), storeOf(2));
    await join();
    since();
    stores.stop(2);
    expect(since()).toEqual([]);
  });

  it('are at most as many as a message holds', async () => {
    const all = Array.from({ length: MAX_STORES_TOGETHER + 1 }, (_, index) => storeOf(index + 1));
    await send(...all);
    await join();
    expect(calls[0]?.body.stores).toHaveLength(MAX_STORES_TOGETHER);
    expect(since().at(-1)).toBe(`alone ${MAX_STORES_TOGETHER + 1} STORE_DATA`);
  });

  it('collect while others are being joined', async () => {
    await send(storeOf(1), storeOf(2));
    await send(storeOf(3));
    await send(storeOf(4));
    await join();
    expect(since()).toEqual(['join c1 c2', 'call 1 2 STORE_DATA', 'join c3 c4']);
  });
});

describe('each store that was joined with others', () => {
  beforeEach(async () => {
    await send(storeOf(1), storeOf(2));
  });

  it('is sent singly when joining fails', async () => {
    joined[0]?.reject(new Error('EIO'));
    await turn();
    expect(since()).toEqual(['join c1 c2', 'alone 1 STORE_DATA', 'alone 2 STORE_DATA']);
  });

  it('is sent singly when nothing is known about it yet', async () => {
    await join();
    since();
    calls[0]?.ended(told({ ok: true, body: { results: [null, result(2)] } }));
    expect(since()).toEqual(['discard /out', 'answered 2 10', 'alone 1 STORE_DATA']);
  });

  it('is sent singly when the server does not support joining, until the next connection', async () => {
    await join();
    since();
    calls[0]?.ended(told({ ok: false, code: 'bad-message', detail: '' }));
    expect(since()).toEqual(['discard /out', 'alone 1 STORE_DATA', 'alone 2 STORE_DATA']);
    await send(storeOf(3), storeOf(4));
    expect(since()).toEqual(['not taken 3', 'not taken 4']);
    stores.closed();
    await send(storeOf(5), storeOf(6));
    expect(since()).toEqual(['join c5 c6']);
  });

  it('is sent singly when the joined file cannot be read', async () => {
    await join();
    since();
    calls[0]?.ended({ kind: 'aborted', reason: 'source', begun: null, partial: null });
    expect(since()).toEqual(['discard /out', 'alone 1 STORE_DATA', 'alone 2 STORE_DATA']);
  });
});

describe('all stores of a message', () => {
  it('end with a failure of the message', async () => {
    await send(storeOf(1), storeOf(2));
    await join();
    since();
    const reply = { ok: false, code: 'server-full', detail: '' } as const;
    calls[0]?.ended(told(reply));
    expect(since()).toEqual(['discard /out', 'answered 1 0', 'answered 2 0']);
    expect([...replies.values()]).toEqual([reply, reply]);
  });

  it('end with their connection before they were sent', async () => {
    await send(storeOf(1), storeOf(2));
    await send(storeOf(3));
    stores.closed();
    expect(since()).toEqual([
      'join c1 c2',
      'aborted 1 closed',
      'aborted 2 closed',
      'aborted 3 closed',
    ]);
    await join();
    expect(since()).toEqual(['discard /out']);
    await send(storeOf(4), storeOf(5));
    expect(since()).toEqual(['join c4 c5']);
  });

  it('end with their call', async () => {
    await send(storeOf(1), storeOf(2));
    await join();
    since();
    calls[0]?.ended({
      kind: 'aborted',
      reason: 'closed',
      begun: null,
      partial: { path: '/part', length: 1 },
    });
    expect(since()).toEqual([
      'discard /out',
      'discard /part',
      'aborted 1 closed',
      'aborted 2 closed',
    ]);
  });
});

import { expect, it } from '@jest/globals';
import { makeFid } from '../../../shared/model/fid.ts';
import { instant, milliseconds, wallTime } from '../../../shared/model/time.ts';
import { dataVersion, type Digest } from '../../../shared/model/vnode.ts';
import type { RequestId } from '../events.ts';
import { ClientState } from '../state.ts';
import { onLostAnyCopy, onLostCopy } from './epoch-change.ts';

const FIRST = 3 as RequestId;
const SECOND = 7 as RequestId;
const LOST = { name: 'c1', fid: makeFid(1, 2, 2) };
const VERSION = { version: dataVersion(4), digest: 'a'.repeat(64) as Digest };
const NOT_HERE = { ok: true, path: null, digest: null, length: 0 } as const;

/** A second change is under way, and waits for one copy; the first was abandoned when its connection went. */
function waiting(): ClientState {
  const state = new ClientState(
    {
      frontEnd: 'none',
      invitation: null,
      ...{ deviceName: 'laptop', software: 'test' },
      ...{ notConnectedWait: milliseconds(0), cacheBytes: 0, localCopies: true },
    },
    { at: instant(0), wall: wallTime(0) },
  );
  state.recovery.begin({
    request: SECOND,
    reply: { volumes: [] } as never,
    ...{ volumes: [], toRead: [], wanted: [], copying: 1, read: true },
  });
  return state;
}

const answers = [
  [
    'a copy',
    (state: ClientState, change: RequestId) =>
      onLostCopy(state, { for: 'lost-copy', ...LOST, ...VERSION, change }, NOT_HERE),
  ],
  [
    'a copy of any version',
    (state: ClientState, change: RequestId) =>
      onLostAnyCopy(state, { for: 'lost-any-copy', ...LOST, change }, NOT_HERE),
  ],
] as const;

it.each(answers)('an abandoned change leaves nothing to the next one: %s', (_, answer) => {
  const state = waiting();
  answer(state, FIRST);
  expect(state.recovery.change?.copying).toBe(1);
  answer(state, SECOND);
  expect(state.recovery.change).toBeNull();
  expect(state.recovery.takeDone()).toMatchObject({ request: SECOND });
});

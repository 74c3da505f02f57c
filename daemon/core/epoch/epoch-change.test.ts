import { expect, it } from '@jest/globals';
import { makeFid } from '../../../shared/model/fid.ts';
import { instant, milliseconds, wallTime } from '../../../shared/model/time.ts';
import { dataVersion, type Digest } from '../../../shared/model/vnode.ts';
import type { Serial } from '../events.ts';
import { ClientState } from '../state.ts';
import { onLostAnyCopy, onLostCopy } from './epoch-change.ts';

const FIRST = 3 as Serial;
const SECOND = 7 as Serial;
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
  state.epochChange = {
    request: SECOND,
    reply: { volumes: [] } as never,
    ...{ volumes: [], toRead: [], wanted: [], copying: 1, read: true },
  };
  return state;
}

const answers = [
  [
    'a copy',
    (state: ClientState, change: Serial) =>
      onLostCopy(state, { for: 'lost-copy', ...LOST, ...VERSION, change }, NOT_HERE),
  ],
  [
    'a copy of any version',
    (state: ClientState, change: Serial) =>
      onLostAnyCopy(state, { for: 'lost-any-copy', ...LOST, change }, NOT_HERE),
  ],
] as const;

it.each(answers)(
  'the answer "%s" for an abandoned epoch change does not count for the next',
  (_, answer) => {
    const state = waiting();
    answer(state, FIRST);
    expect(state.epochChange?.copying).toBe(1);
    answer(state, SECOND);
    expect(state.epochChange).toBeNull();
    expect(state.epochChanged).toMatchObject({ request: SECOND });
  },
);

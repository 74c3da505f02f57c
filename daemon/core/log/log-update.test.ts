/** A save that takes the place of one which was surely not sent: what becomes of the earlier contents. */
import { expect, it } from '@jest/globals';
import type { Fid } from '../../../shared/model/fid.ts';
import { EMPTY_DIGEST, type DataVersion, type Mtime } from '../../../shared/model/vnode.ts';
import type { StoreUpdate } from '../../../shared/model/update.ts';
import { instant, wallTime } from '../../../shared/model/time.ts';
import { ClientState, type ClientConfig } from '../state.ts';
import { logStore } from './log-update.ts';

const FILE = '1.7.2' as Fid;
const store = (base: number): StoreUpdate => ({
  ...{ op: 'store', fid: FILE, size: 0, digest: EMPTY_DIGEST, mtime: '1' as Mtime },
  base: base as DataVersion,
});

const CONFIG = { deviceName: 'here', frontEnd: 'none', clientVersion: 'test', daemonRun: 'r' };

/** What happens to contents when `new` is stored where the log has these contents, the last one unsent; and the log after that. */
function storedOver(...contents: string[]) {
  const now = { at: instant(0), wall: wallTime(0) };
  const state = new ClientState(CONFIG as unknown as ClientConfig, now);
  const done: string[] = [];
  const files = {
    hold: (name: string) => done.push(`hold ${name}`),
    renumber: () => undefined,
    doom: (name: string) => done.push(`doom ${name}`),
    release: (name: string) => done.push(`release ${name}`),
  };
  Object.assign(state.cache, { files });
  for (const content of contents) {
    const place = {
      place: null,
      ancestors: [],
      above: [],
      movesDirectory: false,
      endsVnode: false,
    };
    state.log.append({
      ...{ update: store(0), content, ...place },
      ...{
        rank: null,
        renumbered: 0,
        queueStatus: { priority: -2, isCancelled: false, written: null },
      },
    });
  }
  const entry = logStore(state, store(1), 'new');
  return { done, entry, state };
}

it('the old contents of a superseded store are released', () => {
  expect(storedOver('old').done).toEqual(['hold new', 'doom old', 'release old']);
});

it('the old contents of a superseded store are kept for another update that uses them', () => {
  expect(storedOver('old', 'old').done).toEqual(['hold new', 'release old']);
});

it('a superseding store goes to the end of the log with the rank and order of the earlier one', () => {
  const { entry, state } = storedOver('old');
  expect([...state.log.all()]).toEqual([entry]);
  expect(entry).toMatchObject({ seq: 2, rank: 1, update: store(0), queueStatus: { priority: -2 } });
});

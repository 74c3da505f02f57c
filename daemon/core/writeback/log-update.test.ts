/** A save that takes the place of one which was surely not sent: what becomes of the earlier contents. */
import { expect, it } from '@jest/globals';
import type { Fid } from '../../../shared/model/fid.ts';
import { EMPTY_DIGEST, type DataVersion, type Mtime } from '../../../shared/model/vnode.ts';
import type { StoreUpdate } from '../../../shared/model/update.ts';
import { DEFAULT_WRITEBACK } from '../../../shared/model/writeback.ts';
import type { ClientState } from '../state.ts';
import { logStore } from './log-update.ts';

const FILE = '1.7.2' as Fid;
const store = (base: number): StoreUpdate => ({
  ...{ op: 'store', fid: FILE, size: 0, digest: EMPTY_DIGEST, mtime: '1' as Mtime },
  base: base as DataVersion,
});

/** What happens to contents when `new` is stored where the log has these contents, the last one unsent. */
function storedOver(...contents: string[]): string[] {
  const done: string[] = [];
  const entries = contents.map((content) => {
    return {
      update: store(0),
      content,
      state: 'queued',
      fresh: true,
      waiters: new Set(),
      grows: 0,
    };
  });
  const state = {
    log: {
      index: { onVnode: () => entries },
      amend: (entry: object, update: StoreUpdate, content: string) => {
        Object.assign(entry, { update, content });
      },
      measure: () => undefined,
    },
    aside: new Set(),
    writeback: DEFAULT_WRITEBACK,
    files: {
      hold: (name: string) => done.push(`hold ${name}`),
      renumber: () => undefined,
      doom: (name: string) => done.push(`doom ${name}`),
      release: (name: string) => done.push(`release ${name}`),
    },
  } as unknown as ClientState;
  logStore(state, store(1), 'new');
  return done;
}

it('lets them go', () => {
  expect(storedOver('old')).toEqual(['hold new', 'doom old', 'release old']);
});

it('keeps them for another update that has them, as one that was offered again', () => {
  expect(storedOver('old', 'old')).toEqual(['hold new', 'release old']);
});

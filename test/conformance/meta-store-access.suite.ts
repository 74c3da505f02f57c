/** What every MetaStore makes of access lists and teams (clause 7). */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { rightSet, USUAL_SETS } from '../../shared/model/access-list.ts';
import type { AccessQuestion } from '../../shared/model/decide-access.ts';
import { rootOf } from '../../shared/model/fid.ts';
import type { RowWrite } from '../../shared/model/stored.ts';
import type { MetaStore } from '../../shared/ports/meta-store.ts';
import { DEVICE, FIRST, VOLUME } from './meta-script.ts';
import type { MetaHarness } from './meta-store-harness.ts';

const OWNER = { person: 1 };
const EXPIRES = (FIRST.when + 1000) as typeof FIRST.when;
const BOBS = 9;
const FINGERPRINT = 'f'.repeat(64);

const hello = (changes: Partial<Extract<RowWrite, { kind: 'device' }>> = {}): RowWrite => ({
  kind: 'device',
  id: DEVICE,
  fingerprint: FINGERPRINT,
  name: 'laptop',
  user: 1,
  incarnation: '1'.repeat(32),
  previousIncarnation: null,
  when: FIRST.when,
  ...changes,
});

export function metaAccessSuite(name: string, make: () => MetaHarness): void {
  let harness: MetaHarness;
  let store: MetaStore;

  beforeEach(async () => {
    harness = make();
    store = harness.store;
    await store.open(FIRST);
    await store.commit([hello()]);
  });
  afterEach(() => harness.end());

  const ask = (question: AccessQuestion, asker: { person: number | null } = OWNER) =>
    store.askAccess(question, asker);

  const set = (who: string, rights: number, negative = false) => {
    const kind = who.startsWith('@') ? 'team' : 'person';
    const row = { kind, name: who.replace('@', ''), negative, rights } as const;
    return ask({ ask: 'set', volume: VOLUME, ...row });
  };

  /** A laptop of bob, who may read; gives the number of its user. */
  async function joinBob(): Promise<number> {
    const { id } = harness.invite({ user: 'bob', rights: 'read', expires: EXPIRES });
    const [row] = await store.load([{ kind: 'invitation', id }]);
    const { user } = row as { user: number };
    const to = { user, volume: VOLUME, rights: 'read' } as const;
    const fingerprint = '9'.repeat(64);
    await store.commit([
      { kind: 'redeemed', id, fingerprint, ...to, when: FIRST.when },
      hello({ id: BOBS, fingerprint, user }),
    ]);
    return user;
  }

  const bobMay = async () => (await store.accessOf([BOBS]))[0]?.access ?? [];

  describe(`the access lists of a MetaStore (${name})`, () => {
    it('begin with the first user, who administers the first volume', async () => {
      expect(await ask({ ask: 'list', volume: VOLUME })).toEqual({
        answer: 'list',
        own: USUAL_SETS.admin,
        entries: [
          { kind: 'person', name: FIRST.userName, negative: false, rights: USUAL_SETS.admin },
        ],
      });
      expect(await store.accessOf([DEVICE])).toMatchObject([
        { access: [{ volume: VOLUME, name: 'home', rights: 'write' }] },
      ]);
    });

    it('change what a person may do, by what is given and denied to them and their teams', async () => {
      await joinBob();
      expect(await bobMay()).toEqual([{ volume: VOLUME, name: 'home', rights: 'read' }]);
      await ask({ ask: 'make-team', team: 'crew' });
      await ask({ ask: 'member', team: 'crew', kind: 'person', name: 'bob', isIn: true });
      await set('@crew', rightSet(['insert']));
      expect(await bobMay()).toMatchObject([
        { rights: 'write', may: rightSet(['lookup', 'read', 'insert']) },
      ]);
      await set('bob', rightSet(['insert']), true);
      expect(await bobMay()).toEqual([{ volume: VOLUME, name: 'home', rights: 'read' }]);
      await set('bob', rightSet(['lookup']), true);
      expect(await bobMay()).toEqual([]);
      await set('bob', 0, true);
      await ask({ ask: 'switch-team', team: 'crew', isOff: true });
      expect(await bobMay()).toEqual([{ volume: VOLUME, name: 'home', rights: 'read' }]);
      await ask({ ask: 'end-team', team: 'crew' });
      await set('bob', 0);
      expect(await bobMay()).toEqual([]);
    });

    it('have the volumes that people make to share a folder, each made once', async () => {
      const order = {
        ask: 'make-volume',
        volume: VOLUME,
        label: 'trip',
        when: FIRST.when,
      } as const;
      const nonce = '7'.repeat(32);
      const person = { person: 1 };
      const made = await ask({ ...order, nonce }, person);
      if (made.answer !== 'made') throw new Error(made.answer);
      expect(made.name).toMatch(/^trip-[0-9a-f]{4}$/);
      expect(await ask({ ...order, nonce }, person)).toEqual(made);
      const other = await ask({ ...order, nonce: '8'.repeat(32) }, person);
      const { volumes } = await store.volumes();
      expect(volumes.map(({ name: called }) => called)).toContain(made.name);
      expect(volumes).toHaveLength(3);
      expect(other).not.toEqual(made);
      const [root] = await store.load([{ kind: 'vnode', fid: rootOf(made.volume) }]);
      expect(root).toMatchObject({ status: { kind: 'directory', links: 1 }, entries: 0 });
    });

    it('remember who gave a right at a laptop', async () => {
      const bob = await joinBob();
      const row = {
        kind: 'person',
        name: 'bob',
        negative: false,
        rights: USUAL_SETS.write,
      } as const;
      await ask({ ask: 'set', volume: VOLUME, ...row }, { person: 1 });
      const shares = await ask({ ask: 'shares' }, { person: bob });
      expect(shares).toMatchObject({
        person: 'bob',
        shares: [{ volume: VOLUME, own: USUAL_SETS.write, by: FIRST.userName }],
      });
      expect(await ask({ ask: 'leave', volume: VOLUME }, { person: bob })).toMatchObject({
        answer: 'done',
      });
      expect(await bobMay()).toEqual([]);
    });

    it('outlive a restart, and a refused question changes nothing', async () => {
      await joinBob();
      expect(await set(FIRST.userName, 0)).toMatchObject({
        answer: 'refused',
        code: 'last-administrator',
      });
      await ask({ ask: 'make-team', team: 'crew' });
      await ask({ ask: 'make-team', team: 'all' });
      await ask({ ask: 'member', team: 'all', kind: 'team', name: 'crew', isIn: true });
      await set('@all', USUAL_SETS.write);
      const lists = async () => [
        await ask({ ask: 'list', volume: VOLUME }),
        await ask({ ask: 'teams', team: 'all' }),
      ];
      const before = await lists();
      store = harness.restart();
      await store.open(FIRST);
      expect(await lists()).toEqual(before);
    });

    it('let nobody in by an invitation whom they deny the volume', async () => {
      const user = await joinBob();
      await set('bob', rightSet(['read']), true);
      const { id } = harness.invite({ user: 'bob', rights: 'write', expires: EXPIRES });
      const [row] = await store.load([{ kind: 'invitation', id }]);
      expect(row).toMatchObject({ user, access: [], becomes: null });
      const to = { user, volume: VOLUME, rights: 'write' } as const;
      await store.commit([
        { kind: 'redeemed', id, fingerprint: FINGERPRINT, ...to, when: FIRST.when },
      ]);
      expect(await bobMay()).toEqual([]);
      await set('bob', 0, true);
      expect(await bobMay()).toMatchObject([{ rights: 'write' }]);
    });
  });
}

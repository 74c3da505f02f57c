/** Canaries of shared folders: leaving ends the rights of others, offers are told to anybody, an order is forgotten, a digest is enough, and work is dropped. */
import { Client } from '../../../../daemon/core/client.ts';
import { Activity } from '../../../../server/runtime/activity.ts';
import { volumeOf, type VolumeId } from '../../../../shared/model/fid.ts';
import type { DeviceId } from '../../../../shared/model/change.ts';
import type { Access } from '../../../../shared/model/stored.ts';
import type { SharingDeed } from '../fault/sharing-act.ts';
import type { LaptopPlan, Plan, PlanEntry } from '../plan/plan.ts';
import { FIRST_DRAWN } from '../store/add-volume.ts';
import { PlainRows } from '../store/plain-rows.ts';
import type { Mutant } from './mutant.ts';
import { replaceMethod } from './replace-method.ts';

const about = { caughtBy: 'a shared folder is of its people', plan: sharedPlan };

export const leaveForAll: Mutant = {
  name: 'leave-for-all',
  rule: 'A7',
  ...about,
  begin: () =>
    replaceMethod(PlainRows.prototype, 'askAccess', (original) => {
      return function askAccess(this: PlainRows, question, asker) {
        const others = question.ask === 'leave' ? this.given() : [];
        const answer = original.call(this, question, asker);
        for (const { person, volume } of others) {
          if ('volume' in question && volume === question.volume) this.allow(person, volume, null);
        }
        return answer;
      };
    }),
};

/** As if whoever asks had made it. */
export const offerToAll: Mutant = {
  name: 'offer-to-all',
  rule: 'A5',
  ...about,
  begin: () =>
    replaceMethod(PlainRows.prototype, 'askAccess', (original) => {
      return function askAccess(this: PlainRows, question, asker) {
        const answer = original.call(this, question, asker);
        if (answer.answer !== 'shares') return answer;
        const [first] = answer.shares;
        const made = this.volumes().filter(({ id }) => id >= FIRST_DRAWN);
        if (first === undefined) return answer;
        return { ...answer, shares: made.map(({ id }) => ({ ...first, volume: id })) };
      };
    }),
};

export const forgetOrder: Mutant = {
  name: 'forget-order',
  rule: 'A6',
  ...about,
  begin: () =>
    replaceMethod(PlainRows.prototype, 'changeVolume', (original) => {
      return function changeVolume(this: PlainRows, id, change) {
        if (change.made === undefined) original.call(this, id, change);
        else original.call(this, id, { limit: change.limit ?? null });
      };
    }),
};

/** Who names a version of a file gets a right to its volume. */
export const digestAlone: Mutant = {
  name: 'digest-alone',
  rule: 'M3',
  ...about,
  begin: () =>
    replaceMethod(Activity.prototype, 'hears', (original) => {
      return function hears(this: Activity, state, event, now) {
        if (event.kind === 'request' && event.request.rpc === 'Store') {
          const from = event.request.body.stream?.from;
          const device = state.connections.get(event.connection)?.device ?? null;
          if (from !== undefined && device !== null) {
            const volume = volumeOf(from.fid);
            const known = device.rights.get(volume) ?? { volume, name: 'x', rights: 'read' };
            device.rights = new Map([...device.rights, [volume, known]]);
          }
        }
        original.call(this, state, event, now);
      };
    }),
};

/** The server goes on with every right that a device ever had. */
export const keepLostRight: Mutant = {
  name: 'keep-lost-right',
  rule: 'A3',
  ...about,
  begin: () => {
    const ever = new WeakMap<object, Map<DeviceId, Map<VolumeId, Access>>>();
    return replaceMethod(Activity.prototype, 'hears', (original) => {
      return function hears(this: Activity, state, event, now) {
        const all = ever.get(this) ?? new Map<DeviceId, Map<VolumeId, Access>>();
        ever.set(this, all);
        for (const [id, device] of state.devices) {
          const kept = new Map([...(all.get(id) ?? []), ...device.rights]);
          all.set(id, kept);
          device.rights = kept;
        }
        original.call(this, state, event, now);
      };
    });
  },
};

const isShared = (volume: VolumeId): boolean => volume >= FIRST_DRAWN;

/** What may not be sent any more leaves the log. */
export const dropWithdrawn: Mutant = {
  name: 'drop-withdrawn',
  rule: 'A4',
  ...about,
  begin: () =>
    replaceMethod(Client.prototype, 'step', (step) => {
      return function (this: Client, event, now) {
        const done = step.call(this, event, now);
        const { log } = this.inside;
        for (const entry of [...log.all()]) {
          if (entry.state === 'blocked' && isShared(volumeOf(entry.update.fid))) log.remove(entry);
        }
        return done;
      };
    }),
};

/** ada shares a folder with bob and cleo, who accept it; one leaves, the right of the other goes while they write; and somebody spies. */
export function sharedPlan(seed: number): Plan {
  const laptop = { rights: 'write', frontEnd: 'none' } as const;
  const laptops: LaptopPlan[] = [1, 2, 3].map((volume) => ({ ...laptop, volume }));
  let at = 0;
  const act = (deed: SharingDeed, who: number, other: number, lastsMs = 0): PlanEntry => {
    at += 2_000 + (seed % 7) * 50;
    const drawn = { which: 0, seed: seed * 100 + entries.length, meanwhile: 'nothing' };
    const fault = { family: 'sharing', laptop: who, other, act: deed, ...drawn, lastsMs };
    return { at, kind: 'fault', fault };
  };
  const entries: PlanEntry[] = [];
  const [ada, bob, cleo] = [0, 1, 2];
  const deeds: Array<[SharingDeed, number, number, number?]> = [
    ...([0, 0, 0].map(() => ['share', ada, ada]) as Array<[SharingDeed, number, number]>),
    ['look', cleo, ada],
    ['offer', ada, bob, 90_000],
    ['offer', ada, cleo, 90_000],
    ['accept', bob, ada],
    ['accept', cleo, ada],
    ['work', ada, ada],
    ['work', bob, ada],
    ['spy', ada, ada, 60_000],
    ['move', bob, ada, 60_000],
    ['leave', cleo, ada, 30_000],
    ['look', bob, ada],
    ['unshare', ada, bob, 40_000],
    ['work', bob, ada],
    ['work', ada, ada],
    ['work', ada, ada],
  ];
  for (const deed of deeds) entries.push(act(...deed));
  const network = { delayMs: 20, bytesPerSecond: 50_000 };
  return { seed, settings: { laptops, diskMs: 0, network }, entries };
}

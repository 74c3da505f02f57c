/**
 * The devices of this person as the server has told them, and which have joined since: whoever reads it may know nothing of such a one. It outlives the
 * daemon, and so does when a new one was told of.
 *
 * What there was when this laptop was paired is no news, and numbers count within one epoch: a server that was put back gives them again.
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import { isoTime } from '../../../shared/model/conflict-name.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { ReplyOf } from '../../../shared/wire/rpcs.ts';
import { JOINED_SHOWN } from '../../limits.ts';
import type { ClientState } from '../state.ts';
import type { Known, KnownDevice } from './device-list.ts';

/** Of `meta`. */
const KEY = 'devices';

/** Takes what the run before has kept. */
export function loadDevices(state: ClientState): void {
  const text = state.meta.get(KEY);
  if (typeof text === 'string') state.devices.current = JSON.parse(text) as Known;
}

/**
 * An answer names the newest device: the list is asked for if that one is not in it, and once in each run. `newest` undefined: nothing is new, or the
 * server is too old to say.
 */
export function onNewestTold(state: ClientState, newest: DeviceId | undefined): void {
  if (newest === undefined) return;
  const { wasTold } = state.devices;
  const isListed = knownIn(state)?.some(({ device }) => device === newest) === true;
  if (wasTold && isListed) return;
  state.send({ rpc: 'Devices', body: {} }, 'VALIDATE', { for: 'devices' });
}

/** Takes the list. */
export function onDevicesTold(state: ClientState, { devices: told }: ReplyOf<'Devices'>): void {
  const epoch = (state.meta.get('epoch') ?? null) as string | null;
  const before = knownIn(state);
  state.devices.wasTold = true;
  const own = state.meta.get('device');
  const most = Math.max(0, ...(before ?? []).map(({ device }) => device));
  const devices = told.map((each): KnownDevice => {
    const { heard } = before?.find(({ device }) => device === each.device) ?? {};
    if (heard !== undefined) return { ...each, heard };
    const isNew = before !== null && each.device > most && each.device !== own;
    return isNew ? { ...each, heard: state.now.wall } : each;
  });
  const text = JSON.stringify({ epoch, devices });
  if (text === state.meta.get(KEY)) return;
  state.meta.set(KEY, text);
  state.devices.current = { epoch, devices };
  state.changed = true;
}

/** What was told in the present epoch; null: nothing was. */
function knownIn({ devices, meta }: ClientState): readonly KnownDevice[] | null {
  const { current } = devices;
  return current !== null && current.epoch === meta.get('epoch') ? current.devices : null;
}

/** For the status: the newest first; those that this laptop has heard of within JOINED_SHOWN are marked. */
export function devicesStatus({ devices, now }: ClientState): Pick<StatusSnapshot, 'devices'> {
  const all = devices.current?.devices ?? [];
  if (all.length === 0) return {};
  return {
    devices: all.map(({ device, name, since, heard }) => ({
      ...{ device, name, since: isoTime(since) },
      ...(heard !== undefined && now.wall - heard <= JOINED_SHOWN
        ? { joined: isoTime(heard) }
        : {}),
    })),
  };
}

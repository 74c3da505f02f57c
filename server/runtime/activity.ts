/**
 * Who has used which volume lately, and what the calls of each volume came to: for the server's administrator alone.
 *
 * What a laptop asks by itself while nobody uses it counts as no use: the time, its greeting, the wait for changes. Calls that wait for changes have
 * no time either. All that is kept is of volumes in which the device has a right, so no device makes it grow.
 */
import type { DeviceId } from '../../shared/model/change.ts';
import { volumeOf, type VolumeId } from '../../shared/model/fid.ts';
import { elapsed, minutes, type Instant } from '../../shared/model/time.ts';
import { grown, NumberSlots } from '../../shared/util/number-slots.ts';
import type { AnyRequest, RpcName } from '../../shared/wire/rpcs.ts';
import type { ServerEvent } from '../core/events.ts';
import type { ServerState } from '../core/state.ts';

/** Whoever has used a volume in this time is active in it (AFS counts so). */
export const ACTIVE_FOR = minutes(15);

const BY_ITSELF: ReadonlySet<RpcName> = new Set<RpcName>([
  'Hello',
  'GetTime',
  'GiveUpCallbacks',
  'AllocateVnodes',
]);

/** What the calls of one volume came to: how many were answered, and the milliseconds they took. */
export interface VolumeCalls {
  calls: number;
  ms: number;
}

export interface Use {
  readonly device: DeviceId;
  readonly user: number;
  readonly volume: VolumeId;
}

interface LastUse extends Use {
  at: Instant;
}

/** Notes the requests that pass, and their ends. */
export class Activity {
  readonly #slots = new NumberSlots();
  /** Of each running call: when it began. */
  #began = new Float64Array(64);
  readonly #callVolumes: Array<VolumeCalls | null> = [];
  readonly #volumes = new Map<VolumeId, VolumeCalls>();
  readonly #uses = new Map<DeviceId, Map<VolumeId, LastUse>>();

  /** How many calls are under way that have a volume. */
  get running(): number {
    return this.#slots.used;
  }

  /** An event that the core is about to hear. */
  hears(state: ServerState, event: ServerEvent, now: Instant): void {
    if (event.kind === 'request') this.#begins(state, event, now);
    else if (event.kind === 'aborted') this.#slots.release(event.call);
  }

  /** A call has its answer. */
  answered(call: number, now: Instant): void {
    const slot = this.#slots.release(call);
    const volume = slot < 0 ? null : this.#callVolumes[slot];
    if (volume === null || volume === undefined) return;
    volume.calls += 1;
    volume.ms += now - (this.#began[slot] ?? now);
  }

  /** Zeros where a volume was not asked for. */
  of(volume: VolumeId): VolumeCalls {
    return this.#volumes.get(volume) ?? { calls: 0, ms: 0 };
  }

  /** When a device last used a volume; null: not in the last ACTIVE_FOR. */
  lastUse(device: DeviceId, now: Instant): Instant | null {
    let last: Instant | null = null;
    for (const { at } of this.#uses.get(device)?.values() ?? []) {
      if (elapsed(at, now) <= ACTIVE_FOR && (last === null || at > last)) last = at;
    }
    return last;
  }

  /** Who has used what in the last ACTIVE_FOR; what is longer ago is forgotten. */
  active(now: Instant): ReadonlyArray<Use & { readonly at: Instant }> {
    for (const [device, uses] of this.#uses) {
      for (const [volume, { at }] of uses) {
        if (elapsed(at, now) > ACTIVE_FOR) uses.delete(volume);
      }
      if (uses.size === 0) this.#uses.delete(device);
    }
    return [...this.#uses.values()].flatMap((uses) => [...uses.values()]);
  }

  #begins(
    { connections }: ServerState,
    { connection, call, request }: Extract<ServerEvent, { kind: 'request' }>,
    now: Instant,
  ): void {
    const device = connections.get(connection)?.device ?? null;
    const volume = device === null || isByItself(request) ? null : volumeIn(request);
    if (device === null || volume === null || !device.rights.has(volume)) return;
    const slot = this.#slots.take(call);
    this.#began = grown(this.#began, slot + 1);
    this.#began[slot] = now;
    this.#callVolumes[slot] = this.#callsOf(volume);
    const uses = this.#uses.get(device.id) ?? new Map<VolumeId, LastUse>();
    const last = uses.get(volume);
    if (last !== undefined) last.at = now;
    else uses.set(volume, { device: device.id, user: device.user, volume, at: now });
    this.#uses.set(device.id, uses);
  }

  #callsOf(volume: VolumeId): VolumeCalls {
    const known = this.#volumes.get(volume);
    if (known !== undefined) return known;
    const made = { calls: 0, ms: 0 };
    this.#volumes.set(volume, made);
    return made;
  }
}

/** A laptop asks for it whether somebody uses it or not. */
function isByItself(request: AnyRequest): boolean {
  return BY_ITSELF.has(request.rpc) || (request.rpc === 'Changes' && request.body.wait);
}

/** The volume that a request is about, of several the first one; null: none. */
function volumeIn({ body }: AnyRequest): VolumeId | null {
  if ('volume' in body) return body.volume;
  if ('fid' in body) return volumeOf(body.fid);
  if ('dir' in body) return volumeOf(body.dir);
  const first = 'fids' in body ? body.fids[0] : 'items' in body ? fidOf(body.items[0]) : undefined;
  return first === undefined ? null : volumeOf(first);
}

const fidOf = (item: object | undefined) =>
  item !== undefined && 'fid' in item ? (item.fid as Parameters<typeof volumeOf>[0]) : undefined;

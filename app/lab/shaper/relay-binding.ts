/**
 * The way to the relay. It is a part of the addon of a clone; a package may have an addon without it (the feature `lab` of the crate), and then
 * the laboratory has another one of its own beside this file.
 */
import { createRequire } from 'node:module';
import { ADDON_PATH, native } from '../../../shared/transport/binding.ts';

/** Of one direction of a relay. Times are in nanoseconds; what is negative is left out. */
export interface NativeConditions {
  /** Empty: no limit. */
  readonly stepTimes: Float64Array;
  readonly stepRates: Float64Array;
  readonly burst: number;
  readonly queueBytes: number;
  readonly queueTime: number;
  readonly delay: number;
  readonly jitter: number;
  readonly loss: number;
  readonly outagesFrom: Float64Array;
  readonly outagesUntil: Float64Array;
}

export interface NativeRelayOptions {
  /** Hosts are IP addresses. */
  readonly listenHost: string;
  readonly listenPort: number;
  readonly targetHost: string;
  readonly targetPort: number;
  readonly seed: number;
  readonly up: NativeConditions;
  readonly down: NativeConditions;
}

export interface NativeRelayStatistics {
  /** In the order that `statistics.ts` reads. */
  readonly up: Float64Array;
  readonly down: Float64Array;
  readonly clients: number;
  readonly moves: number;
}

export interface RelayBinding {
  relayOpen(options: NativeRelayOptions): { id: number; host: string; port: number };
  relayChange(relay: number, up: NativeConditions | null, down: NativeConditions | null): void;
  relayCut(relay: number, up: boolean, down: boolean): void;
  relayMove(relay: number, host: string | null): void;
  /** Null: it is closed. */
  relayStatistics(relay: number): NativeRelayStatistics | null;
  relayClose(relay: number): void;
  /** When each packet arrives; -1: it does not. */
  relayShape(
    conditions: NativeConditions,
    seed: number,
    times: Float64Array,
    sizes: Float64Array,
  ): Float64Array;
}

/** What has the relay; `load` loads an addon beside this file. */
export function relayOf(addon: object, load: (path: string) => unknown): RelayBinding {
  if ('relayOpen' in addon) return addon as RelayBinding;
  try {
    return load(ADDON_PATH) as RelayBinding;
  } catch (error) {
    throw new Error('The native addon has no link shaper: run `node build/native.mjs`.', {
      cause: error,
    });
  }
}

export const relay: RelayBinding = relayOf(native, createRequire(import.meta.url));

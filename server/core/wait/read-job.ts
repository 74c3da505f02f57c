/** A read of a device, from its call to its answer. It may begin several times. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { AnyRequest } from '../../../shared/wire/rpcs.ts';
import type { DeviceState } from '../device/device.ts';
import type { CallId } from '../events.ts';

export interface ReadJob {
  readonly kind: 'read';
  readonly device: DeviceState;
  readonly call: CallId;
  readonly request: AnyRequest;
  /** How often it was taken again for a change under way. */
  round: number;
  /** It waits no more: answer with what there is. */
  final: boolean;
  waiting: boolean;
  /** The end of its wait is in the heap. */
  timed: boolean;
  /** The vnode whose mark it waits for; null: none. */
  waitsOn: Fid | null;
  /** When to look whether who it waits for still answers is in the heap. */
  watched: boolean;
}

/**
 * What a paired device may send that means harm, or nothing: messages drawn from the schemas of the wire, with values that were seen before,
 * that are somebody else's, or that lie at the edges. A message passes its schema: what does not is refused before anybody looks at it.
 */
import type { z } from 'zod';
import { makeFid, rootOf, unsharedIn, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import { EMPTY_DIGEST } from '../../shared/model/vnode.ts';
import type { SeededRandom } from '../../shared/util/seeded-random.ts';
import { RPCS, type AnyRequest, type RpcName } from '../../shared/wire/rpcs.ts';
import { digestOf } from './core-server.ts';

interface Definition {
  readonly type: string;
  readonly shape?: Record<string, z.ZodType>;
  readonly element?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly values?: readonly unknown[];
  readonly entries?: Record<string, unknown>;
}

const definitionOf = (schema: z.ZodType): Definition => schema._zod.def;

const EDGES: readonly unknown[] = [
  ...[0, 1, 2, 3, 7, 100, 256, 1000, 4096, 0xffff, 0xffff_ffff, 2 ** 48, Number.MAX_SAFE_INTEGER],
  ...[true, false, '0', '1', '-1', '9'.repeat(18)],
  ...['a', 'b', 'c', 'd', '..a', 'x'.repeat(64), 'ä', 'AA=='],
  ...[EMPTY_DIGEST, digestOf('1'), digestOf('2'), 'a'.repeat(32), 'b'.repeat(32)],
  ...['1'.repeat(16), '2'.repeat(16), 'read', 'write', 'shared', 'unshared'],
];

const NOBODYS: readonly Fid[] = [
  rootOf(1 as VolumeId),
  rootOf(2 as VolumeId),
  unsharedIn(1 as VolumeId),
  unsharedIn(2 as VolumeId),
  ...[makeFid(1, 1, 2), makeFid(1, 2, 1), makeFid(2, 70_000, 2), makeFid(0, 0, 0)],
  makeFid(0xffff_ffff, 0xffff_ffff, 0xffff_ffff),
];

/** Draws messages of a hostile device. */
export class HostileDraws {
  readonly #random: SeededRandom;
  /** Fids that were made, or might have been. */
  readonly fids: Fid[] = [];
  /** Fids that are drawn repeatedly. */
  readonly kept: Fid[] = [];
  /** Numbers of updates, commits and versions that were seen. */
  readonly numbers: number[] = [];

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.#random.below(items.length)] as T;
  }

  chance(of: number): boolean {
    return this.#random.fraction() < of;
  }

  /** Draws a fid, mostly a recent one. */
  fid(): Fid {
    if (this.kept.length > 0 && this.chance(0.6)) return this.pick(this.kept);
    if (this.fids.length === 0 || this.chance(0.15)) return this.pick(NOBODYS);
    return this.pick(this.chance(0.6) ? this.fids.slice(-12) : this.fids);
  }

  request(): AnyRequest {
    const names = (Object.keys(RPCS) as RpcName[]).filter((name) => RPCS[name].from === 'client');
    const rpc = this.pick(names.filter((name) => name !== 'StoreMany'));
    return { rpc, body: this.draw(RPCS[rpc].request) } as AnyRequest;
  }

  /** Draws a value that passes `schema`. */
  draw(schema: z.ZodType): unknown {
    const { type, shape, element, innerType, options, values, entries } = definitionOf(schema);
    switch (type) {
      case 'object':
        return this.#object(shape ?? {});
      case 'array':
        return this.#array(schema, element as z.ZodType);
      case 'nullable':
        return this.chance(0.3) ? null : this.draw(innerType as z.ZodType);
      case 'union':
        return this.draw(this.pick(options ?? []));
      case 'literal':
        return this.pick(values ?? []);
      case 'enum':
        return this.pick(Object.values(entries ?? {}));
      default:
        return this.#leaf(schema);
    }
  }

  #object(shape: Record<string, z.ZodType>): unknown {
    const fields: Array<[string, unknown]> = [];
    for (const [key, field] of Object.entries(shape)) {
      const { type, innerType } = definitionOf(field);
      const isOptional = type === 'optional';
      if (isOptional && this.chance(0.5)) continue;
      // After one high low water the server accepts nothing more from the device.
      if (key === 'lowWater') {
        if (!isOptional) fields.push([key, 0]);
        continue;
      }
      fields.push([key, this.draw(isOptional ? (innerType as z.ZodType) : field)]);
    }
    return Object.fromEntries(fields);
  }

  #array(schema: z.ZodType, element: z.ZodType): unknown {
    for (let most = 5; ; most--) {
      const items = Array.from({ length: this.#random.below(most + 1) }, () => this.draw(element));
      if (schema.safeParse(items).success) return items;
      if (most === 0) return [this.draw(element)];
    }
  }

  #leaf(schema: z.ZodType): unknown {
    for (let n = 0; n < 6; n++) {
      const value = this.pick<() => unknown>([
        () => this.fid(),
        () => this.pick(EDGES),
        () => (this.numbers.length === 0 ? 1 : this.pick(this.numbers)),
      ])();
      if (schema.safeParse(value).success) return value;
    }
    const passing = [...EDGES, ...NOBODYS].filter((value) => schema.safeParse(value).success);
    if (passing.length === 0) throw new Error('nothing here passes a field');
    return this.pick(passing);
  }
}

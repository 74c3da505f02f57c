/**
 * A long batch of updates is decoded a few at a time, for whoever has other work in between. It is cut into short batches, and decodeRequest reads each
 * of them: so what comes of it is the same request, or the same refusal.
 */
import { decodeRequest, encodeRequest, rpcOf } from './codec.ts';
import { formOf } from './form.ts';
import { MAX_BATCH_UPDATES, MAX_HEADER_BYTES } from './limits.ts';
import { RPCS, type AnyRequest, type RequestOf } from './rpcs.ts';
import { Scanner, ScanError } from './scan.ts';

/** Updates that are decoded at one go: some 100 us. */
export const UPDATES_OF_PART = 16;

/** Updates that are only passed over at one go. */
const SCANNED_AT_ONCE = 64;

const LONG_LIST = 0xdc;

const { map: FIELDS } = formOf(RPCS.Apply.request);

type Apply = RequestOf<'Apply'>;

/** Where the updates lie in the bytes of a request. */
interface Cut {
  /** Of the head of their list. */
  readonly from: number;
  readonly items: readonly number[];
  readonly to: number;
}

/**
 * Decodes a request of a client. A generator that ends with the request; null: it is no batch, and decodeRequest has it. Throws as that does.
 */
export function requestInParts(bytes: Uint8Array): Generator<void, AnyRequest> | null {
  return bytes.length <= MAX_HEADER_BYTES && rpcOf(bytes) === 'Apply' ? inParts(bytes) : null;
}

function* inParts(bytes: Uint8Array): Generator<void, AnyRequest> {
  const cut = yield* cutsOf(bytes);
  // It is short, or to be refused.
  if (cut === null) return decodeRequest(bytes, 'client');
  const { from, items, to } = cut;
  const updates: Array<Apply['updates'][number]> = [];
  let first: Apply | null = null;
  for (let at = 0; at < items.length; at += UPDATES_OF_PART) {
    const next = Math.min(at + UPDATES_OF_PART, items.length);
    const some = bytes.subarray(items[at], items[next] ?? to);
    const part = Buffer.concat([
      first === null ? bytes.subarray(0, from) : headOf(first),
      listHead(next - at),
      some,
      first === null ? bytes.subarray(to) : bytes.subarray(0, 0),
    ]);
    const body = decodeRequest(part, 'client').body as Apply;
    first ??= body;
    updates.push(...body.updates);
    yield;
  }
  return { rpc: 'Apply', body: { ...(first as Apply), updates } };
}

/** Without what only the whole batch has to say. */
function headOf({ volume, lowWater }: Apply): Uint8Array {
  return encodeRequest('Apply', { volume, lowWater, updates: [] }).subarray(0, -1);
}

function listHead(length: number): Uint8Array {
  return Uint8Array.of(LONG_LIST, length >> 8, length & 0xff);
}

/** null: it is short, or has not the form of a batch. */
function* cutsOf(bytes: Uint8Array): Generator<void, Cut | null> {
  try {
    return yield* scanned(new Scanner(bytes));
  } catch (error) {
    if (error instanceof ScanError) return null;
    throw error;
  }
}

function* scanned(scanner: Scanner): Generator<void, Cut | null> {
  let cut: Cut | null = null;
  scanner.list();
  scanner.smallNumber();
  for (let left = scanner.map(); left > 0; left--) {
    const key = scanner.key();
    const form = FIELDS?.get(key);
    if (form === undefined) return null;
    if (key !== 'updates' || form.list === null) {
      scanner.value(form);
      continue;
    }
    const from = scanner.read;
    const count = scanner.list();
    if (cut !== null || count <= UPDATES_OF_PART || count > MAX_BATCH_UPDATES) return null;
    const items: number[] = [];
    while (items.length < count) {
      items.push(scanner.read);
      scanner.value(form.list.of);
      if (items.length % SCANNED_AT_ONCE === 0) yield;
    }
    cut = { from, items, to: scanner.read };
  }
  scanner.end();
  return cut;
}

import { beforeEach, expect, it } from '@jest/globals';
import type { Transport, TransportHandler } from '../ports/transport.ts';
import { RPCS } from '../wire/rpcs.ts';
import { callCounts, CALL_NAMES, NamedCalls, type CallCounts } from './named-calls.ts';
import { metricsText } from './program-metrics.ts';

/** Requests and replies as shared/wire/codec.ts writes them; what it writes, first-bytes.test.ts knows. */
const requestOf = (ordinal: number): Uint8Array => Uint8Array.of(0x92, ordinal, 0x80);
const TIME = requestOf(RPCS.GetTime.ordinal);
const FINE = Uint8Array.of(0x92, 0, 0x80);
const FAILED = Uint8Array.of(0x93, 1, 0xa1, 0x78, 0xa0);

let now: number;
let meter: NamedCalls;
let link: Transport;
/** What the link beneath tells. */
let told: TransportHandler;
let heard: string[];

beforeEach(() => {
  now = 0;
  heard = [];
  let calls = 0;
  meter = new NamedCalls(() => now);
  const beneath = new Proxy({} as Transport, {
    get: (_, name) => () => (name === 'request' ? ++calls : heard.push(`to ${String(name)}`)),
  });
  const above = new Proxy({} as TransportHandler, {
    get: (_, name) => () => void heard.push(String(name)),
  });
  link = meter.around((handler) => {
    told = handler;
    return beneath;
  })(above);
});

const ask = (header = TIME): number =>
  link.request(1, { priorityClass: 'VALIDATE', header, content: null });
const comes = (call: number, header = TIME, contentLength = 0): void =>
  told.incoming(1, call, { priorityClass: 'VALIDATE', header, contentLength });
const rows = (): CallCounts[] => callCounts(meter.values);

it('the counts of a call that this side began have its bytes, its end and its time', () => {
  const content = { path: '/p', offset: 0, length: 1000 };
  const call = link.request(1, { priorityClass: 'STORE_DATA', header: TIME, content });
  now = 30;
  told.reply(call, { header: FINE, contentLength: 500 });
  now = 50;
  told.content(call, { path: '/q', length: 500, digest: '' });
  expect(rows()).toEqual([
    {
      ...{ rpc: 'GetTime', side: 'began', calls: 1, failures: 0, broken: 0, ms: 50 },
      ...{ bytesOut: TIME.length + 1000, bytesIn: FINE.length + 500 },
      steps: [0, 0, 0, 1, 0, 0, 0, 0],
    },
  ]);
  expect([heard, meter.running]).toEqual([['reply', 'content'], 0]);
});

it('the counts of a call that was received end with the reply to it', () => {
  comes(7, TIME, 40);
  told.content(7, { path: '/q', length: 40, digest: '' });
  now = 3;
  link.reply(7, { header: FAILED, content: null });
  now = 900;
  told.sent(7, null);
  expect(rows()).toEqual([
    {
      ...{ rpc: 'GetTime', side: 'received', calls: 1, failures: 1, broken: 0, ms: 3 },
      ...{ bytesOut: FAILED.length, bytesIn: TIME.length + 40 },
      steps: [0, 1, 0, 0, 0, 0, 0, 0],
    },
  ]);
  expect(heard).toEqual(['incoming', 'content', 'to reply', 'sent']);
});

it('a call without an answer counts as broken, once, on either side', () => {
  const call = ask();
  told.aborted(call, 'closed', 0);
  told.aborted(call, 'closed', 0);
  comes(9);
  told.partial(9, { path: '/q', length: 12 });
  told.aborted(9, 'peer', 3);
  const [began, received] = rows();
  expect([began?.calls, began?.broken]).toEqual([0, 1]);
  expect([received?.calls, received?.broken, received?.bytesIn]).toEqual([0, 1, TIME.length + 12]);
  expect(meter.running).toBe(0);
});

it.each([[[]], [[0xff, 0x01]], [[0x92, 0xcc, 0xfe]]])(
  'a message that begins with %j counts as another one',
  (bytes) => {
    comes(1, Uint8Array.from(bytes));
    link.reply(1, { header: FAILED, content: null });
    expect(rows().map(({ rpc, side, calls }) => [rpc, side, calls])).toEqual([
      ['other', 'received', 1],
    ]);
  },
);

it('each RPC of the protocol has a row of its own', () => {
  for (const { ordinal } of Object.values(RPCS)) {
    comes(ordinal, requestOf(ordinal));
    link.reply(ordinal, { header: FINE, content: null });
  }
  expect(rows().map(({ rpc }) => rpc)).toEqual(CALL_NAMES.slice(0, -1));
});

it('more calls at once than there was room for have a time each', () => {
  const calls = Array.from({ length: 1000 }, () => ask());
  now = 2;
  for (const call of calls.reverse()) told.reply(call, { header: FINE, contentLength: 0 });
  const [row] = rows();
  expect([row?.calls, row?.ms, meter.running]).toEqual([1000, 2000, 0]);
});

it('the figures of calls by name are read by Prometheus', async () => {
  comes(1);
  now = 60;
  link.reply(1, { header: FINE, content: null });
  const text = await metricsText(meter.figures('godwit'));
  for (const line of [
    'godwit_rpc_total{rpc="GetTime",side="received",end="answered"} 1',
    `godwit_rpc_bytes_total{rpc="GetTime",side="received",direction="in"} ${TIME.length}`,
    'godwit_rpc_seconds_bucket{rpc="GetTime",side="received",le="0.02"} 0',
    'godwit_rpc_seconds_bucket{rpc="GetTime",side="received",le="0.1"} 1',
    'godwit_rpc_seconds_bucket{rpc="GetTime",side="received",le="+Inf"} 1',
    'godwit_rpc_seconds_sum{rpc="GetTime",side="received"} 0.06',
    'godwit_rpc_seconds_count{rpc="GetTime",side="received"} 1',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
});

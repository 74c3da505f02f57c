import { beforeEach, expect, it } from '@jest/globals';
import type { Transport, TransportHandler } from '../ports/transport.ts';
import { CallMeter, type CallSums } from './call-meter.ts';

const HEADER = new Uint8Array(10);

let now: number;
let meter: CallMeter;
let link: Transport;
/** What the link beneath tells. */
let told: TransportHandler;
let heard: string[];

beforeEach(() => {
  now = 0;
  heard = [];
  let calls = 0;
  meter = new CallMeter(() => now);
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

const fetch = (): number =>
  link.request(1, { priorityClass: 'FETCH', header: HEADER, content: null });
const sums = (name: 'FETCH' | 'PREFETCH' | 'STORE_DATA' = 'FETCH'): CallSums => meter.sums()[name];

it('the call meter splits the time of a call into its parts', () => {
  const content = { path: '/p', offset: 0, length: 1000 };
  const call = link.request(1, { priorityClass: 'STORE_DATA', header: HEADER, content });
  now = 3;
  told.progress(call, { sentBytes: 100, receivedBytes: 0 });
  now = 7;
  told.sent(call, null);
  now = 12;
  told.reply(call, { header: HEADER, contentLength: 500 });
  now = 20;
  told.progress(call, { sentBytes: 1000, receivedBytes: 1 });
  now = 25;
  told.content(call, { path: '/q', length: 500, digest: '' });
  expect(sums('STORE_DATA')).toEqual({
    ...{ calls: 1, broken: 0, raised: 0, upBytes: 1010, downBytes: 510 },
    ...{ upQueuedMs: 3, upSentMs: 4, downQueuedMs: 13, downSentMs: 5 },
    ...{ raisedUpQueuedMs: 0, raisedUpSentMs: 0, raisedDownQueuedMs: 0, raisedDownSentMs: 0 },
  });
  expect(heard).toEqual(['progress', 'sent', 'reply', 'progress', 'content']);
});

it('the call meter counts a message of one packet as queued until it has arrived', () => {
  const call = fetch();
  now = 5;
  told.sent(call, null);
  now = 9;
  told.reply(call, { header: HEADER, contentLength: 0 });
  expect(sums()).toMatchObject({ calls: 1, upQueuedMs: 5, upSentMs: 0, downQueuedMs: 4 });
});

it('the call meter counts a call in its final class and counts that it was raised', () => {
  const call = link.request(1, { priorityClass: 'PREFETCH', header: HEADER, content: null });
  link.setClass(call, 'FETCH');
  link.setClass(call, 'FETCH');
  now = 5;
  told.reply(call, { header: HEADER, contentLength: 0 });
  told.reply(fetch(), { header: HEADER, contentLength: 0 });
  const expected = { calls: 2, raised: 1, upQueuedMs: 5, raisedUpQueuedMs: 5 };
  expect([sums('PREFETCH').calls, sums()]).toMatchObject([0, expected]);
});

it('the call meter counts a call without a reply as broken, and each once', () => {
  const call = fetch();
  told.aborted(call, 'closed', 0);
  told.aborted(call, 'closed', 0);
  expect(sums()).toMatchObject({ calls: 0, broken: 1 });
});

it('the call meter passes everything on, calls of the other side included', () => {
  told.incoming(1, 8, { priorityClass: 'VALIDATE', header: HEADER, contentLength: 0 });
  told.sent(8, null);
  link.reply(8, { header: HEADER, content: null });
  link.abort(8, 1);
  expect(heard).toEqual(['incoming', 'sent', 'to reply', 'to abort']);
  expect(Object.values(meter.sums()).every(({ calls, broken }) => calls + broken === 0)).toBe(true);
});

it('the call meter exports its sums as metrics', () => {
  told.reply(fetch(), { header: HEADER, contentLength: 0 });
  const of = (name: string, label: string): number | undefined =>
    meter
      .figures('godwit')
      .find((figure) => figure.name === name)
      ?.samples.find(
        ({ labels }) => labels['class'] === 'FETCH' && Object.values(labels).includes(label),
      )?.value;
  expect(of('godwit_calls_total', 'answered')).toBe(1);
  expect(of('godwit_call_bytes_total', 'down')).toBe(10);
  expect(of('godwit_call_seconds_total', 'up-queued')).toBe(0);
});

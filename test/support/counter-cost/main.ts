/**
 * What counting a call costs: `npm run counter-cost -- [calls]` (1,000,000). It prints nanoseconds and bytes of memory for each call with the counters
 * around a transport that does nothing, and for what stands around it already.
 */
import { LookCounts } from '../../../daemon/core/waits/look-counts.ts';
import { Spared } from '../../../daemon/core/log/spared.ts';
import { CallMeter } from '../../../shared/metrics/call-meter.ts';
import { NamedCalls } from '../../../shared/metrics/named-calls.ts';
import type { Transport, TransportHandler } from '../../../shared/ports/transport.ts';
import { encodeReply, encodeRequest } from '../../../shared/wire/codec.ts';

const calls = Number(process.argv[2] ?? 1_000_000);
/** Their memory is not collected while they run. */
const FEW = 10_000;
/** As many as a busy daemon has under way. */
const AT_ONCE = 32;

const header = encodeRequest('GetTime', {});
const reply = { header: encodeReply('GiveUpCallbacks', {}), contentLength: 0 };
const request = { priorityClass: 'VALIDATE', header, content: null } as const;
const quiet = (): void => undefined;

/** A transport and a handler with nothing in them but a number for each call. */
function still(): { transport: Transport; handler: TransportHandler } {
  let last = 0;
  const transport = {
    request: () => (last += 1),
    ...{ reply: quiet, abort: quiet, setClass: quiet },
  } as unknown as Transport;
  const handler = { reply: quiet, content: quiet, sent: quiet } as unknown as TransportHandler;
  return { transport, handler };
}

type Work = (count: number) => void;
type Around = (
  make: (handler: TransportHandler) => Transport,
) => (h: TransportHandler) => Transport;

/** Makes all calls through what `around` puts around a still transport. */
function callsThrough(around: Around): Work {
  const { transport, handler } = still();
  let told = handler;
  const link = around((over) => {
    told = over;
    return transport;
  })(handler);
  const running = new Float64Array(AT_ONCE);
  return (count) => {
    for (let call = 0; call < count; call += AT_ONCE) {
      for (let n = 0; n < AT_ONCE; n++) running[n] = link.request(1, request);
      for (let n = 0; n < AT_ONCE; n++) told.reply(running[n] ?? 0, reply);
    }
  };
}

const named = new NamedCalls(() => performance.now());
const byClass = new CallMeter(() => performance.now());
const looks = new LookCounts();
const spared = new Spared();
const look = { what: { op: 'getattr', fid: '1.1.1' }, byProgram: true, waitedFor: 0 } as never;
const update = { op: 'store', size: 4096 };

const bare = measured(callsThrough((make) => make));
print('nothing around it', bare);
print('calls by name', measured(callsThrough((make) => named.around(make))));
print('calls by class (as before)', measured(callsThrough((make) => byClass.around(make))));
print('looks', measured(each(() => looks.ended(look, null))));
print('spared updates', measured(each(() => spared.add('overwritten', update))));

function each(work: () => void): Work {
  return (count) => {
    for (let n = 0; n < count; n++) work();
  };
}

interface Cost {
  readonly ns: number;
  readonly bytes: number;
}

/** Less than nothing was measured where memory was collected. The best of five, after one that nobody counts; memory of so few calls that none of it is collected meanwhile. */
function measured(work: Work): Cost {
  work(calls);
  const costs = Array.from({ length: 5 }, () => {
    const before = process.memoryUsage().heapUsed;
    work(FEW);
    const bytes = (process.memoryUsage().heapUsed - before) / FEW;
    const began = performance.now();
    work(calls);
    return { ns: ((performance.now() - began) * 1e6) / calls, bytes };
  });
  const best = (of: keyof Cost): number => {
    const known = costs.map((cost) => cost[of]).filter((value) => value >= 0);
    return known.length === 0 ? 0 : Math.min(...known);
  };
  return { ns: best('ns'), bytes: best('bytes') };
}

function print(what: string, { ns, bytes }: Cost): void {
  const memory = `${bytes.toFixed(0).padStart(5)} bytes of memory a call`;
  process.stdout.write(`${what.padEnd(28)}${ns.toFixed(0).padStart(6)} ns ${memory}\n`);
}

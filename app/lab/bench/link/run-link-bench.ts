/**
 * Measures the link shaper, one line after the other: rates with more offered than it carries, delays with little, and, where that can be
 * had, `tc tbf` with the same rate, burst and queue from the same processes.
 */
import { UdpRelay } from '../../shaper/udp-relay.ts';
import { CLEAR, type Conditions } from '../../shaper/conditions.ts';
import { shape } from '../../shaper/shape.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { delayFigure, rateFigure, type DelayFigure, type RateFigure } from './link-figures.ts';
import { measureLine, type MeasuredPath, type Load } from './measure-line.ts';
import { percentile, type Received } from './received.ts';
import { TbfPath } from './tbf-line.ts';

export interface LinkBenchSettings {
  /** Bytes a second, with headers. */
  readonly rates: readonly number[];
  readonly delaysMs: readonly number[];
  readonly seconds: number;
  readonly tbf: boolean;
}

export interface LinkBench {
  readonly rates: readonly RateFigure[];
  readonly delays: readonly DelayFigure[];
  /** Why there is no comparison; null where there is one. */
  readonly skipped: string | null;
}

const LOOPBACK = '127.0.0.1';
const PAYLOAD_BYTES = 1400;
/** Of Ethernet, IPv4 and UDP. */
const HEADER_BYTES = 42;
const FRAME_BYTES = PAYLOAD_BYTES + HEADER_BYTES;
/** As `tc tbf` is used for links of this kind: two packets. */
const BURST_BYTES = 3000;
/** A tenth of a second, and room for some packets at any rate. */
const QUEUE_MS = 100;
const LEAST_QUEUE_BYTES = 6 * FRAME_BYTES;
/** So much more is offered than can pass. */
const OVERLOAD = 1.25;
const PROBE_BYTES = 100;
const PROBES_A_SECOND = 100;

/**
 * Measures the rates and delays of the relay, and the same rates of `tc tbf` if it can be had.
 * Throws GodwitError `timed-out` if it is interrupted.
 */
export async function runLinkBench(
  settings: LinkBenchSettings,
  signal: AbortSignal,
  onStep: (title: string) => void,
): Promise<LinkBench> {
  const tbf = settings.tbf ? TbfPath.open() : 'not asked for';
  try {
    const rates: RateFigure[] = [];
    for (const rate of settings.rates) {
      onStep(`${rate} B/s through the relay`);
      rates.push(await relayRate(rate, settings.seconds, signal));
      if (typeof tbf === 'string') continue;
      onStep(`${rate} B/s through tc tbf`);
      rates.push(await tbfRate(tbf, rate, settings.seconds, signal));
    }
    const delays = await relayDelays(settings, signal, onStep);
    return { rates, delays, skipped: typeof tbf === 'string' ? tbf : null };
  } catch (error) {
    throw signal.aborted ? new GodwitError('timed-out', 'bench: interrupted') : error;
  } finally {
    if (typeof tbf !== 'string') tbf.close();
  }
}

const queueBytes = (rate: number): number =>
  Math.max(LEAST_QUEUE_BYTES, Math.round((rate * QUEUE_MS) / 1000));

function overload(rate: number, seconds: number): Load {
  const bytesPerSecond = ((rate * OVERLOAD) / FRAME_BYTES) * PAYLOAD_BYTES;
  const lastMs = (queueBytes(rate) / rate) * 1000;
  return { payloadBytes: PAYLOAD_BYTES, bytesPerSecond, ms: seconds * 1000 + lastMs, lastMs };
}

function conditionsOf(rate: number): Conditions {
  const steps = [{ atMs: 0, bytesPerSecond: rate }];
  return { ...CLEAR, rate: steps, burstBytes: BURST_BYTES, queue: { bytes: queueBytes(rate) } };
}

/** What a packet takes when the queue has filled, by the rules alone. */
function expectedMs(rate: number, { bytesPerSecond, ms }: Load): number {
  const gapNs = (PAYLOAD_BYTES / bytesPerSecond) * 1e9;
  const count = Math.floor((ms * 1e6) / gapNs);
  const offered = Array.from({ length: count }, (_, index) => {
    return { atNs: Math.round(index * gapNs), bytes: FRAME_BYTES };
  });
  const took = shape(conditionsOf(rate), 1, offered).flatMap((at, index) =>
    at === null ? [] : [(at - (offered[index]?.atNs ?? 0)) / 1e6],
  );
  const settled = took.slice(took.length >> 1).sort((a, b) => a - b);
  return percentile(settled, 0.5);
}

function figureOf(
  shaper: RateFigure['shaper'],
  rate: number,
  received: Received,
  load: Load,
): RateFigure {
  const { packets, payload, seconds, tookMs } = received;
  const seen = (payload + HEADER_BYTES * packets) / seconds;
  return rateFigure(shaper, rate, seen, tookMs, expectedMs(rate, load));
}

async function relayRate(rate: number, seconds: number, signal: AbortSignal): Promise<RateFigure> {
  const load = overload(rate, seconds);
  const received = await throughRelay(conditionsOf(rate), load, signal);
  return figureOf('relay', rate, received, load);
}

async function tbfRate(
  tbf: TbfPath,
  rate: number,
  seconds: number,
  signal: AbortSignal,
): Promise<RateFigure> {
  const failure = tbf.shape(rate, BURST_BYTES, queueBytes(rate));
  if (failure !== null) throw new GodwitError('internal', `tc: ${failure}`);
  const { sender: from, receiver: to, host } = tbf;
  const line: MeasuredPath = { from, to, host, enter: (port) => Promise.resolve({ host, port }) };
  const load = overload(rate, seconds);
  return figureOf('tbf', rate, await measureLine(line, load, signal), load);
}

async function relayDelays(
  { delaysMs, seconds }: LinkBenchSettings,
  signal: AbortSignal,
  onStep: (title: string) => void,
): Promise<DelayFigure[]> {
  if (delaysMs.length === 0) return [];
  const loadOf = (lastMs: number): Load => {
    const bytesPerSecond = PROBE_BYTES * PROBES_A_SECOND;
    return { payloadBytes: PROBE_BYTES, bytesPerSecond, ms: seconds * 1000, lastMs };
  };
  onStep('packets without the relay');
  const direct: MeasuredPath = {
    ...LOCAL,
    enter: (port) => Promise.resolve({ host: LOOPBACK, port }),
  };
  const without = await measureLine(direct, loadOf(0), signal);
  const figures: DelayFigure[] = [];
  for (const delayMs of delaysMs) {
    onStep(`a delay of ${delayMs} ms`);
    const { tookMs, slowestMs } = await throughRelay({ delayMs }, loadOf(delayMs), signal);
    figures.push(delayFigure(delayMs, tookMs, slowestMs, without.tookMs));
  }
  return figures;
}

const LOCAL = { from: [], to: [], host: LOOPBACK } as const;

async function throughRelay(
  up: Partial<Conditions>,
  load: Load,
  signal: AbortSignal,
): Promise<Received> {
  const relays: UdpRelay[] = [];
  const enter: MeasuredPath['enter'] = async (port) => {
    const relay = await UdpRelay.open({ to: { host: LOOPBACK, port }, up });
    relays.push(relay);
    return { host: LOOPBACK, port: relay.port };
  };
  try {
    return await measureLine({ ...LOCAL, enter }, load, signal);
  } finally {
    for (const relay of relays) relay.close();
  }
}

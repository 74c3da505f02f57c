/** Conditions as the addon takes them: times in nanoseconds, steps and outages in arrays. */
import { checkConditions, type Conditions } from './conditions.ts';
import type { NativeConditions } from './relay-binding.ts';

/**
 * Checks conditions and turns them into those of the addon, with times in nanoseconds. Throws
 * ConditionsError if they make no sense.
 */
export function nativeConditions(conditions: Conditions): NativeConditions {
  const { rate, burstBytes, queue, delayMs, jitterMs, loss, outages } = checkConditions(conditions);
  return {
    stepTimes: nanoseconds(rate.map(({ atMs }) => atMs)),
    stepRates: Float64Array.from(rate, ({ bytesPerSecond }) => Math.round(bytesPerSecond)),
    burst: burstBytes,
    queueBytes: 'bytes' in queue ? queue.bytes : -1,
    queueTime: 'bytes' in queue ? -1 : Math.round(queue.ms * 1e6),
    delay: Math.round(delayMs * 1e6),
    jitter: Math.round(jitterMs * 1e6),
    loss,
    outagesFrom: nanoseconds(outages.map(({ fromMs }) => fromMs)),
    outagesUntil: nanoseconds(outages.map(({ untilMs }) => untilMs)),
  };
}

const nanoseconds = (ms: readonly number[]): Float64Array =>
  Float64Array.from(ms, (each) => Math.round(each * 1e6));

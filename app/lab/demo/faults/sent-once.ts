/**
 * What is committed is not sent again, measured in the network: bytes of a laptop's datagrams after a kill that comes between the commit and its
 * answer, and after everything was killed at rest.
 *
 * The answer is held back by the other laptop: it is cut off and can't acknowledge that its promise is broken (rule P3), so the server has committed
 * and may not acknowledge yet.
 */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { UdpRelay } from '../../shaper/udp-relay.ts';
import { sizeText } from '../../../../shared/util/amounts.ts';
import { DEMO_FOLDER, settle, type StepOutcome } from '../demo-step.ts';
import { committedBytes } from './committed-bytes.ts';
import type { FaultDemo } from './fault-demo.ts';

const FILE_BYTES = 8_000_000;
const COMMIT_LIMIT_MS = 20_000;
const LOOK_MS = 50;
/** Each question whether it is decided takes a first flight of contents with it, which grows with the round trips of loopback. */
const FIRST_FLIGHTS = FILE_BYTES / 2;
/** A handshake, a hello, what is asked again; not a file among them. */
const AT_REST_BYTES = 200_000;

type Victim = 'laptop A' | 'the server';

/**
 * Kills laptop A or the server between a commit and its answer, and measures the bytes that are
 * sent again.
 */
export async function answerLost(demo: FaultDemo, victim: Victim): Promise<StepOutcome> {
  const { a, server, relays } = demo;
  const [near, far] = relays;
  if (near === undefined || far === undefined) throw new Error('two relays');
  const brought = (): number => committedBytes(server.dataDir, 'laptop A').bytes;
  const before = brought();
  far.cut();
  try {
    writeFileSync(join(a.folder, DEMO_FOLDER, `for ${victim}`), randomBytes(FILE_BYTES));
    for (let waited = 0; brought() < before + FILE_BYTES; waited += LOOK_MS) {
      if (waited > COMMIT_LIMIT_MS) {
        return { compared: '', items: 0, faults: ['the server does not commit'] };
      }
      await wait(LOOK_MS, undefined, { signal: demo.signal });
    }
    const sent = sentThrough(near);
    if (victim === 'laptop A') {
      await a.kill();
      await a.up();
    } else {
      await server.kill();
      await server.up();
    }
    // While the other is away nothing is answered: long enough for all of it to be sent once more.
    await wait(COMMIT_LIMIT_MS / 4, undefined, { signal: demo.signal });
    far.restore();
    await settle(demo);
    return outcome(
      `sent again of ${sizeText(FILE_BYTES)} committed`,
      sentThrough(near) - sent,
      FIRST_FLIGHTS,
    );
  } finally {
    far.restore();
  }
}

/** Everything is killed at rest. */
export async function killedAtRest(demo: FaultDemo): Promise<StepOutcome> {
  const { a, b, server, relays } = demo;
  const total = (): number => relays.reduce((sum, relay) => sum + sentThrough(relay), 0);
  const before = total();
  await Promise.all([server.kill(), a.kill(), b.kill()]);
  await server.up();
  await Promise.all([a.up(), b.up()]);
  await settle(demo);
  return outcome('sent by A and B when all are killed at rest', total() - before, AT_REST_BYTES);
}

/** Payload of what a laptop has sent so far, whether it was dropped or not. */
const sentThrough = (relay: UdpRelay): number => relay.statistics().up.offered.payload;

function outcome(what: string, bytes: number, most: number): StepOutcome {
  const text = `${sizeText(bytes)} ${what}`;
  const faults = bytes <= most ? [] : [`${text}: at most ${sizeText(most)} wanted`];
  return { compared: text, items: 1, faults };
}

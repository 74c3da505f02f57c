/** Two ends of the Link with the relay between them. Both are in this process; what works is on threads of the addon. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLEAR, type Conditions } from '../../shaper/conditions.ts';
import { UdpRelay } from '../../shaper/udp-relay.ts';
import type { Scheduling } from '../../../../shared/model/scheduling.ts';
import type { DelayCell } from './delay-cells.ts';
import { CallingEnd, ServingEnd } from './delay-ends.ts';

const LOOPBACK = '127.0.0.1';

/** Connects two ends of the transport through a relay and shapes the line between them. */
export class DelayLine {
  readonly #folder = mkdtempSync(join(tmpdir(), 'godwit-delay-'));
  readonly #server: ServingEnd;
  readonly #client: CallingEnd;
  #relay: UdpRelay | null = null;

  constructor(scheduling: Scheduling) {
    const of = (name: string) => ({ folder: join(this.#folder, name), scheduling });
    this.#server = new ServingEnd(of('server'));
    this.#client = new CallingEnd(of('client'));
  }

  async open({ roundTripMs }: DelayCell, signal: AbortSignal): Promise<void> {
    const served = await this.#server.listen(LOOPBACK);
    const far = { delayMs: roundTripMs / 2 };
    this.#relay = await UdpRelay.open({ to: served, up: far, down: far });
    await this.#client.connect({ ...served, port: this.#relay.port }, signal);
  }

  /** The line is as in the cell from now on. */
  shape({ rate, queueMs, roundTripMs, loss }: DelayCell): void {
    const queue = { ms: queueMs };
    const conditions: Conditions = { ...CLEAR, rate, queue, delayMs: roundTripMs / 2, loss };
    this.#relay?.change({ up: conditions, down: conditions });
  }

  beginBulk({ direction }: DelayCell): void {
    this.#client.beginBulk(direction);
  }

  /** A round trip of an urgent message, milliseconds. It never ends where there is no answer. */
  roundTrip(): Promise<number> {
    return this.#client.roundTrip();
  }

  /** Bytes that have arrived, with headers. */
  arrived(): { up: number; down: number } {
    const statistics = this.#relay?.statistics();
    const of = (way: 'up' | 'down'): number => statistics?.[way].arrived.bytes ?? 0;
    return { up: of('up'), down: of('down') };
  }

  async close(): Promise<void> {
    await Promise.all([this.#client.close(), this.#server.close()]);
    this.#relay?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Lines over our own relay, one for each laptop, all on loopback: no root rights are needed. */
import { CLEAR, type Conditions } from '../../shaper/conditions.ts';
import { BURST_BYTES } from '../../../../shared/model/line-burst.ts';
import { UdpRelay } from '../../shaper/udp-relay.ts';
import { parseHostPort } from '../../../../shared/control/addresses.ts';
import type { DirectionStatistics } from '../../shaper/statistics.ts';
import { queueBytes, type Line, type LineCount, type LineShape, type Net } from './line.ts';

const LOOPBACK = '127.0.0.1';

/** Gives each laptop a line over a relay of its own on loopback. */
export class RelayNet implements Net {
  readonly place = [];
  readonly host = LOOPBACK;
  readonly #relays: UdpRelay[] = [];

  async line(address: string, shape: LineShape): Promise<Line> {
    const conditions = conditionsOf(shape);
    const to = parseHostPort(address, LOOPBACK);
    const relay = await UdpRelay.open({ to, up: conditions, down: conditions });
    this.#relays.push(relay);
    return new RelayLine(relay);
  }

  close(): void {
    for (const relay of this.#relays.splice(0)) relay.close();
  }
}

class RelayLine implements Line {
  readonly place = [];
  readonly #relay: UdpRelay;

  constructor(relay: UdpRelay) {
    this.#relay = relay;
  }

  get address(): string {
    return this.#relay.address;
  }

  shape(shape: LineShape): void {
    const conditions = conditionsOf(shape);
    this.#relay.change({ up: conditions, down: conditions });
  }

  cut(): void {
    this.#relay.cut();
  }

  restore(): void {
    this.#relay.restore();
  }

  move(): void {
    this.#relay.moveClients();
  }

  arrived(): { up: number; down: number } {
    const { up, down } = this.#relay.statistics();
    return { up: up.arrived.bytes, down: down.arrived.bytes };
  }

  counted(): { up: LineCount; down: LineCount } {
    const { up, down } = this.#relay.statistics();
    return { up: countOf(up), down: countOf(down) };
  }
}

const countOf = ({ arrived, dropped }: DirectionStatistics): LineCount => {
  return { packets: arrived.packets, dropped: dropped.queue.packets };
};

function conditionsOf(shape: LineShape): Conditions {
  return {
    ...CLEAR,
    rate: shape.steps ?? [{ atMs: 0, bytesPerSecond: shape.bytesPerSecond }],
    burstBytes: BURST_BYTES,
    queue: { bytes: queueBytes(shape) },
    delayMs: shape.roundTripMs / 2,
  };
}

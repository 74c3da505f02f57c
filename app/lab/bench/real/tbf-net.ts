/**
 * Lines that the kernel shapes: a namespace for the server, and for each laptop one of its own with a router before it, whose two ways out are
 * token buckets (`tc tbf`). It needs root and iproute2, and is gone when it is closed. The kernel here has no delay to offer.
 */
import { spawnSync } from 'node:child_process';
import { BURST_BYTES } from '../../../../shared/model/line-burst.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { Place } from '../../../cli/children.ts';
import { tbfUnavailable, runTool } from '../link/tbf-line.ts';
import { queueBytes, type Line, type LineCount, type LineShape, type Net } from './line.ts';

/** In nobody else's namespace, so it is in nobody's way. */
const SERVER = '10.203.255.1';
/** Subnets of a laptop: 10.203.2N and 10.203.2N+1. */
const MAX_LINES = 100;

export interface HowNet {
  /** By which it was asked for. */
  readonly flag: string;
  /** Of TCP inside it, by its name; left out: as the machine has it. */
  readonly congestion?: string;
}

/** Gives each laptop a line that the kernel shapes, between network namespaces. */
export class TbfNet implements Net {
  readonly host = SERVER;
  readonly #name = `godwit-${process.pid}`;
  /** Of a route. */
  readonly #congestion: string;
  readonly #spaces: string[] = [];
  #lines = 0;

  private constructor(congestion: string | undefined) {
    this.#congestion = congestion === undefined ? '' : ` congctl ${congestion}`;
  }

  /** Throws a GodwitError where there can be none here. */
  static open({ flag, congestion }: HowNet = { flag: '--tbf' }): TbfNet {
    const why = tbfUnavailable();
    if (why !== null) throw new GodwitError('usage', `${flag}: ${why}; leave it out`);
    const net = new TbfNet(congestion);
    try {
      net.#add('server');
      all([
        `ip -n ${net.#server} link set lo up`,
        `ip -n ${net.#server} address add ${SERVER}/32 dev lo`,
      ]);
      return net;
    } catch (error) {
      net.close();
      throw error;
    }
  }

  get place(): Place {
    return within(this.#server);
  }

  line(address: string, shape: LineShape): Promise<Line> {
    const number = this.#lines;
    if (number >= MAX_LINES) throw new RangeError('as many lines as there are addresses');
    this.#lines += 1;
    const [laptop, router] = [this.#add(`laptop${number}`), this.#add(`router${number}`)];
    const [near, far] = [`10.203.${2 * number}`, `10.203.${2 * number + 1}`];
    all([
      `ip link add near netns ${laptop} type veth peer name near netns ${router}`,
      `ip link add far netns ${router} type veth peer name far${number} netns ${this.#server}`,
      // Who sends packets in one piece would have them shaped in one piece.
      `ip -n ${laptop} link set near gso_max_segs 1`,
      `ip -n ${this.#server} link set far${number} gso_max_segs 1`,
      `ip -n ${laptop} address add ${near}.1/24 dev near`,
      `ip -n ${router} address add ${near}.254/24 dev near`,
      `ip -n ${router} address add ${far}.254/24 dev far`,
      `ip -n ${this.#server} address add ${far}.1/24 dev far${number}`,
      `ip -n ${laptop} link set lo up`,
      `ip -n ${laptop} link set near up`,
      `ip -n ${router} link set near up`,
      `ip -n ${router} link set far up`,
      `ip -n ${this.#server} link set far${number} up`,
      `ip -n ${laptop} route add default via ${near}.254${this.#congestion}`,
      `ip -n ${router} route add ${SERVER}/32 via ${far}.1`,
      `ip -n ${this.#server} route add ${near}.0/24 via ${far}.254${this.#congestion}`,
      ...forward(router, true),
    ]);
    const line = new TbfLaptopLine({ laptop, router, near, address });
    line.shape(shape);
    return Promise.resolve(line);
  }

  close(): void {
    for (const space of this.#spaces.splice(0)) runTool(`ip netns delete ${space}`);
  }

  get #server(): string {
    return `${this.#name}-server`;
  }

  #add(end: string): string {
    const space = `${this.#name}-${end}`;
    all([`ip netns add ${space}`]);
    this.#spaces.push(space);
    return space;
  }
}

interface Ends {
  readonly laptop: string;
  readonly router: string;
  /** The laptop's subnet, without its last number. */
  readonly near: string;
  readonly address: string;
}

class TbfLaptopLine implements Line {
  readonly address: string;
  readonly #ends: Ends;
  #last = 1;

  constructor(ends: Ends) {
    this.#ends = ends;
    this.address = ends.address;
  }

  get place(): Place {
    return within(this.#ends.laptop);
  }

  shape(shape: LineShape): void {
    if (shape.roundTripMs > 0) throw new GodwitError('usage', '--tbf adds no delay: --rtt 0ms');
    const { bytesPerSecond } = shape;
    const bucket = `rate ${bytesPerSecond * 8}bit burst ${BURST_BYTES} limit ${queueBytes(shape)}`;
    all(
      ['near', 'far'].map(
        (way) => `tc -n ${this.#ends.router} qdisc replace dev ${way} root tbf ${bucket}`,
      ),
    );
  }

  cut(): void {
    all(forward(this.#ends.router, false));
  }

  restore(): void {
    all(forward(this.#ends.router, true));
  }

  move(): void {
    const { laptop, near } = this.#ends;
    const old = this.#last;
    this.#last = (old % 250) + 1;
    all([
      `ip -n ${laptop} address delete ${near}.${old}/24 dev near`,
      `ip -n ${laptop} address add ${near}.${this.#last}/24 dev near`,
      `ip -n ${laptop} route replace default via ${near}.254`,
    ]);
  }

  arrived(): { up: number; down: number } {
    return { up: this.#queue('far').bytes, down: this.#queue('near').bytes };
  }

  counted(): { up: LineCount; down: LineCount } {
    const of = (way: string): LineCount => {
      const { packets, drops } = this.#queue(way);
      return { packets, dropped: drops };
    };
    return { up: of('far'), down: of('near') };
  }

  #queue(way: string): Queue {
    const args = ['-n', this.#ends.router, '-s', '-j', 'qdisc', 'show', 'dev', way];
    const { stdout } = spawnSync('tc', args, { encoding: 'utf8' });
    const [root] = JSON.parse(stdout) as Queue[];
    return root ?? { bytes: 0, packets: 0, drops: 0 };
  }
}

/** As `tc` tells it, with headers. */
interface Queue {
  readonly bytes: number;
  readonly packets: number;
  readonly drops: number;
}

const within = (space: string): Place => ['ip', 'netns', 'exec', space];

const forward = (router: string, does: boolean): string[] => [
  `ip netns exec ${router} sysctl -q -w net.ipv4.ip_forward=${does ? 1 : 0}`,
];

function all(commands: readonly string[]): void {
  for (const command of commands) {
    const failure = runTool(command);
    if (failure !== null) throw new GodwitError('internal', `${command}: ${failure}`);
  }
}

/**
 * A line that the kernel shapes: two network namespaces with a router between them, whose way out is a token bucket (`tc tbf`).
 * It needs root and iproute2, and is gone when it is closed.
 */
import { spawnSync } from 'node:child_process';
import type { Place } from '../../../cli/children.ts';

const RECEIVER = '10.203.1.1';

/** Builds a line out of network namespaces, which the kernel shapes by a token bucket. */
export class TbfPath {
  readonly #name: string;
  readonly #ends: readonly string[];

  private constructor(name: string) {
    this.#name = name;
    this.#ends = ['a', 'b', 'router'].map((end) => `${name}-${end}`);
  }

  /** A line, or why there can be none here. */
  static open(): TbfPath | string {
    const why = tbfUnavailable();
    if (why !== null) return why;
    const line = new TbfPath(`godwit-${process.pid}`);
    const failure = line.#build();
    if (failure === null) return line;
    line.close();
    return failure;
  }

  get sender(): Place {
    return ['ip', 'netns', 'exec', `${this.#name}-a`];
  }

  get receiver(): Place {
    return ['ip', 'netns', 'exec', `${this.#name}-b`];
  }

  get host(): string {
    return RECEIVER;
  }

  /** Null, or why not. */
  shape(bytesPerSecond: number, burstBytes: number, queueBytes: number): string | null {
    const bucket = `rate ${bytesPerSecond * 8}bit burst ${burstBytes} limit ${queueBytes}`;
    return runTool(`tc -n ${this.#name}-router qdisc replace dev rb root tbf ${bucket}`);
  }

  close(): void {
    for (const end of this.#ends) runTool(`ip netns delete ${end}`);
  }

  #build(): string | null {
    const [a, b, router] = this.#ends as [string, string, string];
    const commands = [
      ...this.#ends.map((end) => `ip netns add ${end}`),
      `ip link add va netns ${a} type veth peer name ra netns ${router}`,
      `ip link add vb netns ${b} type veth peer name rb netns ${router}`,
      `ip -n ${a} address add 10.203.0.1/24 dev va`,
      `ip -n ${router} address add 10.203.0.2/24 dev ra`,
      `ip -n ${router} address add 10.203.1.2/24 dev rb`,
      `ip -n ${b} address add ${RECEIVER}/24 dev vb`,
      `ip -n ${a} link set va up`,
      `ip -n ${router} link set ra up`,
      `ip -n ${router} link set rb up`,
      `ip -n ${b} link set vb up`,
      `ip -n ${a} route add default via 10.203.0.2`,
      `ip -n ${b} route add default via 10.203.1.2`,
      `ip netns exec ${router} sysctl -q -w net.ipv4.ip_forward=1`,
    ];
    for (const command of commands) {
      const failure = runTool(command);
      if (failure !== null) return failure;
    }
    return null;
  }
}

/** Why there is no line of the kernel's here; null: there is. */
export function tbfUnavailable(): string | null {
  if (process.platform !== 'linux') return 'this is not Linux';
  if (process.getuid?.() !== 0) return 'it needs root';
  for (const tool of ['ip', 'tc']) {
    if (spawnSync(tool, ['-V']).status !== 0) return `there is no \`${tool}\` (iproute2)`;
  }
  return null;
}

/** Null, or what it said. */
export function runTool(command: string): string | null {
  const [program = '', ...args] = command.split(' ');
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return null;
  const [said = ''] = (stderr ?? '').trim().split('\n');
  return said === '' ? `\`${program} ${args[0] ?? ''}\` failed` : said;
}

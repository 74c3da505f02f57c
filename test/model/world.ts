/** What a step of the model works on: a state of its own to change, the rules and bounds, and who listens. */
import { copyOf, nameOf, type Client, type State } from './state.ts';
import type { Rules } from './rules.ts';
import type { Scope } from './scope.ts';

/** Promises 1 to 4 and 6 of the architecture, and what stands beside them. */
export type PromiseName =
  | '1'
  | '2'
  | '3'
  | '4'
  | '6'
  | 'exactly once'
  | 'every version kept'
  | 'never older'
  | 'nothing removed unasked'
  | 'one tree'
  | 'a snapshot stays'
  | 'a lock excludes'
  | 'conflicts as they are'
  | 'older programs go on';

export interface Finding {
  readonly promise: PromiseName;
  /** One sentence. */
  readonly text: string;
}

export interface World {
  readonly state: State;
  readonly rules: Rules;
  readonly scope: Scope;
  /** Sentences for the story; null when nobody reads them. */
  readonly said: string[] | null;
  readonly findings: Finding[];
}

/** Which parts of a state a step may change; all others are shared with the state before it. */
export type Reach = { readonly client: number } | 'server' | 'all';

export function worldOf(
  state: State,
  rules: Rules,
  scope: Scope,
  reach: Reach,
  tells = false,
): World {
  return { state: partlyCopied(state, reach), rules, scope, said: tells ? [] : null, findings: [] };
}

function partlyCopied(state: State, reach: Reach): State {
  if (reach === 'all') return copyOf(state);
  const { clients, net, server, left } = state;
  const ghost = copyOf(state.ghost);
  if (reach === 'server') return { clients, server: copyOf(server), net: copyOf(net), ghost, left };
  const own = (index: number): boolean => index === reach.client;
  return {
    clients: clients.map((client, index) => (own(index) ? copyOf(client) : client)),
    server,
    net: net.map((lines, index) => (own(index) ? copyOf(lines) : lines)),
    ghost,
    left: copyOf(left),
  };
}

export function say(world: World, text: () => string): void {
  world.said?.push(text());
}

export function find(world: World, promise: PromiseName, text: string): void {
  world.findings.push({ promise, text });
}

export function clientAt(world: World, index: number): Client {
  const client = world.state.clients[index];
  if (client === undefined) throw new Error(`there is no client ${index}`);
  return client;
}

/** Whose data folder says it is this device; with a copied folder there can be two. */
export function holderOf(world: World, device: number): string {
  const index =
    world.state.server.conns[device] ?? world.state.clients.findIndex((c) => c.device === device);
  return nameOf(index);
}

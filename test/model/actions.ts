/** What can happen next in a state, and what then is: the whole model as two functions. */
import { checkState } from './checks.ts';
import { maySend, operate, send, updateFor } from './client-log.ts';
import { makeCopy } from './client-copies.ts';
import { clientTakes, openAsk } from './client-steps.ts';
import {
  connect,
  copyFolder,
  crash,
  cut,
  lapseClient,
  lapseFormer,
  lapseServer,
  wake,
  waitEnds,
} from './events.ts';
import { takeable, type Down, type Up } from './network.ts';
import { commit, mayCommit, restart } from './server-commit.ts';
import { formerOf } from './server-promises.ts';
import { mayAnswerFlagged, reply, settle } from './server-settle.ts';
import { serverMayTake, serverTakes } from './server-steps.ts';
import { nameOf, type Client, type State } from './state.ts';
import { clientAt, say, worldOf, type Finding, type Reach, type World } from './world.ts';
import type { Rules } from './rules.ts';
import type { Scope } from './scope.ts';

/** What the world does to one client. */
type Happening =
  | 'connect'
  | 'cut'
  | 'crash'
  | 'lapse'
  | 'lapsed'
  | 'lapsed-former'
  | 'sleep'
  | 'wake'
  | 'resume'
  | 'make-copy'
  | 'copy';

/** What follows from other events, as often as it may. */
const FOLLOWS: ReadonlySet<Happening> = new Set(['lapsed', 'lapsed-former', 'wake', 'make-copy']);

export type Action =
  | { do: 'operate' | 'open'; client: number; nth: number }
  | { do: 'send'; client: number; nth: number }
  | { do: 'up' | 'down'; client: number; line: number; nth: number }
  | { do: 'commit' | 'flag'; nth: number }
  | { do: Happening; client: number }
  | { do: 'restart' | 'restore' | 'wait-ends' };

export interface Step {
  readonly state: State;
  readonly findings: readonly Finding[];
  readonly said: readonly string[] | null;
}

export function apply(
  state: State,
  action: Action,
  rules: Rules,
  scope: Scope,
  tells = false,
): Step {
  const world = worldOf(state, rules, scope, reachOf(state, action), tells);
  perform(world, action);
  checkState(world);
  return { state: world.state, findings: world.findings, said: world.said };
}

/** A Hello, and what the world does, may reach everybody; the rest is of one client or of the server. */
function reachOf(state: State, action: Action): Reach {
  switch (action.do) {
    case 'operate':
    case 'open':
    case 'send':
    case 'make-copy':
    case 'connect':
      return { client: action.client };
    case 'up':
      return lineOf(state, action)?.t === 'hello' ? 'all' : 'server';
    case 'down':
      return lineOf(state, action)?.t === 'welcome' ? 'all' : { client: action.client };
    case 'commit':
    case 'flag':
      return 'server';
    default:
      return 'all';
  }
}

function lineOf(state: State, action: Action & { do: 'up' | 'down' }): Up | Down | undefined {
  return state.net[action.client]?.[action.do][action.line]?.[action.nth];
}

/** All that may happen, in a fixed order. */
export function enabledActions(state: State, rules: Rules, scope: Scope): Action[] {
  const world: World = { state, rules, scope, said: null, findings: [] };
  const actions: Action[] = [];
  state.clients.forEach((client, index) => {
    ofNetwork(world, index, client, actions);
    if (client.here) ofClient(world, index, client, actions);
    ofEvents(world, index, client, actions);
  });
  state.server.incoming.forEach((each, nth) => {
    if (mayCommit(world, each)) actions.push({ do: 'commit', nth });
  });
  state.server.asks.forEach((each, nth) => {
    if (mayAnswerFlagged(world, each)) actions.push({ do: 'flag', nth });
  });
  if (state.left.restart > 0) actions.push({ do: 'restart' });
  if (state.left.restore > 0) actions.push({ do: 'restore' });
  if (waitEnds(world)) actions.push({ do: 'wait-ends' });
  return actions;
}

function ofNetwork(world: World, index: number, client: Client, actions: Action[]): void {
  const lines = world.state.net[index];
  if (lines === undefined) return;
  const { unordered } = world.scope;
  lines.up.forEach((queue, line) => {
    for (let nth = 0; nth < takeable(queue, unordered); nth++) {
      const message = queue[nth];
      if (message === undefined || !serverMayTake(world, index, message)) continue;
      actions.push({ do: 'up', client: index, line, nth });
    }
  });
  if (client.asleep) return;
  lines.down.forEach((queue, line) => {
    for (let nth = 0; nth < takeable(queue, unordered); nth++) {
      const message = queue[nth];
      if (message === undefined || (message.t !== 'break' && message.behind > 0)) continue;
      actions.push({ do: 'down', client: index, line, nth });
    }
  });
}

function ofClient(world: World, index: number, client: Client, actions: Action[]): void {
  if (client.asleep) return;
  const { left } = world.state;
  const person = world.scope.people[index];
  (person?.may ?? []).forEach((operation, nth) => {
    if (operation.do === 'open') {
      const entry = client.cache[operation.what];
      const usable = client.leased && entry !== undefined && entry.grant > 0;
      const may = client.conn === 'open' && (left.opens[index] ?? 0) > 0;
      if (may && !usable && openAsk(client, operation.what) === undefined) {
        actions.push({ do: 'open', client: index, nth });
      }
    } else if (
      (left.operations[index] ?? 0) > 0 &&
      updateFor(client, operation, world.rules) !== null
    ) {
      actions.push({ do: 'operate', client: index, nth });
    }
  });
  client.log.forEach((update, nth) => {
    if (maySend(client, update)) actions.push({ do: 'send', client: index, nth });
  });
  if (client.copies.length > 0) actions.push({ do: 'make-copy', client: index });
}

function ofEvents(world: World, index: number, client: Client, actions: Action[]): void {
  const { left, server } = world.state;
  const spare = world.scope.people[index]?.start === 'spare';
  if (!client.here) {
    if (spare && left.copy > 0) actions.push({ do: 'copy', client: index });
    return;
  }
  if (client.asleep) {
    actions.push({ do: 'wake', client: index });
  } else {
    if (client.conn === 'none' && left.connect > 0) actions.push({ do: 'connect', client: index });
    if (left.crash > 0) actions.push({ do: 'crash', client: index });
    if (client.leased && left.lapse > 0) actions.push({ do: 'lapse', client: index });
    if (client.paused && left.resume > 0) actions.push({ do: 'resume', client: index });
    if (left.sleep > 0) actions.push({ do: 'sleep', client: index });
  }
  if (client.conn !== 'none' && left.cut > 0) actions.push({ do: 'cut', client: index });
  const isRunning = (each: Client): boolean => each.leased && !each.asleep;
  const isFormer = (each: number): boolean => server.leases[formerOf(each)] === true;
  if (isFormer(index) && !isRunning(client)) actions.push({ do: 'lapsed-former', client: index });
  if (server.leases[client.device] !== true) return;
  const running = world.state.clients.some(
    (other, each) => other.device === client.device && isRunning(other) && !isFormer(each),
  );
  const first = world.state.clients.findIndex((other) => other.device === client.device) === index;
  if (first && !running) actions.push({ do: 'lapsed', client: index });
}

function perform(world: World, action: Action): void {
  const { state } = world;
  const { left, server } = state;
  switch (action.do) {
    case 'operate':
    case 'open':
      performOperation(world, action.client, action.nth);
      break;
    case 'send': {
      const update = clientAt(world, action.client).log[action.nth];
      if (update !== undefined) send(world, action.client, update);
      break;
    }
    case 'up': {
      const [message] = state.net[action.client]?.up[action.line]?.splice(action.nth, 1) ?? [];
      if (message !== undefined) serverTakes(world, action.client, message);
      break;
    }
    case 'down': {
      const queue = state.net[action.client]?.down[action.line] ?? [];
      const rank = queue.slice(0, action.nth).filter(({ t }) => t === 'break').length;
      const [message] = queue.splice(action.nth, 1);
      if (message !== undefined) clientTakes(world, action.client, message, rank);
      break;
    }
    case 'commit': {
      const incoming = server.incoming[action.nth];
      if (incoming !== undefined) commit(world, incoming);
      break;
    }
    case 'flag': {
      const ask = server.asks[action.nth];
      if (ask !== undefined) reply(world, ask, true);
      break;
    }
    case 'restart':
    case 'restore':
      left[action.do]--;
      restart(world, action.do === 'restore');
      break;
    case 'wait-ends':
      server.waiting = null;
      settle(world);
      for (const client of state.clients) {
        if (client.asleep && world.rules['P1-suspend']) client.leased = false;
      }
      say(world, () => 'the server has waited for as long as a lease, and commits again');
      break;
    default:
      performEvent(world, action.do, action.client);
  }
}

function performOperation(world: World, index: number, nth: number): void {
  const { left, server, ghost } = world.state;
  const client = clientAt(world, index);
  const operation = world.scope.people[index]?.may[nth];
  if (operation === undefined) return;
  if (operation.do !== 'open') {
    left.operations[index] = (left.operations[index] ?? 0) - 1;
    operate(world, index, operation);
    return;
  }
  left.opens[index] = (left.opens[index] ?? 0) - 1;
  const x = operation.what;
  const history = server.disk.history[x] ?? [];
  const floor = history.findLastIndex(({ uid }) => ghost.facts[uid - 1]?.told === true);
  client.asks.push({ x, broken: 0, pulled: 0, floor: Math.max(floor, 0) });
  world.state.net[index]?.up[1]?.push({ t: 'ask', x });
  say(world, () => `${nameOf(index)} opens ${x}, and asks the server for it`);
}

function performEvent(world: World, event: Happening, index: number): void {
  const client = clientAt(world, index);
  const { left } = world.state;
  if (!FOLLOWS.has(event)) left[event as keyof Scope['events']]--;
  switch (event) {
    case 'connect':
      return connect(world, index);
    case 'cut':
      return cut(world, index);
    case 'crash':
      return crash(world, index);
    case 'lapse':
      return lapseClient(world, index);
    case 'lapsed-former':
      return lapseFormer(world, index);
    case 'lapsed':
      return lapseServer(world, index);
    case 'sleep':
      client.asleep = true;
      return say(world, () => `${nameOf(index)}'s laptop is suspended`);
    case 'wake':
      return wake(world, index);
    case 'resume':
      client.paused = false;
      return say(world, () => `${nameOf(index)}'s queue goes on`);
    case 'make-copy':
      return makeCopy(world, index);
    case 'copy':
      return copyFolder(world, index);
  }
}

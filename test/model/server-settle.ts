/**
 * The server's waits, decided after every step: which readers can be answered (rules S1, S4, W2) and which writers (P3).
 */
import { put, nameOf, type Server } from './state.ts';
import type { Content } from './update.ts';
import {
  awaited,
  breaksUnderWay,
  dirtyByOthers,
  grant,
  grantUnshared,
  marksOf,
  owes,
  sendBreak,
  told,
} from './server-promises.ts';
import { classOf } from './network.ts';
import { say, type World } from './world.ts';

type ServerRequest = Server['asks'][number];

export function settle(world: World): void {
  settleAnswers(world);
  for (const ask of [...world.state.server.asks]) {
    if (!owes(world, ask.device) && blockedBy(world, ask) === 'nothing') reply(world, ask, false);
  }
}

/** Rule P3: "Reply to the writer when every holder has acknowledged or its lease has run out." */
function settleAnswers(world: World): void {
  const { server, net, ghost } = world.state;
  for (const answer of [...server.answers]) {
    const device = world.state.clients[answer.client]?.device ?? 0;
    if (world.rules.P3 && awaited(world, answer.x, device, false)) continue;
    if (server.waiting !== null && world.rules['wait-no-answers']) continue;
    if (owes(world, device)) continue;
    server.answers = server.answers.filter((other) => other !== answer);
    const { x, seq, uid, body } = answer;
    const fact = ghost.facts[uid - 1];
    const op = fact?.op ?? 'store';
    net[answer.client]?.down[classOf({ op }, false)]?.push({
      t: 'answer',
      x,
      seq,
      uid,
      body,
      epoch: server.disk.epoch,
      behind: breaksUnderWay(world, answer.client),
      renews: true,
    });
    if (fact !== undefined && body.status === 'committed') fact.told = true;
    renew(world, device);
    say(
      world,
      () => `the server tells ${nameOf(answer.client)}: update ${seq} is ${inWords(body.status)}`,
    );
  }
}

function inWords(status: 'committed' | 'conflict' | 'refused'): string {
  return status === 'conflict' ? 'in conflict' : status;
}

/** A lease counts from this answer on; a restarted server must know whose may still run. */
export function renew(world: World, device: number): void {
  const { server } = world.state;
  put(server.leases, String(device), true);
  if (!world.rules['lease-row'] || server.disk.leaseRows.includes(device)) return;
  server.disk.leaseRows = [...server.disk.leaseRows, device].sort((a, b) => a - b);
}

/** What a reader waits for: an acknowledged pull, or a commit. The step may send the pull. */
function blockedBy(world: World, ask: ServerRequest): 'nothing' | 'pull' | 'dirty' {
  const { server } = world.state;
  const { x, device } = ask;
  const holder = server.unshared[x];
  if (world.rules.S1 && holder !== undefined && holder !== device) {
    if (!server.breaks.some((b) => b.device === holder && b.x === x && b.pull)) {
      sendBreak(world, holder, x, true);
    }
    if (awaited(world, x, device, true)) return 'pull';
    delete server.unshared[x];
  }
  return hasUncommitted(world, ask) ? 'dirty' : 'nothing';
}

function hasUncommitted(world: World, { x, device }: ServerRequest): boolean {
  if (dirtyByOthers(world, x, device)) return true;
  return world.rules.W2 && world.state.server.disk.things[x]?.content === null;
}

/** Rule S4: the writers are away, or the wait is too long. */
export function mayAnswerFlagged(world: World, ask: ServerRequest): boolean {
  const { server } = world.state;
  if (owes(world, ask.device) || !hasUncommitted(world, ask)) return false;
  if (world.rules.S1 && awaited(world, ask.x, ask.device, true)) return false;
  if (world.scope.impatient) return true;
  return marksOf(world)
    .filter((mark) => mark.x === ask.x && mark.device !== ask.device)
    .every((mark) => server.leases[mark.device] !== true);
}

export function reply(world: World, ask: ServerRequest, flagged: boolean): void {
  const { server, net } = world.state;
  const { x, client, device } = ask;
  const behind = breaksUnderWay(world, client);
  server.asks = server.asks.filter((other) => other !== ask);
  const thing = server.disk.things[x];
  const content: Content = thing?.content ?? null;
  const fresh = !flagged && thing !== undefined;
  const n = fresh ? grant(world, device, x) : 0;
  const unshared = n > 0 && grantUnshared(world, device, x);
  net[client]?.down[1]?.push({
    t: 'reply',
    x,
    version: thing?.version ?? 0,
    content,
    grant: n,
    unshared,
    flagged: !fresh,
    epoch: server.disk.epoch,
    behind,
    renews: true,
  });
  renew(world, device);
  say(world, () => {
    const promise =
      n === 0 ? 'without a promise' : `with grant ${n}${unshared ? ', unshared' : ''}`;
    const flag = fresh ? '' : ', flagged: somebody has an update that is not here';
    return `the server answers ${nameOf(client)} with version ${thing?.version ?? 0} of ${x}, ${told(content)}, ${promise}${flag}`;
  });
}

/** What the server does with a message: Hello, announcements, acknowledgements, opens and updates. */
import { cutLink } from './link.ts';
import type { Up } from './network.ts';
import { nameOf, put } from './state.ts';
import { renew, settle } from './server-settle.ts';
import { breakOthers, breaksUnderWay, forget, leaveBehind, mark, owes } from './server-promises.ts';
import { touched, type Mark } from './update.ts';
import { clientAt, say, type World } from './world.ts';

/** A device that owes an acknowledgement is heard in that alone, and in what it announces. */
export function serverMayTake(world: World, client: number, message: Up): boolean {
  if (message.t === 'ask' || message.t === 'update') {
    return !owes(world, clientAt(world, client).device);
  }
  return true;
}

export function serverTakes(world: World, client: number, message: Up): void {
  const { device } = clientAt(world, client);
  switch (message.t) {
    case 'hello':
      takeHello(world, client, message);
      break;
    case 'announce':
      say(
        world,
        () => `the server gets ${nameOf(client)}'s forward invalidation of ${list(message.marks)}`,
      );
      for (const each of message.marks) takeMark(world, device, each);
      break;
    case 'ack':
      takeAcknowledgement(world, client, message);
      break;
    case 'ask':
      say(world, () => `the server gets ${nameOf(client)}'s request for ${message.x}`);
      world.state.server.asks.push({ client, device, x: message.x });
      break;
    case 'update':
      takeUpdate(world, client, message);
      break;
  }
  settle(world);
}

function refuse(world: World, client: number): void {
  const refusal = {
    t: 'welcome',
    ok: false,
    epoch: 0,
    fork: null,
    behind: 0,
    renews: false,
  } as const;
  world.state.net[client]?.down[0]?.push(refusal);
}

function list(marks: readonly Mark[]): string {
  return marks.map(({ x, seq }) => `${x} (update ${seq})`).join(', ');
}

function takeMark(world: World, device: number, added: Mark): void {
  mark(world, { ...added, device });
  breakOthers(world, added.x, device);
}

function takeAcknowledgement(world: World, client: number, ack: Up & { t: 'ack' }): void {
  const { server } = world.state;
  const { device } = clientAt(world, client);
  const { x, upTo, pull, marks } = ack;
  say(
    world,
    () =>
      `the server gets ${nameOf(client)}'s acknowledgement of the ${pull ? 'pull' : 'break'} for ${x}`,
  );
  server.breaks = server.breaks.filter(
    (b) => b.device !== device || b.x !== x || b.pull !== pull || b.upTo > upTo,
  );
  for (const each of marks) takeMark(world, device, each);
  const ends = pull || world.rules['break-pulls'];
  if (ends && server.unshared[x] === device) delete server.unshared[x];
}

/** The connection begins with nothing promised: "a Hello drops all that this run held, on both sides". */
function takeHello(world: World, client: number, hello: Up & { t: 'hello' }): void {
  const { server, net } = world.state;
  const { device, next } = hello;
  if (!mayGoOn(world, hello)) {
    say(
      world,
      () => `the server refuses the Hello of ${nameOf(client)}: its data folder went on elsewhere`,
    );
    refuse(world, client);
    return;
  }
  say(world, () => `the server takes the Hello of ${nameOf(client)}`);
  const before = server.conns[device];
  if (before !== undefined && before !== client) {
    say(world, () => `and cuts the older connection of that device, which is ${nameOf(before)}'s`);
    cutLink(world, before);
  }
  if (next > 0) put(server.disk.tokens, String(device), next);
  const last = server.spoke[device];
  const isOther = last !== undefined && last !== client && server.leases[device] === true;
  if (isOther && world.rules['own-run']) leaveBehind(world, device, last);
  else forget(world, device);
  put(server.spoke, String(device), client);
  put(server.conns, String(device), client);
  if (Array.isArray(server.waiting)) {
    server.waiting = server.waiting.filter((other) => other !== device);
    if (server.waiting.length === 0) server.waiting = null;
  }
  renew(world, device);
  const { epoch, fork } = server.disk;
  const behind = breaksUnderWay(world, client);
  net[client]?.down[0]?.push({ t: 'welcome', ok: true, epoch, fork, behind, renews: true });
}

/** Rule I2: the incarnations are a chain, on which two copies of one data folder can't both go on. */
function mayGoOn(world: World, { device, token, next }: Up & { t: 'hello' }): boolean {
  const current = world.state.server.disk.tokens[device];
  if (!world.rules.I2 || !world.rules.chain || current === undefined || next === 0) return true;
  return current === token || current === next;
}

/** The first byte of a store, or a change of a directory (rules P3, S5 and W4). */
function takeUpdate(world: World, client: number, message: Up & { t: 'update' }): void {
  const { server } = world.state;
  const { device } = clientAt(world, client);
  const { update, overtakes } = message;
  const x = touched(update);
  const applied = server.disk.applied[`${device}/${update.seq}`];
  if (
    applied !== undefined &&
    applied !== update.uid &&
    world.rules.I2 &&
    world.rules['named-updates']
  ) {
    say(
      world,
      () =>
        `the server has another update ${update.seq} of that device, and refuses ${nameOf(client)}: its data folder went on elsewhere`,
    );
    refuse(world, client);
    return;
  }
  if (applied !== undefined && world.rules.W4) {
    say(
      world,
      () =>
        `the server gets ${nameOf(client)}'s update ${update.seq} again, and knows that it is applied`,
    );
    server.answers.push({
      client,
      seq: update.seq,
      uid: update.uid,
      x,
      body: { status: 'committed', before: -1, after: -1, grant: 0, last: false },
    });
    return;
  }
  const also = overtakes.length === 0 ? '' : `, which overtakes ${list(overtakes)}`;
  say(
    world,
    () => `the server begins to get ${nameOf(client)}'s update ${update.seq} of ${x}${also}`,
  );
  if (world.rules.P3 && update.op !== 'copy')
    takeMark(world, device, { x, device, seq: update.seq });
  for (const each of overtakes) takeMark(world, device, each);
  server.incoming.push({ client, device, update });
}

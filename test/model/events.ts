/** What the world does: connections come and go, leases run out, machines crash, sleep and are copied. */
import { giveUp } from './client-steps.ts';
import { cutLink } from './link.ts';
import { settle } from './server-settle.ts';
import { forget, formerOf, unmark } from './server-promises.ts';
import { copyOf, nameOf, put } from './state.ts';
import { clientAt, say, type World } from './world.ts';

/** A connection begins with a Hello, by which the client gives up all that it was promised. */
export function connect(world: World, index: number): void {
  const client = clientAt(world, index);
  client.conn = 'hello';
  if (world.rules['hello-gives-up']) giveUp(client);
  const { token, device } = client;
  let next = 0;
  if (world.scope.events.copy > 0) {
    next = client.tried[0] ?? world.state.ghost.tokens++;
    client.tried = [next];
  }
  world.state.net[index]?.up[0]?.push({ t: 'hello', device, token, next });
  say(world, () => `${nameOf(index)} connects and says Hello`);
}

export function cut(world: World, index: number): void {
  cutLink(world, index);
  say(world, () => `${nameOf(index)}'s connection breaks; what was under way is gone`);
  settle(world);
}

/** The daemon is killed and starts again: what was on disk is there. */
export function crash(world: World, index: number): void {
  const client = clientAt(world, index);
  cutLink(world, index);
  giveUp(client);
  client.leased = false;
  client.copies = [];
  say(world, () => `${nameOf(index)}'s daemon crashes and starts again`);
  settle(world);
}

export function lapseClient(world: World, index: number): void {
  clientAt(world, index).leased = false;
  say(world, () => `nothing is heard for long: ${nameOf(index)}'s lease runs out at the client`);
}

/**
 * The lease is over at the server too. A device without a connection is away: its grants end (rule S4). One that is
 * connected keeps them, but owes the acknowledgements that nobody waits for any more.
 */
export function lapseServer(world: World, index: number): void {
  const { server, net, clients } = world.state;
  const { device } = clientAt(world, index);
  put(server.leases, String(device), false);
  clients.forEach((client, other) => {
    if (client.device !== device) return;
    if (client.asleep && world.rules['P1-suspend']) client.leased = false;
    for (const queue of net[other]?.down ?? []) {
      for (const message of queue) if (message.t !== 'break') message.renews = false;
    }
  });
  say(
    world,
    () =>
      `and it runs out at the server${server.conns[device] === undefined ? `: ${nameOf(index)} is away` : ''}`,
  );
  if (server.conns[device] === undefined) {
    forget(world, device);
    server.disk.leaseRows = server.disk.leaseRows.filter((other) => other !== device);
  } else {
    for (const each of server.breaks) if (each.device === device) each.owed = true;
  }
  if (!world.rules.S4) {
    unmark(world, (mark) => mark.device === device);
    say(world, () => `and the marks of its updates with it`);
  }
  settle(world);
}

/** Rule I2: the lease is over of a client whose device another one speaks for. */
export function lapseFormer(world: World, index: number): void {
  const former = formerOf(index);
  put(world.state.server.leases, String(former), false);
  forget(world, former);
  say(world, () => `and what ${nameOf(index)} held runs out at the server`);
  settle(world);
}

export function wake(world: World, index: number): void {
  clientAt(world, index).asleep = false;
  say(world, () => `${nameOf(index)}'s laptop wakes up`);
}

/** A data folder is copied to another machine, which starts as the same device. */
export function copyFolder(world: World, index: number): void {
  const { clients } = world.state;
  const from = clientAt(world, 0);
  const copy = copyOf(from);
  const spare = clientAt(world, index);
  clients[index] = {
    ...copy,
    conn: 'none',
    leased: false,
    asleep: false,
    paused: spare.paused,
    asks: [],
    copies: [],
  };
  giveUp(clientAt(world, index));
  for (const update of clientAt(world, index).log) update.sent = false;
  say(world, () => `${nameOf(0)}'s data folder is copied to another laptop, ${nameOf(index)}`);
}

/** Rule P1: one lease after its start the server commits again; leases that it did not give itself are over by then. */
export function waitEnds(world: World): boolean {
  const { server, clients } = world.state;
  if (server.waiting === null) return false;
  return clients.every(
    (client, index) => !client.leased || client.asleep || server.conns[client.device] === index,
  );
}

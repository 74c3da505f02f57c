/**
 * The server's promises (rules P1 to P3 and S1): granting them, breaking them, and who waits for an acknowledgement.
 */
import { nameOf, put } from './state.ts';
import type { Content, Mark } from './update.ts';
import { holderOf, say, type World } from './world.ts';

export function marksOf(world: World): Mark[] {
  const { disk, softMarks } = world.state.server;
  return softMarks.length === 0 ? disk.dirty : [...disk.dirty, ...softMarks];
}

export function dirtyByOthers(world: World, x: string, device: number): boolean {
  return marksOf(world).some((mark) => mark.x === x && mark.device !== device);
}

/** Rule P3: "mark dirty (durable, naming the update)". Without it the mark is a note in memory. */
export function mark(world: World, added: Mark): void {
  const { server } = world.state;
  const applied = server.disk.applied[`${added.device}/${added.seq}`] !== undefined;
  if (applied && world.rules.W4) return;
  const fact = world.state.ghost.facts.find(
    ({ device, seq, x }) => device === added.device && seq === added.seq && x === added.x,
  );
  if (fact !== undefined) fact.announced = true;
  const marks = world.rules.P3 ? server.disk.dirty : server.softMarks;
  if (marks.some((m) => m.x === added.x && m.device === added.device && m.seq === added.seq))
    return;
  marks.push(added);
  marks.sort((a, b) => a.device - b.device || a.seq - b.seq || (a.x < b.x ? -1 : 1));
}

export function unmark(world: World, which: (mark: Mark) => boolean): void {
  const { server } = world.state;
  server.disk.dirty = server.disk.dirty.filter((m) => !which(m));
  server.softMarks = server.softMarks.filter((m) => !which(m));
}

/** A new promise with its number, or 0 where there can be none. */
export function grant(world: World, device: number, x: string): number {
  const { server } = world.state;
  if (world.rules.P3 && dirtyByOthers(world, x, device)) return 0;
  const n = (server.grants[device] ?? 0) + 1;
  put(server.grants, String(device), n);
  server.promises = server.promises.filter((p) => p.device !== device || p.x !== x);
  server.promises.push({ device, x, n });
  server.promises.sort((a, b) => a.device - b.device || (a.x < b.x ? -1 : 1));
  return n;
}

/** Rule S1: "unshared" is for the one client with a promise. */
export function grantUnshared(world: World, device: number, x: string): boolean {
  const { server } = world.state;
  if (server.waiting !== null && world.rules['wait-no-unshared']) return false;
  // Not while it is being taken back: the acknowledgement that comes would be for the grant before.
  if (server.breaks.some((b) => b.x === x && b.device === device)) return false;
  if (server.promises.some((p) => p.x === x && p.device !== device)) return false;
  if (server.unshared[x] !== undefined && server.unshared[x] !== device) return false;
  put(server.unshared, x, device);
  return true;
}

/** Breaks what others hold for x: sent at VALIDATE, before anything is committed. */
export function breakOthers(world: World, x: string, device: number): void {
  const { server } = world.state;
  for (const holder of server.promises.filter((p) => p.x === x && p.device !== device)) {
    server.promises = server.promises.filter((p) => p !== holder);
    sendBreak(world, holder.device, x, false);
  }
}

/** A break (or a pull) names all grants up to the last one given. */
export function sendBreak(world: World, device: number, x: string, pull: boolean): void {
  const { server, net } = world.state;
  const upTo = server.grants[device] ?? 0;
  const client = server.conns[device];
  const leased = server.leases[device] === true;
  const same = server.breaks.find((b) => b.device === device && b.x === x && b.pull === pull);
  if (same !== undefined) {
    same.upTo = Math.max(same.upTo, upTo);
    same.owed = same.owed && !leased;
  } else if (leased || client !== undefined) {
    server.breaks.push({ device, x, upTo, pull, owed: !leased });
    server.breaks.sort((a, b) => a.device - b.device || (a.x < b.x ? -1 : a.x > b.x ? 1 : 0));
  }
  if (client === undefined) return;
  net[client]?.down[0]?.push({ t: 'break', x, upTo, pull });
  say(world, () =>
    pull
      ? `the server sends ${holderOf(world, device)} a pull for ${x}: unshared no longer`
      : `the server sends ${holderOf(world, device)} a break for ${x}, of all grants up to ${upTo}`,
  );
}

/** Somebody waits for this acknowledgement, because a lease may still run. */
export function awaited(world: World, x: string, device: number, pulls: boolean): boolean {
  return world.state.server.breaks.some(
    (b) => b.x === x && b.device !== device && b.pull === pulls && !b.owed,
  );
}

/** A device that owes gets no answer: by it the lease would come to life again, and with it the old promise. */
export function owes(world: World, device: number): boolean {
  return world.rules.owing && world.state.server.breaks.some((b) => b.device === device && b.owed);
}

/** How many breaks are on their way to this client; what is sent now must not arrive before them. */
export function breaksUnderWay(world: World, client: number): number {
  if (!world.rules['no-outrun']) return 0;
  const queue = world.state.net[client]?.down[0] ?? [];
  return queue.filter((message) => message.t === 'break').length;
}

/** Who holds what was promised to a client as a device that has another one by now. */
export function formerOf(client: number): number {
  return 20 + client;
}

/**
 * Another client speaks for the device, and gives up nothing but its own: what the one before was promised counts until its
 * lease is over. Nobody can be told of a break.
 */
export function leaveBehind(world: World, device: number, client: number): void {
  const { server } = world.state;
  const former = formerOf(client);
  server.breaks = server.breaks.filter((b) => b.device !== device || !b.owed);
  for (const each of [...server.promises, ...server.breaks]) {
    if (each.device === device) each.device = former;
  }
  for (const x of Object.keys(server.unshared)) {
    if (server.unshared[x] === device) put(server.unshared, x, former);
  }
  put(server.leases, String(former), true);
  put(server.leases, String(device), false);
}

/** All that a device held is given up, and nobody waits for it any more. */
export function forget(world: World, device: number): void {
  const { server } = world.state;
  server.promises = server.promises.filter((p) => p.device !== device);
  server.breaks = server.breaks.filter((b) => b.device !== device);
  for (const x of Object.keys(server.unshared)) {
    if (server.unshared[x] === device) delete server.unshared[x];
  }
}

export function told(content: Content): string {
  if (content === null) return 'nothing (no contents yet)';
  if (typeof content === 'object') {
    const names = Object.entries(content).map(([name, file]) =>
      name === file ? name : `${name} (the file made as ${file})`,
    );
    return `the names ${names.length === 0 ? 'none' : names.join(', ')}`;
  }
  return content === 0 ? 'the contents from the start' : `the contents of save ${content}`;
}

export function who(client: number): string {
  return nameOf(client);
}

/**
 * Promises 1, 3 and 4, looked at in every state: would anybody who reads now, without asking the server, be shown what
 * he must not be shown?
 *
 * Only what still travels excuses a stale read: a writer's announcement on a living connection, or a break that its holder has not
 * acknowledged. Nothing excuses it once the writer was told that all is done.
 */
import { isNames, viewOf } from './client-log.ts';
import { travels } from './network.ts';
import { nameOf, type Client, type Entry, type Fact } from './state.ts';
import { marksOf, told } from './server-promises.ts';
import { isStore, touched } from './update.ts';
import { find, type World } from './world.ts';

export function checkState(world: World): void {
  checkKept(world);
  for (const [index, client] of world.state.clients.entries()) {
    if (!client.here || client.asleep || !client.leased) continue;
    for (const [x, entry] of Object.entries(client.cache)) {
      if (entry.grant === 0 || client.log.some((u) => touched(u) === x && isStore(u))) continue;
      checkFresh(world, index, x, entry);
      checkOrder(world, index, x, entry);
      checkNames(world, index, x, entry);
    }
  }
}

/** Promise 1: what an application was told is written is in a log, or was committed. */
function checkKept(world: World): void {
  const { clients, server, ghost } = world.state;
  for (const { uid, op, fate, client } of ghost.facts) {
    if ((op !== 'store' && op !== 'copy') || fate === 'cancelled' || fate === 'vanished') continue;
    if (fate === 'committed' && !ghost.lost.includes(uid) && server.disk.epoch === 0) {
      const { history } = server.disk;
      if (Object.values(history).some((list) => list.some((each) => each.uid === uid))) continue;
    }
    if (ghost.lost.includes(uid) || fate === 'again') continue;
    if (fate === 'committed' && server.disk.epoch > 0) continue;
    const inLog = clients.some((c) => c.log.some((u) => u.uid === uid));
    const inHand = clients.some((c) => c.copies.some((u) => u.uid === uid));
    const reached = Object.values(server.disk.history).some((list) =>
      list.some((each) => each.uid === uid),
    );
    if (inLog || inHand || reached) continue;
    find(
      world,
      '1',
      `save ${uid}, of which ${nameOf(client)} was told that it is written, is nowhere any more`,
    );
  }
}

/** Is the update part of what an entry of the cache holds? */
function includes(world: World, x: string, entry: Entry, uid: number): boolean {
  const { history, epoch, fork } = world.state.server.disk;
  const index = (history[x] ?? []).findIndex((each) => each.uid === uid);
  const known = entry.epoch === epoch ? entry.version : Math.min(entry.version, fork?.[x] ?? 0);
  return index >= 0 && index <= known;
}

/** Promise 3: no stale read under a usable promise. */
function checkFresh(world: World, index: number, x: string, entry: Entry): void {
  for (const fact of world.state.ghost.facts) {
    if (fact.x !== x || fact.client === index) continue;
    const why = missing(world, index, x, entry, fact);
    if (why === null) continue;
    find(
      world,
      '3',
      `${nameOf(index)} reads ${x} and is shown version ${entry.version}, ${told(shown(world, index, x))}, as if it were the latest, though ${why}`,
    );
    return;
  }
}

function shown(world: World, index: number, x: string) {
  const client = world.state.clients[index];
  return client === undefined ? null : (viewOf(client, x) ?? null);
}

/** Why the entry must not be without this update; null when it has it, or may be without. */
function missing(world: World, index: number, x: string, entry: Entry, fact: Fact): string | null {
  const { server, clients } = world.state;
  const reader = clients[index];
  if (reader === undefined || reader.device === fact.device) return null;
  if (includes(world, x, entry, fact.uid)) return null;
  if (fact.fate === 'committed') {
    const { history } = server.disk;
    if (!(history[x] ?? []).some((each) => each.uid === fact.uid)) return null;
    if (fact.told) return `${nameOf(fact.client)} was told that update ${fact.seq} is committed`;
    if (excused(world, index, x)) return null;
    return `update ${fact.seq} of ${nameOf(fact.client)} is committed and no break is on its way`;
  }
  if (fact.fate !== 'logged') return null;
  const marked = marksOf(world).some(
    (m) => m.x === x && m.device === fact.device && m.seq === fact.seq,
  );
  if (marked) {
    if (excused(world, index, x)) return null;
    return `the server was told of ${nameOf(fact.client)}'s update ${fact.seq} and no break is on its way`;
  }
  if (server.incoming.some(({ update }) => update.uid === fact.uid)) return null;
  if (fact.announced && !excused(world, index, x)) {
    return `the server was told of ${nameOf(fact.client)}'s update ${fact.seq}, and has forgotten it`;
  }
  if (breakOnItsWay(world, reader.device, x)) return null;
  return hidden(world, fact, x);
}

/** A break is on its way; or the reader is cut off, and only a lease stands for him. */
function excused(world: World, index: number, x: string): boolean {
  const reader = world.state.clients[index];
  if (reader === undefined || reader.conn !== 'open') return true;
  return breakOnItsWay(world, reader.device, x);
}

function breakOnItsWay(world: World, device: number, x: string): boolean {
  return world.state.server.breaks.some((b) => b.device === device && b.x === x && !b.pull);
}

/** A hidden update of a writer who is reachable, of which nothing tells and nothing is on its way. */
function hidden(world: World, fact: Fact, x: string): string | null {
  const { clients, net } = world.state;
  const writer = clients[fact.client];
  const lines = net[fact.client];
  if (writer === undefined || lines === undefined || !reachable(writer)) return null;
  const queued = writer.log.find((u) => u.uid === fact.uid);
  if (queued === undefined || queued.op === 'copy' || travels(lines, fact.seq, x)) return null;
  return `${nameOf(fact.client)}, who is connected, has update ${fact.seq} of it queued and told nobody`;
}

function reachable(client: Client): boolean {
  return client.here && !client.asleep && client.conn === 'open' && client.leased;
}

/** Promise 4: who was shown a later update of somebody is not shown, unflagged, the state before an earlier one. */
function checkOrder(world: World, index: number, x: string, entry: Entry): void {
  const { ghost, server, clients } = world.state;
  const reader = clients[index];
  if (reader === undefined) return;
  for (const earlier of ghost.facts) {
    if (earlier.x !== x || earlier.client === index || earlier.device === reader.device) continue;
    if (earlier.fate !== 'logged' && earlier.fate !== 'committed') continue;
    if (earlier.op === 'copy' || ghost.lost.includes(earlier.uid)) continue;
    if (includes(world, x, entry, earlier.uid)) continue;
    for (const [other, version] of Object.entries(reader.seen)) {
      const later = (server.disk.history[other] ?? [])
        .slice(0, version + 1)
        .find(({ uid }) => uid > earlier.uid && ghost.facts[uid - 1]?.client === earlier.client);
      if (later === undefined || other === x) continue;
      find(
        world,
        '4',
        `${nameOf(index)}, who was shown update ${ghost.facts[later.uid - 1]?.seq ?? 0} of ${nameOf(earlier.client)} in ${other}, reads ${x} and is shown version ${entry.version}, without update ${earlier.seq} that came before it`,
      );
      return;
    }
  }
}

/** A cached directory that claims a version holds what that version held. */
function checkNames(world: World, index: number, x: string, entry: Entry): void {
  const { history, epoch } = world.state.server.disk;
  if (!isNames(entry.content) || entry.epoch !== epoch) return;
  const held = history[x]?.[entry.version]?.content;
  if (held === undefined || JSON.stringify(held) === JSON.stringify(entry.content)) return;
  find(
    world,
    '3',
    `${nameOf(index)} lists ${x} and is shown ${told(entry.content)} as version ${entry.version}, in which there are ${told(held)}`,
  );
}

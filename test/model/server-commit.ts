/** The server's commit of one update, with its preconditions, and its restart. */
import { initialState } from './initial.ts';
import { cutLink } from './link.ts';
import type { AnswerBody } from './network.ts';
import { nameOf, put, type Fact, type Server } from './state.ts';
import { settle } from './server-settle.ts';
import { breakOthers, grant, told, unmark } from './server-promises.ts';
import { isStore, namesAfter, touched, type Names, type Update } from './update.ts';
import { find, say, type World } from './world.ts';

type Incoming = Server['incoming'][number];

/** Rule W4: "the server holds it until those are applied"; P1: a restarted server commits nothing for one lease. */
export function mayCommit(world: World, { device, update }: Incoming): boolean {
  const { disk, waiting } = world.state.server;
  if (waiting !== null) return false;
  if (update.op !== 'copy' && disk.things[touched(update)] === undefined) return false;
  return (
    !world.rules.W4 || update.deps.every((seq) => disk.applied[`${device}/${seq}`] !== undefined)
  );
}

export function commit(world: World, incoming: Incoming): void {
  const { server, ghost } = world.state;
  const { client, device, update } = incoming;
  server.incoming = server.incoming.filter((other) => other !== incoming);
  const x = touched(update);
  const before = server.disk.things[x]?.version ?? 0;
  const status = verdict(world, update);
  const fact = ghost.facts[update.uid - 1];
  if (fact === undefined) throw new Error('every update is known');
  const last = update.op === 'remove' && !namedElsewhere(world, update);
  if (status === 'committed') apply(world, update, fact, device);
  else if (fact.fate === 'logged') fact.fate = status;
  unmark(world, (mark) => mark.device === device && mark.seq === update.seq);
  const after = server.disk.things[x]?.version ?? 0;
  say(world, () => sentence(client, update, status, after, world));
  if (!world.rules.P3 && status === 'committed') breakOthers(world, x, device);
  const body = { status, before, after, grant: 0, last };
  if (status === 'committed') body.grant = grant(world, device, x);
  server.answers.push({ client, seq: update.seq, uid: update.uid, x, body });
  settle(world);
}

function verdict(world: World, update: Update): AnswerBody['status'] {
  const { things } = world.state.server.disk;
  const thing = things[touched(update)];
  if (update.op === 'copy') {
    return thing === undefined || thing.content === update.content ? 'committed' : 'conflict';
  }
  if (thing === undefined) return 'refused';
  if (update.op === 'store') {
    return thing.version === update.base || thing.content === update.content
      ? 'committed'
      : 'conflict';
  }
  const names = thing.content as Names;
  const found = names[update.name];
  if (update.op === 'create') {
    return found === undefined || found === update.file ? 'committed' : 'refused';
  }
  return found === update.file ? 'committed' : 'refused';
}

function apply(world: World, update: Update, fact: Fact, device: number): void {
  const { disk } = world.state.server;
  const x = touched(update);
  const old = disk.things[x] ?? { version: 0, content: null };
  put(disk.applied, `${device}/${update.seq}`, update.uid);
  if (isStore(update) && old.content === update.content) {
    // Equal contents are no conflict, and nothing new.
    fact.fate = 'committed';
    return;
  }
  checkApplied(world, update, fact);
  fact.fate = 'committed';
  fact.times++;
  if (update.op === 'create' && disk.things[update.file] === undefined) {
    put(disk.things, update.file, { version: 0, content: null });
    put(disk.history, update.file, [{ uid: 0, content: null }]);
  }
  const content = isStore(update) ? update.content : namesAfter(old.content as Names, update);
  put(disk.things, x, { version: old.version + 1, content });
  if (disk.history[x] === undefined) put(disk.history, x, [{ uid: 0, content: null }]);
  disk.history[x]?.push({ uid: update.uid, content });
}

/** Is the file still there under another name, once this one is removed? */
function namedElsewhere(world: World, update: Update): boolean {
  return Object.entries(world.state.server.disk.things).some(([dir, { content }]) => {
    if (typeof content !== 'object' || content === null) return false;
    return Object.entries(content).some(
      ([name, file]) => file === update.file && (dir !== update.dir || name !== update.name),
    );
  });
}

function checkApplied(world: World, update: Update, fact: Fact): void {
  const { disk } = world.state.server;
  if (fact.times > 0) {
    find(
      world,
      'exactly once',
      `save ${update.uid} is committed a second time, as ${touched(update)}`,
    );
  }
  if (fact.fate === 'vanished') {
    find(
      world,
      '1',
      `${update.name} is at the server, although ${nameOf(fact.client)} removed it and was told so`,
    );
  }
  const replaced = disk.things[touched(update)]?.content;
  if (
    update.op === 'store' &&
    typeof replaced === 'number' &&
    !descends(world, update.content, replaced)
  ) {
    find(
      world,
      'every version kept',
      `save ${update.content} takes the place of ${told(replaced)}, which its author never saw, and nothing calls it a conflict`,
    );
  }
  if (update.op !== 'rename') return;
  const names = disk.things[update.dir]?.content as Names;
  const over = names[update.to];
  if (over === undefined || disk.things[over]?.content === null) return;
  if (disk.things[update.file]?.content !== null) return;
  const saved = world.state.ghost.facts.some(
    (other) =>
      other.uid < update.uid &&
      other.file === update.file &&
      other.op === 'store' &&
      other.fate === 'logged',
  );
  if (!saved) return;
  find(
    world,
    '4',
    `whoever opens ${update.to} now finds a file without contents: the rename is seen, the save before it is not`,
  );
}

/** Did the author of `content` have `older` before him, or something that came from it? */
export function descends(world: World, content: number, older: number): boolean {
  for (let at = content; ; at = world.state.ghost.facts[at - 1]?.parent ?? 0) {
    if (at === older) return true;
    if (at === 0) return false;
  }
}

function sentence(
  client: number,
  update: Update,
  status: string,
  after: number,
  world: World,
): string {
  const x = touched(update);
  if (status !== 'committed') {
    return `the server finds ${nameOf(client)}'s update ${update.seq} of ${x} ${status === 'conflict' ? 'in conflict with what was committed meanwhile' : 'not possible, and refuses it'}`;
  }
  const content = world.state.server.disk.things[x]?.content ?? null;
  return `the server commits ${nameOf(client)}'s update ${update.seq}: ${x} is at version ${after}, ${told(content)}`;
}

/** The server crashes and starts again; `restored` from an older backup. */
export function restart(world: World, restored: boolean): void {
  const { server, clients } = world.state;
  const heldLeases = [...server.disk.leaseRows];
  clients.forEach((client, index) => {
    if (client.conn !== 'none') cutLink(world, index);
  });
  Object.assign(server, {
    promises: [],
    grants: {},
    leases: {},
    unshared: {},
    conns: {},
    spoke: {},
    breaks: [],
    answers: [],
    asks: [],
    incoming: [],
    softMarks: [],
  });
  if (restored) restore(world);
  const early = restored && world.rules['new-epoch-waits'] ? 'all' : [...server.disk.leaseRows];
  server.waiting = !world.rules['P1-wait'] || early.length === 0 ? null : early;
  say(world, () => {
    const how = restored
      ? 'is restored from its backup, in which nothing of this had happened'
      : 'crashes';
    return `the server ${how} and starts again${heldLeases.length > 0 && server.waiting === null ? ', waiting for nobody' : ''}`;
  });
}

function restore(world: World): void {
  const { server, ghost, clients } = world.state;
  const old = server.disk;
  server.disk = initialState(world.scope).server.disk;
  // The incarnations of a backup are old: held against them, every device would be a copy.
  server.disk.tokens = {};
  const kept = (uid: number): boolean =>
    Object.values(server.disk.history).some((list) => list.some((each) => each.uid === uid));
  for (const fact of ghost.facts) {
    fact.announced = false;
    if (fact.fate !== 'committed' || kept(fact.uid)) continue;
    fact.told = false;
    fact.times = 0;
    if (clients.some((client) => client.log.some((update) => update.uid === fact.uid)))
      fact.fate = 'logged';
    else ghost.lost.push(fact.uid);
  }
  if (!world.rules.I1) return;
  server.disk.epoch = old.epoch + 1;
  server.disk.fork = Object.fromEntries(
    Object.entries(server.disk.things).map(([x, { version }]) => [x, version]),
  );
}

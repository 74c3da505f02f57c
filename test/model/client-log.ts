/**
 * A client's log: what an application did becomes an update (rules W1, W5), is announced (S2) and sent (S5).
 */
import { classOf } from './network.ts';
import type { Rules } from './rules.ts';
import type { Operation } from './scope.ts';
import { nameOf, type Client } from './state.ts';
import { isStore, namesAfter, touched, type Content, type Names, type Update } from './update.ts';
import { clientAt, find, say, type World } from './world.ts';

/** What an application of this client sees: the cache, with our own queued updates over it (rule P5). */
export function viewOf(client: Client, x: string): Content | undefined {
  let content: Content | undefined = client.cache[x]?.content;
  for (const update of client.log) {
    if (update.op === 'create' && update.file === x) content ??= null;
    if (isStore(update) && (update.file === x || update.of === x)) content = update.content;
    if (!isStore(update) && update.dir === x && isNames(content))
      content = namesAfter(content, update);
  }
  return content;
}

export function isNames(content: Content | undefined): content is Names {
  return typeof content === 'object' && content !== null;
}

/** The update that an operation becomes; null when there is nothing there to do it to. */
export function updateFor(
  client: Client,
  op: Operation,
  rules: Rules,
): Omit<Update, 'uid' | 'seq' | 'deps'> | null {
  const blank = { name: '', to: '', dir: '', base: 0, content: 0, sent: false, broken: 0, of: '' };
  if (op.do === 'open') return null;
  if (op.do === 'save') {
    if (viewOf(client, op.file) === undefined) return null;
    // Until the copy is committed its name is still that of the losing side, and so is what is saved under it.
    const copy = client.log.find((u) => u.op === 'copy' && u.of === op.file);
    if (copy !== undefined && rules['saves-follow']) {
      return { ...blank, op: 'store', file: copy.file, of: op.file, base: 1 };
    }
    const base = client.cache[op.file]?.version ?? 0;
    return { ...blank, op: 'store', file: op.file, base };
  }
  const names = viewOf(client, op.dir);
  if (!isNames(names)) return null;
  if (op.do === 'create') {
    if (names[op.file] !== undefined || viewOf(client, op.file) !== undefined) return null;
    return { ...blank, op: 'create', file: op.file, dir: op.dir, name: op.file };
  }
  const file = names[op.name];
  if (file === undefined) return null;
  if (op.do === 'remove') return { ...blank, op: 'remove', file, dir: op.dir, name: op.name };
  if (op.do === 'link' && names[op.to] !== undefined) return null;
  return { ...blank, op: op.do, file, dir: op.dir, name: op.name, to: op.to };
}

/** An application does something; when the call returns, the update is in the log on disk. */
export function operate(world: World, index: number, op: Operation): void {
  const client = clientAt(world, index);
  const made = updateFor(client, op, world.rules);
  if (made === null) return;
  const { ghost } = world.state;
  const uid = ghost.facts.length + 1;
  const seen = viewOf(client, made.of === '' ? made.file : made.of);
  const parent = isStore(made) && typeof seen === 'number' ? seen : 0;
  const update: Update = { ...made, uid, seq: client.nextSeq, deps: [] };
  if (isStore(made)) update.content = uid;
  update.deps = world.rules.W1 ? dependencies(client.log, update) : [];
  const { device } = client;
  ghost.facts.push({
    uid,
    client: index,
    device,
    seq: update.seq,
    x: touched(update),
    file: update.file,
    op: update.op,
    parent,
    fate: 'logged',
    told: false,
    announced: false,
    times: 0,
  });
  say(
    world,
    () =>
      `${nameOf(index)} ${described(op)} (update ${update.seq}${isStore(made) ? `, save ${uid}` : ''})`,
  );
  if (update.op === 'remove' && vanishes(world, index, update)) return;
  client.nextSeq++;
  client.log.push(update);
  announce(world, index, update);
}

function described(op: Operation): string {
  switch (op.do) {
    case 'save':
      return `saves ${op.file}`;
    case 'create':
      return `creates ${op.file} in ${op.dir}`;
    case 'remove':
      return `removes ${op.name} from ${op.dir}`;
    case 'link':
      return `links ${op.name} as ${op.to}`;
    case 'rename':
      return `renames ${op.name} to ${op.to}`;
    case 'open':
      return `opens ${op.what}`;
  }
}

/**
 * Rule W1: a store waits for its create and for earlier stores of its file; a change of a name waits for earlier changes of
 * the same names, and a rename or link also for the earlier stores of what it brings in.
 */
function dependencies(log: readonly Update[], update: Update): number[] {
  return log.filter((earlier) => needs(update, earlier)).map(({ seq }) => seq);
}

function needs(update: Update, earlier: Update): boolean {
  const sameFile = earlier.file === update.file;
  if (isStore(update)) return sameFile && (earlier.op === 'create' || isStore(earlier));
  if (!isStore(earlier)) return sameFile || [update.name, update.to].includes(earlier.name);
  return sameFile && (update.op === 'rename' || update.op === 'link');
}

/** Rule W5: does a removal take back what is queued? True when it is not to be sent itself. */
function vanishes(world: World, index: number, removal: Update): boolean {
  const client = clientAt(world, index);
  const { W5 } = world.rules;
  const create = client.log.find((u) => u.op === 'create' && u.file === removal.file);
  const names = client.log.some((u) => u.op === 'link' && u.file === removal.file);
  const neverSent = create !== undefined && !create.sent && create.broken === 0;
  if (create !== undefined && (!W5 || (neverSent && !names))) {
    drop(world, index, (u) => u.file === removal.file, 'vanished');
    fateOf(world, removal.uid, 'vanished');
    say(
      world,
      () => `its create is ${create.sent ? 'on its way' : 'not sent'}: both vanish from the log`,
    );
    return true;
  }
  if (!W5) drop(world, index, (u) => u.file === removal.file && isStore(u), 'cancelled');
  return false;
}

/** Takes updates out of the log for good. */
export function drop(
  world: World,
  index: number,
  which: (update: Update) => boolean,
  fate: 'vanished' | 'cancelled',
): void {
  const client = clientAt(world, index);
  for (const update of client.log.filter(which)) {
    fateOf(world, update.uid, fate);
    if (fate !== 'cancelled') continue;
    say(world, () => `its queued save ${update.uid} is cancelled`);
    const still = stillNamed(client, update.file);
    if (still !== null)
      find(world, '1', `save ${update.uid} is gone, although ${still} still names the file`);
  }
  client.log = client.log.filter((u) => !which(u));
}

/** A second name of the file, in what this client sees. */
export function stillNamed(client: Client, file: string): string | null {
  for (const dir of Object.keys(client.cache)) {
    const names = viewOf(client, dir);
    if (!isNames(names)) continue;
    const found = Object.entries(names).filter(([, fid]) => fid === file);
    if (found.length > 1) return found[1]?.[0] ?? null;
  }
  return null;
}

export function fateOf(
  world: World,
  uid: number,
  fate: 'vanished' | 'cancelled' | 'again' | 'logged',
): void {
  const fact = world.state.ghost.facts[uid - 1];
  if (fact !== undefined) fact.fate = fate;
}

/** Rule S1: the grant counts only under the lease, as every promise does. */
function isUnshared(client: Client, x: string): boolean {
  return client.leased && client.cache[x]?.unshared === true;
}

/**
 * Rule S2: without the grant "unshared" a writer tells the server in the step that logs the update, by the store's header
 * if that can leave at once, else by a forward invalidation.
 */
export function announce(world: World, index: number, update: Update): void {
  const client = clientAt(world, index);
  const x = touched(update);
  if (client.conn !== 'open' || isUnshared(client, x)) return;
  if (maySend(client, update)) {
    send(world, index, update);
  } else if (world.rules.S2 && update.op !== 'copy') {
    tell(world, index, [update]);
  }
}

/** Sends a forward invalidation for some of the log. */
export function tell(world: World, index: number, updates: readonly Update[]): void {
  const { device } = clientAt(world, index);
  const marks = updates
    .filter((u) => u.op !== 'copy')
    .map((u) => ({ x: touched(u), device, seq: u.seq }));
  if (marks.length === 0) return;
  world.state.net[index]?.up[0]?.push({ t: 'announce', marks });
  const what = marks.map(({ x, seq }) => `${x} (update ${seq})`).join(', ');
  say(world, () => `and ${nameOf(index)} sends a forward invalidation of ${what}`);
}

/** Dependents go once what they need is under way; a second store of a file once the first is answered. */
export function maySend(client: Client, update: Update): boolean {
  if (client.conn !== 'open' || client.paused || update.sent) return false;
  const earlier = client.log.filter((u) => u.seq < update.seq);
  if (isStore(update) && earlier.some((u) => isStore(u) && u.file === update.file)) return false;
  const needed = earlier.filter((u) => update.deps.includes(u.seq));
  return needed.every((u) => u.sent);
}

export function send(world: World, index: number, update: Update): void {
  const client = clientAt(world, index);
  const waiting = client.log.filter((u) => u.seq < update.seq && u.op !== 'copy');
  const lists = world.rules.S5 && (isStore(update) || world.rules['lists-metadata']);
  const overtakes = waiting.map((u) => ({ x: touched(u), device: client.device, seq: u.seq }));
  update.sent = true;
  const deps = update.deps.filter((seq) => client.log.some((u) => u.seq === seq));
  const body: Update = { ...update, deps };
  const unshared = isUnshared(client, touched(update));
  world.state.net[index]?.up[classOf(update, unshared)]?.push({
    t: 'update',
    update: body,
    overtakes: lists ? overtakes : [],
  });
  say(world, () => `${nameOf(index)} sends update ${update.seq}`);
}

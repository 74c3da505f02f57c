/** What a client does with a message from the server. */
import { drop, isNames, stillNamed, tell } from './client-log.ts';
import { enterEpoch, pairAgain, settleConflict } from './client-copies.ts';
import type { Down } from './network.ts';
import { checkReply, checkReplaced } from './check-replies.ts';
import { nameOf, put, type Ask, type Client, type Entry } from './state.ts';
import { told } from './server-promises.ts';
import { isStore, namesAfter, touched, type Update } from './update.ts';
import { clientAt, say, type World } from './world.ts';

/** `rank`: how many breaks were sent before this message and are still on their way. */
export function clientTakes(world: World, index: number, message: Down, rank: number): void {
  const client = clientAt(world, index);
  if (message.t !== 'break' && message.renews && client.conn !== 'none') client.leased = true;
  switch (message.t) {
    case 'welcome':
      takeWelcome(world, index, message);
      break;
    case 'break':
      takeBreak(world, index, message);
      nowArrived(world, index, rank);
      break;
    case 'reply':
      takeReply(world, index, message);
      break;
    case 'answer':
      takeAnswer(world, index, message);
      break;
  }
}

/** Rule P2: a break voids all grants up to its number, those on their way included. */
function takeBreak(world: World, index: number, message: Down & { t: 'break' }): void {
  const client = clientAt(world, index);
  const { x, upTo, pull } = message;
  const { P2 } = world.rules;
  const entry = client.cache[x];
  const held = entry !== undefined && (pull ? entry.unshared : entry.grant > 0);
  say(
    world,
    () =>
      `the ${pull ? 'pull' : 'break'} for ${x} reaches ${nameOf(index)}${held ? '' : ', who holds nothing to give up'}`,
  );
  const wasUnshared = entry?.unshared === true && entry.grant <= upTo;
  if (entry !== undefined && entry.grant <= upTo) {
    if (!pull) entry.grant = 0;
    entry.unshared = false;
  }
  for (const ask of client.asks) {
    if (!P2 || ask.x !== x) continue;
    if (pull) ask.pulled = Math.max(ask.pulled, upTo);
    else ask.broken = Math.max(ask.broken, upTo);
  }
  for (const update of client.log) {
    if (P2 && update.sent && touched(update) === x) update.broken = Math.max(update.broken, upTo);
  }
  const ends = pull || (wasUnshared && world.rules['break-pulls']);
  const queued = ends ? client.log.filter((u) => touched(u) === x && u.op !== 'copy') : [];
  const marks = queued.map((u) => ({ x, device: client.device, seq: u.seq }));
  if (marks.length > 0)
    say(world, () => `and ${nameOf(index)} says in the acknowledgement what is queued for it`);
  world.state.net[index]?.up[0]?.push({ t: 'ack', x, upTo, pull, marks });
}

/** Of the answers on their way, those that were sent after this break wait for one less. */
function nowArrived(world: World, index: number, rank: number): void {
  for (const line of world.state.net[index]?.down ?? []) {
    for (const other of line) if (other.t !== 'break' && other.behind > rank) other.behind--;
  }
}

function takeReply(world: World, index: number, message: Down & { t: 'reply' }): void {
  const client = clientAt(world, index);
  const { x, version, content, epoch } = message;
  const ask = client.asks.find((each) => each.x === x);
  if (ask === undefined) return;
  client.asks = client.asks.filter((each) => each !== ask);
  const old = client.cache[x];
  const grant = message.grant > ask.broken ? message.grant : 0;
  const unshared = message.unshared && grant > ask.pulled;
  say(world, () => {
    const late =
      message.grant > 0 && grant === 0
        ? `; its grant ${message.grant} came after its break and is dropped`
        : '';
    const promise = grant > 0 ? ` with grant ${grant}` : '';
    return `the answer reaches ${nameOf(index)}, who is shown version ${version} of ${x}, ${told(content)}${promise}${message.flagged ? ', flagged as not the latest' : ''}${late}`;
  });
  checkReply(world, index, ask, message);
  const next: Entry = { version, epoch, content, grant, unshared, least: 0 };
  if (message.flagged && content === null) return;
  if (
    world.rules.I1 &&
    old !== undefined &&
    old.epoch === epoch &&
    Math.max(old.version, old.least) > version
  )
    return;
  checkReplaced(world, index, x, old, next);
  put(client.cache, x, next);
  if (!isNames(content)) put(client.seen, x, Math.max(client.seen[x] ?? 0, version));
  else put(client.seen, x, Math.max(client.seen[x] ?? 0, version));
}

function takeAnswer(world: World, index: number, message: Down & { t: 'answer' }): void {
  const client = clientAt(world, index);
  const update = client.log.find((u) => u.seq === message.seq);
  const { status } = message.body;
  say(
    world,
    () =>
      `${nameOf(index)} learns that update ${message.seq} is ${status === 'conflict' ? 'in conflict' : status}`,
  );
  if (update === undefined) return;
  client.log = client.log.filter((u) => u !== update);
  if (status === 'committed') settleCommitted(world, index, client, update, message);
  else if (status === 'conflict') settleConflict(world, index, client, update, message.body.after);
}

function settleCommitted(
  world: World,
  index: number,
  client: Client,
  update: Update,
  { x, body, epoch }: Down & { t: 'answer' },
): void {
  const { before, after, grant, last } = body;
  const entry = client.cache[x];
  const holds = grant > update.broken ? grant : 0;
  // Only what this user removed himself is pointless: a name that somebody else took is a conflict (rule C3).
  if (update.op === 'remove' && last && stillNamed(client, update.file) === null) {
    drop(world, index, (u) => isStore(u) && u.file === update.file, 'cancelled');
  }
  for (const later of client.log) if (isStore(later) && later.file === x) later.base = after;
  if (update.op === 'copy') {
    put(client.cache, x, {
      version: after,
      epoch,
      content: update.content,
      grant: holds,
      unshared: false,
      least: 0,
    });
  } else if (update.op === 'store') {
    if (after < 0) {
      if (entry !== undefined) entry.grant = 0;
      return;
    }
    const unshared = entry?.unshared === true;
    put(client.cache, x, {
      version: after,
      epoch,
      content: update.content,
      grant: holds,
      unshared,
      least: 0,
    });
  } else if (entry !== undefined && isNames(entry.content)) {
    const fits = before === entry.version && entry.epoch === epoch;
    if (!fits && (world.rules.P5 || after < 0)) {
      say(
        world,
        () => `and what it holds of ${x} is not what the update was made on: it is invalid`,
      );
      // The reapplied update stays in view until the directory is fetched again.
      entry.content = namesAfter(entry.content, update);
      entry.version = 0;
      entry.grant = 0;
      entry.unshared = false;
      return;
    }
    if (!fits) say(world, () => `and takes what it holds of ${x} for version ${after}`);
    entry.content = namesAfter(entry.content, update);
    entry.version = after;
    entry.grant = holds;
  }
}

/** The connection is usable: first the hidden updates are announced again (rule S4). */
function takeWelcome(world: World, index: number, message: Down & { t: 'welcome' }): void {
  const client = clientAt(world, index);
  if (!message.ok) {
    pairAgain(world, index);
    return;
  }
  say(world, () => `the server's answer to the Hello reaches ${nameOf(index)}`);
  client.conn = 'open';
  client.token = client.tried.at(-1) ?? 0;
  client.tried = [];
  if (!world.rules['hello-gives-up']) giveUp(client);
  if (world.rules.I1 && message.epoch !== client.epoch) enterEpoch(world, index, message);
  client.epoch = message.epoch;
  if (world.rules['announce-again']) tell(world, index, client.log);
}

/** Nothing that was promised holds any longer. */
export function giveUp(client: Client): void {
  for (const entry of Object.values(client.cache)) {
    entry.grant = 0;
    entry.unshared = false;
  }
}

export function openAsk(client: Client, x: string): Ask | undefined {
  return client.asks.find((ask) => ask.x === x);
}

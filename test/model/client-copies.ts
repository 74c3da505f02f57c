/**
 * What a client does so that no version is lost: conflict copies (rule C1), another history of the server (I1), and a data folder
 * that turns out to be a copy (I2).
 */
import { announce, fateOf } from './client-log.ts';
import { descends } from './server-commit.ts';
import { cutLink } from './link.ts';
import type { Down } from './network.ts';
import { nameOf, type Client, type Entry, type Fact } from './state.ts';
import { isStore, type Update } from './update.ts';
import { clientAt, say, type World } from './world.ts';

/** Rule C1: the losing side gets a new fid, and all that is queued for the file moves there. */
export function settleConflict(
  world: World,
  index: number,
  client: Client,
  update: Update,
  current: number,
): void {
  const entry = client.cache[update.file];
  if (entry !== undefined) {
    entry.grant = 0;
    entry.least = current;
  }
  const copy: Update = {
    ...update,
    op: 'copy',
    file: `${update.file}~${update.uid}`,
    of: update.file,
    base: 0,
    deps: [],
    sent: false,
    broken: 0,
  };
  if (!world.rules.C1) {
    for (const later of client.log)
      if (isStore(later) && later.file === update.file) later.base = current;
    client.copies.push(copy);
    say(
      world,
      () =>
        `and ${nameOf(index)} will make a copy of save ${update.uid} in a moment; what is queued for ${update.file} stays`,
    );
    return;
  }
  const first = client.nextSeq++;
  fateOf(world, update.uid, 'logged');
  moveFact(world, update.uid, first, copy.file);
  for (const later of client.log) {
    if (!isStore(later) || later.file !== update.file) continue;
    later.file = copy.file;
    later.base = 1;
    later.seq = client.nextSeq++;
    later.deps = [first];
    later.of = update.file;
    moveFact(world, later.uid, later.seq, copy.file);
  }
  client.log.push({ ...copy, seq: first });
  client.log.sort((a, b) => a.seq - b.seq);
  say(
    world,
    () =>
      `and in one step ${nameOf(index)} logs a conflict copy ${copy.file}, to which all that is queued for ${update.file} moves`,
  );
}

function moveFact(world: World, uid: number, seq: number, x: string): void {
  const fact = world.state.ghost.facts[uid - 1];
  if (fact === undefined) return;
  fact.seq = seq;
  fact.x = x;
  fact.file = x;
}

/** Rule I1: "a client ahead of the server re-offers its newer versions as updates". */
export function enterEpoch(
  world: World,
  index: number,
  { fork, epoch }: Down & { t: 'welcome' },
): void {
  const client = clientAt(world, index);
  for (const [x, entry] of Object.entries(client.cache)) {
    const at = fork?.[x] ?? 0;
    const ahead = entry.version > at && entry.epoch !== epoch;
    if (!ahead || typeof entry.content !== 'number') continue;
    const queued = client.log.find((u) => isStore(u) && u.file === x);
    if (queued === undefined || !descends(world, queued.content, entry.content)) {
      offerAgain(world, index, x, entry, queued === undefined ? at : null);
    } else {
      queued.base = at;
    }
    entry.version = at;
    entry.epoch = epoch;
  }
}

/** With `base` null there is a save of our own queued that did not come from it: then it is offered as a conflict copy. */
function offerAgain(
  world: World,
  index: number,
  x: string,
  entry: Entry,
  base: number | null,
): void {
  const client = clientAt(world, index);
  const content = typeof entry.content === 'number' ? entry.content : 0;
  const uid = world.state.ghost.facts.length + 1;
  const file = base === null ? `${x}~${uid}` : x;
  const op = base === null || base === 0 ? 'copy' : 'store';
  const seq = logFact(world, index, { uid, x: file, op, parent: content });
  const blank = { dir: '', name: '', to: '', deps: [], sent: false, broken: 0, of: '' };
  client.log.push({ ...blank, uid, seq, op, file, base: base ?? 0, content });
  say(
    world,
    () =>
      `and ${nameOf(index)}, whose version of ${x} is newer than the server's, offers it again (update ${seq})`,
  );
}

/** What the checks know of an update that no application asked for; returns its sequence number. */
function logFact(
  world: World,
  index: number,
  { uid, x, op, parent }: Pick<Fact, 'uid' | 'x' | 'op' | 'parent'>,
): number {
  const client = clientAt(world, index);
  const seq = client.nextSeq++;
  const { device } = client;
  const rest = { told: false, announced: false, times: 0 };
  world.state.ghost.facts.push({
    ...{ uid, client: index, device, seq, x, file: x, op, parent },
    ...{ fate: 'logged', ...rest },
  });
  return seq;
}

/** Rule I2: a copied data folder becomes a device of its own; its log becomes conflict copies. */
export function pairAgain(world: World, index: number): void {
  const client = clientAt(world, index);
  cutLink(world, index);
  client.device = index + 10;
  client.token = 0;
  client.tried = [];
  const log = client.log;
  client.log = [];
  client.nextSeq = 1;
  say(
    world,
    () =>
      `${nameOf(index)} is paired again as a new device; what is in the log becomes conflict copies`,
  );
  for (const update of log.filter(isStore)) {
    const uid = world.state.ghost.facts.length + 1;
    const file = `${update.file}~${uid}`;
    const own = world.state.ghost.facts[update.uid - 1];
    const seq = logFact(world, index, { uid, x: file, op: 'copy', parent: update.content });
    if (own !== undefined && own.client === index) own.fate = 'again';
    client.log.push({
      ...update,
      ...{ uid, seq, op: 'copy', file, of: update.file, base: 0, deps: [], sent: false },
    });
  }
}

/** Without rule C1: the copy is made some time after the conflict. */
export function makeCopy(world: World, index: number): void {
  const client = clientAt(world, index);
  const copy = client.copies.shift();
  if (copy === undefined) return;
  const seq = client.nextSeq++;
  client.log.push({ ...copy, seq });
  fateOf(world, copy.uid, 'logged');
  moveFact(world, copy.uid, seq, copy.file);
  say(world, () => `${nameOf(index)} logs the conflict copy ${copy.file}`);
  announce(world, index, copy);
}

/** The state in which a scope begins. */
import { noLines } from './network.ts';
import type { Person, Scope } from './scope.ts';
import { copyOf, type Client, type Durable, type Server, type State } from './state.ts';
import type { Content } from './update.ts';

export function initialState(scope: Scope): State {
  const things = new Map<string, Content>();
  for (const file of scope.files) things.set(file, 0);
  for (const [dir, names] of Object.entries(scope.dirs)) things.set(dir, { ...names });
  const sorted = [...things].sort(([a], [b]) => (a < b ? -1 : 1));
  const disk: Durable = {
    epoch: 0,
    things: Object.fromEntries(sorted.map(([x, content]) => [x, { version: 1, content }])),
    history: Object.fromEntries(
      sorted.map(([x, content]) => [
        x,
        [
          { uid: 0, content: null },
          { uid: 0, content },
        ],
      ]),
    ),
    dirty: [],
    applied: {},
    tokens: {},
    leaseRows: [],
    fork: null,
  };
  const server: Server = {
    disk,
    waiting: null,
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
  };
  const clients = scope.people.map((person, index) => place(server, person, index, things));
  const { cut, connect, lapse, crash, restart, restore, sleep, copy, resume } = scope.events;
  return {
    clients,
    server,
    net: clients.map(noLines),
    ghost: { facts: [], lost: [], tokens: 200 },
    left: {
      operations: scope.people.map((person) => person.operations),
      opens: scope.people.map((person) => person.opens),
      ...{ cut, connect, lapse, crash, restart, restore, sleep, copy, resume },
    },
  };
}

function place(
  server: Server,
  person: Person,
  device: number,
  things: ReadonlyMap<string, Content>,
): Client {
  const connected = person.start === 'connected';
  const client: Client = {
    device,
    here: person.start !== 'spare',
    asleep: false,
    conn: connected ? 'open' : 'none',
    leased: connected,
    paused: person.paused === true,
    log: [],
    nextSeq: 1,
    token: 0,
    tried: [],
    epoch: 0,
    cache: {},
    asks: [],
    copies: [],
    seen: {},
  };
  if (connected) {
    server.conns[device] = device;
    server.spoke[device] = device;
    server.leases[device] = true;
    server.disk.leaseRows.push(device);
    server.disk.tokens[device] = 100 + device;
    client.token = 100 + device;
  }
  for (const x of [...person.promised].sort()) {
    const n = connected ? (server.grants[device] ?? 0) + 1 : 0;
    const unshared = connected && person.unshared?.includes(x) === true;
    client.cache[x] = {
      version: 1,
      epoch: 0,
      content: copyOf(things.get(x) ?? null),
      grant: n,
      unshared,
      least: 0,
    };
    if (!connected) continue;
    server.grants[device] = n;
    server.promises.push({ device, x, n });
    if (unshared) server.unshared[x] = device;
  }
  return client;
}

/** The scopes: each is as small as it can be and still holds the hole that its rules close. */
import { NOTHING_HAPPENS, type Operation, type Person, type Scope } from './scope.ts';

const nobody: Person = { may: [], operations: 0, opens: 0, start: 'connected', promised: [] };
const small = {
  files: ['doc'],
  dirs: {},
  impatient: false,
  unordered: false,
  depth: null,
  events: NOTHING_HAPPENS,
};
const events = (some: Partial<Scope['events']>): Scope['events'] => ({
  ...NOTHING_HAPPENS,
  ...some,
});

const saves = (file: string): Operation => ({ do: 'save', file });
const opens = (what: string): Operation => ({ do: 'open', what });
const creates = (file: string): Operation => ({ do: 'create', dir: 'desk', file });
const removes = (name: string): Operation => ({ do: 'remove', dir: 'desk', name });
const renames = (name: string, to: string): Operation => ({ do: 'rename', dir: 'desk', name, to });
const links = (name: string, to: string): Operation => ({ do: 'link', dir: 'desk', name, to });

export const SCOPES: readonly Scope[] = [
  {
    ...small,
    name: 'late-grant',
    about: 'bob opens doc while ada saves it',
    people: [
      { ...nobody, may: [saves('doc')], operations: 2, promised: ['doc'] },
      { ...nobody, may: [opens('doc')], opens: 3 },
    ],
  },
  {
    ...small,
    name: 'break-wait',
    about: 'ada and bob both hold doc, and bob may be silent as long as a lease',
    files: ['doc', 'notes'],
    people: [
      { ...nobody, may: [saves('doc')], operations: 1, promised: ['doc'] },
      { ...nobody, may: [opens('doc'), opens('notes')], opens: 1, promised: ['doc'] },
    ],
    events: events({ lapse: 1 }),
  },
  {
    ...small,
    name: 'lost-break',
    about: 'a break is lost with its connection',
    people: [
      { ...nobody, may: [saves('doc')], operations: 1, promised: ['doc'] },
      { ...nobody, may: [opens('doc')], opens: 1, promised: ['doc'] },
    ],
    events: events({ cut: 1, connect: 1 }),
  },
  {
    ...small,
    name: 'unshared',
    about: 'ada holds doc alone, bob opens it',
    people: [
      {
        ...nobody,
        may: [saves('doc')],
        operations: 1,
        promised: ['doc'],
        unshared: ['doc'],
        paused: true,
      },
      { ...nobody, may: [opens('doc')], opens: 2 },
    ],
    events: events({ resume: 1, lapse: 1 }),
  },
  {
    ...small,
    name: 'paused-queue',
    about: 'doc is shared, and the queue of ada is paused',
    people: [
      { ...nobody, may: [saves('doc')], operations: 2, promised: ['doc'], paused: true },
      { ...nobody, may: [opens('doc')], opens: 2, promised: ['doc'] },
    ],
    events: events({ resume: 1 }),
  },
  {
    ...small,
    name: 'writer-away',
    about: 'ada goes away with a save that the server was told of, or was not',
    people: [
      { ...nobody, may: [saves('doc')], operations: 1, promised: ['doc'], paused: true },
      { ...nobody, may: [opens('doc')], opens: 2, promised: ['doc'] },
    ],
    events: events({ cut: 1, lapse: 2, connect: 1 }),
  },
  {
    ...small,
    name: 'overtaking',
    about: 'ada holds notes alone and saves it, then doc, which is shared',
    files: ['doc', 'notes'],
    depth: 10,
    people: [
      {
        ...nobody,
        may: [saves('notes'), saves('doc')],
        operations: 2,
        promised: ['doc', 'notes'],
        unshared: ['notes'],
      },
      { ...nobody, may: [opens('doc'), opens('notes')], opens: 2 },
    ],
    events: events({ lapse: 1 }),
  },
  {
    ...small,
    name: 'order',
    about: 'ada saves notes and doc, of which bob holds notes',
    files: ['doc', 'notes'],
    unordered: true,
    people: [
      { ...nobody, may: [saves('notes'), saves('doc')], operations: 2, promised: ['doc', 'notes'] },
      { ...nobody, may: [opens('doc'), opens('notes')], opens: 2, promised: ['notes'] },
    ],
  },
  {
    ...small,
    name: 'names-overtake',
    about: 'ada saves notes, which bob holds, then makes a file in a directory',
    files: ['notes'],
    dirs: { desk: {} },
    people: [
      {
        ...nobody,
        may: [saves('notes'), creates('new')],
        operations: 2,
        promised: ['desk', 'notes'],
      },
      { ...nobody, may: [opens('desk'), opens('notes')], opens: 2, promised: ['notes'] },
    ],
  },
  {
    ...small,
    name: 'safe-save',
    about: 'ada saves as editors do: create tmp, write it, rename it over doc',
    dirs: { desk: { doc: 'doc' } },
    people: [
      {
        ...nobody,
        may: [creates('tmp'), saves('tmp'), renames('tmp', 'doc')],
        operations: 3,
        promised: ['desk', 'doc'],
      },
      { ...nobody, may: [opens('tmp')], opens: 1 },
    ],
  },
  {
    ...small,
    name: 'no-contents',
    about: 'ada makes a file, bob opens it',
    dirs: { desk: {} },
    files: [],
    people: [
      { ...nobody, may: [creates('new'), saves('new')], operations: 2, promised: ['desk'] },
      { ...nobody, may: [opens('desk'), opens('new')], opens: 2, promised: ['desk'] },
    ],
    events: events({ cut: 1 }),
  },
  {
    ...small,
    name: 'retry',
    about: 'an answer to ada is lost, and bob saves what she saved',
    people: [
      { ...nobody, may: [saves('doc')], operations: 1, promised: ['doc'] },
      { ...nobody, may: [opens('doc'), saves('doc')], operations: 1, opens: 1 },
    ],
    events: events({ cut: 1, connect: 1 }),
  },
  {
    ...small,
    name: 'cancel',
    about: 'ada makes a file and removes it again',
    dirs: { desk: {} },
    files: [],
    people: [
      {
        ...nobody,
        may: [creates('new'), saves('new'), removes('new')],
        operations: 3,
        promised: ['desk'],
      },
    ],
    events: events({ cut: 1, connect: 1 }),
  },
  {
    ...small,
    name: 'two-names',
    about: 'ada removes one of two names of a file',
    dirs: { desk: { doc: 'doc' } },
    people: [
      {
        ...nobody,
        may: [saves('doc'), links('doc', 'doc2'), removes('doc')],
        operations: 3,
        promised: ['desk', 'doc'],
      },
    ],
  },
  {
    ...small,
    name: 'own-updates',
    about: 'ada and bob each make a file in the same directory',
    dirs: { desk: {} },
    files: [],
    people: [
      {
        ...nobody,
        may: [creates('a'), opens('desk')],
        operations: 1,
        opens: 1,
        promised: ['desk'],
      },
      { ...nobody, may: [creates('b')], operations: 1, promised: ['desk'] },
    ],
  },
  {
    ...small,
    name: 'conflict',
    about: 'ada saves twice while bob saves the same file',
    people: [
      { ...nobody, may: [saves('doc')], operations: 2, promised: ['doc'] },
      { ...nobody, may: [saves('doc')], operations: 1, promised: ['doc'] },
    ],
    events: events({ crash: 1 }),
  },
  {
    ...small,
    name: 'conflict-twice',
    about: 'ada has two saves queued while bob saves the same file',
    people: [
      { ...nobody, may: [saves('doc')], operations: 2, promised: ['doc'] },
      { ...nobody, may: [saves('doc')], operations: 1, promised: ['doc'] },
    ],
  },
  {
    ...small,
    name: 'conflict-open',
    about: 'bob saves what ada saved before him, opens it, and saves again',
    people: [
      { ...nobody, may: [saves('doc')], operations: 1, promised: ['doc'] },
      { ...nobody, may: [saves('doc'), opens('doc')], operations: 2, opens: 1, promised: ['doc'] },
    ],
  },
  {
    ...small,
    name: 'restored',
    about: 'the server is restored from a backup that is older than what ada has',
    people: [
      { ...nobody, may: [saves('doc'), opens('doc')], operations: 2, opens: 1, promised: ['doc'] },
    ],
    events: events({ restore: 1, connect: 1 }),
  },
  {
    ...small,
    name: 'restored-conflict',
    about: 'a restored server, and bob saves before ada is back with what was lost',
    people: [
      { ...nobody, may: [saves('doc')], operations: 1, promised: ['doc'] },
      { ...nobody, may: [saves('doc')], operations: 1, promised: ['doc'] },
    ],
    events: events({ restore: 1, connect: 2 }),
  },
  {
    ...small,
    name: 'copied-folder',
    about: "ada's data folder is copied to another laptop, and both go on",
    people: [
      { ...nobody, may: [saves('doc')], operations: 1, promised: ['doc'] },
      { ...nobody, may: [saves('doc')], operations: 1, start: 'spare' },
    ],
    events: events({ copy: 1, connect: 3 }),
  },
  {
    ...small,
    name: 'copied-reader',
    about: "ada's data folder is copied while she holds a promise, and cyd saves",
    people: [
      { ...nobody, may: [opens('doc')], opens: 1, promised: ['doc'] },
      { ...nobody, start: 'spare' },
      { ...nobody, may: [saves('doc')], operations: 1, promised: ['doc'] },
    ],
    events: events({ copy: 1, connect: 1, lapse: 1 }),
  },
  {
    ...small,
    name: 'restart',
    about: 'the server restarts while bob holds a promise',
    people: [
      { ...nobody, may: [saves('doc')], operations: 1, promised: ['doc'] },
      { ...nobody, may: [opens('doc')], opens: 1, promised: ['doc'] },
    ],
    events: events({ restart: 1, connect: 2, lapse: 1 }),
  },
  {
    ...small,
    name: 'restart-newcomer',
    about: 'bob connects and opens doc, then the server restarts',
    people: [
      { ...nobody, may: [saves('doc')], operations: 1, promised: ['doc'] },
      { ...nobody, may: [opens('doc')], opens: 1, start: 'disconnected' },
    ],
    events: events({ restart: 1, connect: 2 }),
  },
  {
    ...small,
    name: 'restart-alone',
    about: 'the server restarts, and ada opens doc anew while bob may still use his promise',
    people: [
      { ...nobody, may: [opens('doc'), saves('doc')], operations: 1, opens: 1, paused: true },
      { ...nobody, promised: ['doc'] },
    ],
    events: events({ restart: 1, connect: 2, resume: 1 }),
  },
  {
    ...small,
    name: 'restored-lease',
    about: 'the server is restored from a backup that does not know that bob has a lease',
    people: [
      { ...nobody, may: [saves('doc')], operations: 1, promised: ['doc'] },
      { ...nobody, may: [opens('doc')], opens: 1, start: 'disconnected' },
    ],
    events: events({ restore: 1, connect: 2 }),
  },
  {
    ...small,
    name: 'asleep',
    about: "bob's laptop sleeps longer than his lease",
    people: [
      { ...nobody, may: [saves('doc')], operations: 1, promised: ['doc'] },
      { ...nobody, may: [opens('doc')], opens: 1, promised: ['doc'] },
    ],
    events: events({ sleep: 1, lapse: 1 }),
  },
];

const everything = (own: string, other: string): Operation[] => [
  saves('doc'),
  saves('notes'),
  creates(own),
  saves(own),
  removes(own),
  renames(own, 'doc'),
  links('doc', own),
  { do: 'create', dir: 'attic', file: `${own}-2` },
  opens('doc'),
  opens('notes'),
  opens('desk'),
  opens('attic'),
  opens(other),
];

/** Three clients, two files, two directories, and all that may happen: for walks at random. */
export const WIDE: Scope = {
  name: 'wide',
  about: 'three clients, two files, two directories, and all that may happen',
  files: ['doc', 'notes'],
  dirs: { attic: {}, desk: { doc: 'doc', notes: 'notes' } },
  impatient: true,
  unordered: true,
  depth: null,
  people: [
    {
      ...nobody,
      may: everything('a', 'b'),
      operations: 6,
      opens: 6,
      promised: ['attic', 'desk', 'doc', 'notes'],
    },
    {
      ...nobody,
      may: everything('b', 'a'),
      operations: 6,
      opens: 6,
      promised: ['desk', 'doc'],
      paused: true,
    },
    { ...nobody, may: everything('c', 'a'), operations: 6, opens: 6, start: 'disconnected' },
  ],
  events: events({
    cut: 4,
    connect: 9,
    lapse: 3,
    crash: 2,
    restart: 1,
    restore: 1,
    sleep: 2,
    resume: 1,
  }),
};

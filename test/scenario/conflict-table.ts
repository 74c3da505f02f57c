/**
 * What two laptops may do to the same few names while they can't see each other, and what comes of each pair (docs/guide/conflicts.md).
 *
 * The second column is the change that comes to the server last. A pair that has no row comes out as if one person had done both, one
 * after the other, and nobody is told of anything.
 */
import type { UserFiles } from '../../app/lab/simulator/cluster/user-files.ts';

type Change = (files: UserFiles, by: 'ada' | 'bob') => Promise<unknown>;

export const BEFORE: Readonly<Record<string, string | null>> = {
  '/dir': null,
  '/doc': 'doc',
  '/full': null,
  '/full/in': 'in',
  '/other': 'other',
};

/** Each change writes the name of its author. */
export const CHANGES: Readonly<Record<string, Change>> = {
  'write doc': (files, by) => files.write('/doc', by),
  'save doc': async (files, by) => {
    await files.write('/doc.tmp', by);
    await files.rename('/doc.tmp', '/doc');
  },
  'remove doc': (files) => files.remove('/doc'),
  'chmod doc': (files, by) => files.chmod('/doc', by === 'ada' ? 0o600 : 0o640),
  'rename doc new': (files) => files.rename('/doc', '/new'),
  'rename doc apart': (files, by) => files.rename('/doc', by === 'ada' ? '/paper' : '/leaf'),
  'rename doc dir/doc': (files) => files.rename('/doc', '/dir/doc'),
  'rename doc other': (files) => files.rename('/doc', '/other'),
  'rename other doc': (files) => files.rename('/other', '/doc'),
  'link doc new': (files) => files.link('/doc', '/new'),
  'make new': (files, by) => files.write('/new', by),
  'mkdir new': async (files, by) => {
    if (!(await files.exists('/new'))) await files.mkdir('/new');
    await files.write(`/new/${by}`, by);
  },
  'symlink new': (files, by) => files.symlink('/new', by),
  'make dir/in': (files, by) => files.write('/dir/in', by),
  'rmdir dir': (files) => files.rmdir('/dir'),
  'rename dir new': (files) => files.rename('/dir', '/new'),
  'rename dir full/dir': (files) => files.rename('/dir', '/full/dir'),
  'rename full dir/full': (files) => files.rename('/full', '/dir/full'),
  'write full/in': (files, by) => files.write('/full/in', by),
  'make full/new': (files, by) => files.write('/full/new', by),
  'remove full': async (files) => {
    await files.remove('/full/in');
    await files.rmdir('/full');
  },
  'replace full': async (files, by) => {
    await files.remove('/full/in');
    await files.rmdir('/full');
    await files.write('/full', by);
  },
};

/** The changes in which a laptop writes new contents. */
export const WRITES = new Set([
  'write doc',
  'save doc',
  'make new',
  'mkdir new',
  'make dir/in',
  'write full/in',
  'make full/new',
  'replace full',
]);

/**
 * first (bob's) | second (ada's) | what is not as it was before: `-name` is gone, `*` a conflict copy of ada's | what ada is told: the kind,
 * the path and (behind `>`) the copy of each conflict. Bob is told of each copy with a conflict name, and of nothing else.
 */
const TABLE = `
write doc           | write doc           | doc*=ada doc=bob                  | contents doc > doc*
write doc           | save doc            | doc*=ada doc=bob                  | name doc > doc*
write doc           | remove doc          | doc=bob                           | removal-undone doc > doc
write doc           | rename other doc    | -other doc*=other doc=bob         | name doc > doc*
save doc            | write doc           | doc*=ada doc=bob                  | removed doc > doc*
save doc            | save doc            | doc*=ada doc=bob                  | name doc > doc*
save doc            | remove doc          | doc=bob                           | removal-undone doc > doc
save doc            | rename doc new      | doc=bob                           | renamed-removed new > doc
save doc            | rename doc apart    | doc=bob                           | renamed-removed paper > doc
save doc            | rename doc dir/doc  | doc=bob                           | renamed-removed dir/doc > doc
save doc            | rename doc other    | doc=bob                           | renamed-removed other > doc
save doc            | rename other doc    | -other doc*=other doc=bob         | name doc > doc*
save doc            | link doc new        | doc=bob                           | renamed-removed new > new
remove doc          | write doc           | doc=ada                           | removed doc > doc
remove doc          | rename doc new      | -doc                              | renamed-removed new > doc
remove doc          | rename doc apart    | -doc                              | renamed-removed paper > doc
remove doc          | rename doc dir/doc  | -doc                              | renamed-removed dir/doc > doc
remove doc          | rename doc other    | -doc                              | renamed-removed other > doc
remove doc          | link doc new        | -doc                              | renamed-removed new > new
rename doc new      | write doc           | -doc new=ada                      |
rename doc new      | remove doc          | -doc new=doc                      | removal-undone doc > new
rename doc new      | rename doc apart    | -doc new=doc                      | rename-undone paper > new
rename doc new      | rename doc dir/doc  | -doc new=doc                      | rename-undone dir/doc > new
rename doc new      | rename doc other    | -doc new=doc                      | rename-undone other > new
rename doc new      | make new            | -doc new*=ada new=doc             | name new > new*
rename doc new      | mkdir new           | -doc new* new*/ada=ada new=doc    | name new > new*
rename doc new      | symlink new         | -doc new* new=doc                 | name new > new*
rename doc new      | rename dir new      | -dir -doc new* new=doc            | name new > new*
rename doc apart    | write doc           | -doc leaf=ada                     |
rename doc apart    | remove doc          | -doc leaf=doc                     | removal-undone doc > leaf
rename doc apart    | rename doc new      | -doc leaf=doc                     | rename-undone new > leaf
rename doc apart    | rename doc apart    | -doc leaf=doc                     | rename-undone paper > leaf
rename doc apart    | rename doc dir/doc  | -doc leaf=doc                     | rename-undone dir/doc > leaf
rename doc apart    | rename doc other    | -doc leaf=doc                     | rename-undone other > leaf
rename doc apart    | link doc new        | -doc leaf=doc new=doc             |
rename doc dir/doc  | write doc           | -doc dir/doc=ada                  |
rename doc dir/doc  | remove doc          | -doc dir/doc=doc                  | removal-undone doc > dir/doc
rename doc dir/doc  | rename doc new      | -doc dir/doc=doc                  | rename-undone new > dir/doc
rename doc dir/doc  | rename doc apart    | -doc dir/doc=doc                  | rename-undone paper > dir/doc
rename doc dir/doc  | rename doc other    | -doc dir/doc=doc                  | rename-undone other > dir/doc
rename doc dir/doc  | link doc new        | -doc dir/doc=doc new=doc          |
rename doc dir/doc  | rmdir dir           | -doc dir/doc=doc                  | removal-undone dir > dir
rename doc other    | write doc           | -doc other=ada                    |
rename doc other    | remove doc          | -doc other=doc                    | removal-undone doc > other
rename doc other    | rename doc new      | -doc other=doc                    | rename-undone new > other
rename doc other    | rename doc apart    | -doc other=doc                    | rename-undone paper > other
rename doc other    | rename doc dir/doc  | -doc other=doc                    | rename-undone dir/doc > other
rename doc other    | rename other doc    | -doc other=doc                    | renamed-removed doc > other
rename doc other    | link doc new        | -doc new=doc other=doc            |
rename other doc    | write doc           | -other doc*=ada doc=other         | removed doc > doc*
rename other doc    | save doc            | -other doc*=ada doc=other         | name doc > doc*
rename other doc    | remove doc          | -other doc=other                  | removal-undone doc > doc
rename other doc    | rename doc new      | -other doc=other                  | renamed-removed new > doc
rename other doc    | rename doc apart    | -other doc=other                  | renamed-removed paper > doc
rename other doc    | rename doc dir/doc  | -other doc=other                  | renamed-removed dir/doc > doc
rename other doc    | rename doc other    | -other doc=other                  | renamed-removed other > doc
rename other doc    | link doc new        | -other doc=other                  | renamed-removed new > new
link doc new        | make new            | new*=ada new=doc                  | name new > new*
link doc new        | mkdir new           | new* new*/ada=ada new=doc         | name new > new*
link doc new        | symlink new         | new* new=doc                      | name new > new*
link doc new        | rename dir new      | -dir new* new=doc                 | name new > new*
make new            | rename doc new      | -doc new*=doc new=bob             | name new > new*
make new            | link doc new        | new*=doc new=bob                  | name new > new*
make new            | make new            | new*=ada new=bob                  | name new > new*
make new            | mkdir new           | new* new*/ada=ada new=bob         | name new > new*
make new            | symlink new         | new* new=bob                      | name new > new*
make new            | rename dir new      | -dir new* new=bob                 | name new > new*
mkdir new           | rename doc new      | -doc new new*=doc new/bob=bob     | name new > new*
mkdir new           | link doc new        | new new*=doc new/bob=bob          | name new > new*
mkdir new           | make new            | new new*=ada new/bob=bob          | name new > new*
mkdir new           | symlink new         | new new* new/bob=bob              | name new > new*
mkdir new           | rename dir new      | -dir new new* new/bob=bob         | name new > new*
symlink new         | rename doc new      | -doc new new*=doc                 | name new > new*
symlink new         | link doc new        | new new*=doc                      | name new > new*
symlink new         | make new            | new new*=ada                      | name new > new*
symlink new         | mkdir new           | new new* new*/ada=ada             | name new > new*
symlink new         | symlink new         | new new*                          | name new > new*
symlink new         | rename dir new      | -dir new new*                     | name new > new*
make dir/in         | make dir/in         | dir/in*=ada dir/in=bob            | name dir/in > dir/in*
make dir/in         | rmdir dir           | dir/in=bob                        | removal-undone dir > dir
rmdir dir           | rename doc dir/doc  | -dir                              | rename-undone dir/doc > doc
rmdir dir           | make dir/in         | -dir in=ada                       | directory-gone in > in
rmdir dir           | rename dir new      | -dir                              | renamed-removed new > dir
rmdir dir           | rename dir full/dir | -dir                              | renamed-removed full/dir > dir
rmdir dir           | rename full dir/full| -dir                              | rename-undone dir/full > full
rename dir new      | rename doc new      | -dir -doc new new*=doc            | name new > new*
rename dir new      | rename doc dir/doc  | -dir -doc new new/doc=doc         |
rename dir new      | link doc new        | -dir new new*=doc                 | name new > new*
rename dir new      | make new            | -dir new new*=ada                 | name new > new*
rename dir new      | symlink new         | -dir new new*                     | name new > new*
rename dir new      | make dir/in         | -dir new new/in=ada               |
rename dir new      | rmdir dir           | -dir new                          | removal-undone dir > new
rename dir new      | rename dir full/dir | -dir new                          | rename-undone full/dir > new
rename dir new      | rename full dir/full| -dir -full -full/in new new/full new/full/in=in|
rename dir full/dir | rename doc dir/doc  | -dir -doc full/dir full/dir/doc=doc|
rename dir full/dir | make dir/in         | -dir full/dir full/dir/in=ada     |
rename dir full/dir | rmdir dir           | -dir full/dir                     | removal-undone dir > full/dir
rename dir full/dir | rename dir new      | -dir full/dir                     | rename-undone new > full/dir
rename dir full/dir | rename full dir/full| -dir full/dir                     | rename-undone full/dir/full > full
rename dir full/dir | remove full         | -dir -full/in full/dir            | removal-undone full > full
rename dir full/dir | replace full        | -dir -full/in full*=ada full/dir  | name full > full*
rename full dir/full| rmdir dir           | -full -full/in dir/full dir/full/in=in| removal-undone dir > dir
rename full dir/full| rename dir full/dir | -full -full/in dir/full dir/full/in=in| rename-undone dir/full/dir > dir
rename full dir/full| write full/in       | -full -full/in dir/full dir/full/in=ada|
rename full dir/full| remove full         | -full -full/in dir/full           | removal-undone full > dir/full
rename full dir/full | make full/new       | -full -full/in dir/full dir/full/in=in dir/full/new=ada |
rename full dir/full | replace full        | -full/in dir/full full=ada        | removal-undone full > dir/full
write full/in       | write full/in       | full/in*=ada full/in=bob          | contents full/in > full/in*
write full/in       | remove full         | full/in=bob                       | removal-undone full > full
write full/in       | replace full        | full*=ada full/in=bob             | name full > full*
make full/new       | make full/new       | full/new*=ada full/new=bob        | name full/new > full/new*
make full/new       | remove full         | -full/in full/new=bob             | removal-undone full > full
make full/new       | replace full        | -full/in full*=ada full/new=bob   | name full > full*
remove full         | rename dir full/dir | -full -full/in                    | rename-undone full/dir > dir
remove full         | rename full dir/full| -full -full/in                    | renamed-removed dir/full > full
remove full         | write full/in       | -full -full/in in=ada             | removed in > in
remove full         | make full/new       | -full -full/in new=ada            | directory-gone new > new
remove full         | replace full        | -full/in full=ada                 |
replace full        | rename dir full/dir | -full/in full=bob                 | rename-undone full/dir > dir
replace full        | rename full dir/full | -full/in full=bob                 | renamed-removed dir/full > full
replace full        | write full/in       | -full/in full* full*/in=ada full=bob | name full > full*; removed full*/in > full*/in
replace full        | make full/new       | -full/in full* full*/new=ada full=bob | name full > full*
replace full        | remove full         | -full/in full=bob                 | removal-undone full > full
replace full        | replace full        | -full/in full*=ada full=bob       | name full > full*
`;

export interface Outcome {
  readonly shown: string;
  readonly told: string;
}

/** The outcomes by `first | second`. */
export const OUTCOMES: ReadonlyMap<string, Outcome> = new Map(
  TABLE.trim()
    .split('\n')
    .map((line) => {
      const [first = '', second = '', shown = '', told = ''] = line.split('|').map((c) => c.trim());
      return [`${first} | ${second}`, { shown, told }];
    }),
);

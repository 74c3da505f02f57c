/**
 * What must be so when a round has settled. Each checker says what it allows.
 *
 * - *As it was left*: where one laptop alone worked, both have what it had when its last program ended, to the time of each file.
 *   Where nobody worked, both have what they had before. The time of a directory may be that of another of its changes: changes of
 *   entries reach the server in any order, and each brings the time of its own.
 * - *Nothing is lost*: where both worked, each file that was there when the last program of a laptop ended is there under some name, kept
 *   aside, or a version on the server.
 * - *Nothing is removed by itself*: what both had there then is there still.
 * - *Both are the same*: what differs is told, with its reason, by the laptop whose disk can not have it.
 * - *Nothing strange*: no file has a name that only Godwit gives.
 */
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import Database from 'better-sqlite3';
import { compareTrees, type Difference } from '../../../app/lab/demo/compare-trees.ts';
import type { Tree } from '../../../app/lab/demo/read-tree.ts';
import { programEnv } from './programs/prepare.ts';
import type { Scope } from './programs/program.ts';
import type { Left, RoundDone } from './round.ts';
import { isBelow, isOurs, keptAside, partOf, wholeTree } from './scans.ts';
import { INNER, type Stage, type StormLaptop } from './stage.ts';

const MOST_TOLD = 8;
/** What a disk that lacks something shows as others do. */
const EVERYWHERE = new Set(['missing', 'extra', 'kind', 'contents']);

export interface RestedParts {
  readonly stage: Stage;
  readonly scopes: readonly Scope[];
  /** What each had before the round. */
  readonly before: Trees;
  readonly done: RoundDone;
  readonly prepared: string;
}

/** The findings, and what each has now. */
export interface Rested {
  readonly findings: readonly string[];
  readonly trees: Trees;
}

/** By laptop. */
export type Trees = ReadonlyMap<StormLaptop, Tree>;

/** Looks at everything. */
export async function checkAtRest(parts: RestedParts): Promise<Rested> {
  const { stage } = parts;
  const trees = stage.laptops.map((laptop) => ({ laptop, tree: wholeTree(laptop.folder) }));
  const [first, second] = trees as [Shown, Shown];
  const findings = [
    ...(await differences(stage, first, second)),
    ...asLeft(parts, trees),
    ...lost(parts, trees),
    ...removed(parts, trees),
    ...trees.flatMap(strange),
    ...broken(parts, trees),
  ];
  return { findings, trees: new Map(trees.map(({ laptop, tree }) => [laptop, tree])) };
}

interface Shown {
  readonly laptop: StormLaptop;
  readonly tree: Tree;
}

async function differences(stage: Stage, first: Shown, second: Shown): Promise<string[]> {
  const found: string[] = [];
  for (const each of compareTrees(first.tree, second.tree)) {
    const lacking = [first, second].filter(({ laptop }) => lacks(laptop, each.path));
    if (lacking.length > 0 && !EVERYWHERE.has(each.aspect)) continue;
    const isTold = await Promise.all(lacking.map(({ laptop }) => tells(stage, laptop, each.path)));
    if (isTold.includes(true)) continue;
    found.push(`${first.laptop.name} and ${second.laptop.name} differ: ${textOf(each)}`);
    if (found.length >= MOST_TOLD) break;
  }
  return found;
}

function lacks({ outer, inner }: StormLaptop, path: string): boolean {
  // The top of the disk in the folder is made by who mounts it.
  if (path === INNER) return true;
  return (inner.isReal && isBelow(path, INNER) ? inner : outer).kind.lacks;
}

/** Whether its daemon gives a reason for a path, or for a folder that it is in. */
async function tells(stage: Stage, laptop: StormLaptop, path: string): Promise<boolean> {
  const { waiting = [], errors } = await stage.status(laptop);
  const paths = [...waiting, ...errors].map((each) => each.path);
  if (paths.some((each) => each === path || (each !== null && isBelow(path, each)))) return true;
  return (await stage.reason(laptop, path)) !== null;
}

function asLeft({ scopes, before, done }: RestedParts, trees: readonly Shown[]): string[] {
  return scopes.flatMap((scope) => {
    const left = done.left.filter((each) => each.scope === scope);
    const [one] = left;
    if (left.length > 1) return [];
    const whose = one === undefined ? 'nobody worked' : `${one.laptop.name} alone worked`;
    return trees.flatMap(({ laptop, tree }) => {
      // Others are compared with this one.
      if (one !== undefined && one.laptop !== laptop) return [];
      const wanted = one?.tree ?? partOf(before.get(laptop) ?? new Map(), scope.folders);
      return compareTrees(wanted, partOf(tree, scope.folders))
        .filter(({ aspect, path }) => !lacks(laptop, path) || EVERYWHERE.has(aspect))
        .filter(({ aspect, path }) => {
          if (tree.get(path)?.kind !== 'directory') return true;
          // What a disk can not have nobody has seen there, so its folder was not removed with it.
          return aspect !== 'mtime' && !(aspect === 'extra' && lacks(laptop, path));
        })
        .slice(0, MOST_TOLD)
        .map((each) => `${laptop.name}, where ${whose}: ${textOf(each)}`);
    });
  });
}

function textOf({ path, aspect, wanted, found }: Difference): string {
  return `${path}: ${aspect}: ${wanted}, now ${found}`;
}

const shared = ({ left }: RoundDone): Left[] =>
  left.filter(({ scope }) => left.filter((each) => each.scope === scope).length > 1);

function lost({ stage, done }: RestedParts, trees: readonly Shown[]): string[] {
  const both = shared(done);
  if (both.length === 0) return [];
  const here = new Set(
    trees.flatMap(({ tree }) => [...tree.values()].map(({ contents }) => contents)),
  );
  for (const { folder } of stage.laptops) {
    for (const { contents } of keptAside(folder, INNER).values()) here.add(contents);
  }
  const versions = versionsOf(stage);
  return both.flatMap(({ laptop, tree, serverNames }) =>
    [...tree]
      .filter(([, { kind, size, contents }]) => {
        if (kind !== 'file' || size === 0 || here.has(contents)) return false;
        return !versions.has(serverNames.get(contents) ?? '');
      })
      .slice(0, MOST_TOLD)
      .map(([path]) => `lost: what ${laptop.name} had in ${path} when its last program ended`),
  );
}

/** All contents that the server has, or had, as a version of something. */
function versionsOf({ server }: Stage): Set<string> {
  const database = new Database(join(server.data, 'server.db'), { readonly: true });
  try {
    const rows = database.prepare('SELECT DISTINCT digest FROM vnode WHERE digest IS NOT NULL');
    return new Set(rows.pluck().all() as string[]);
  } finally {
    database.close();
  }
}

function removed({ done }: RestedParts, trees: readonly Shown[]): string[] {
  const both = shared(done);
  return both.flatMap(({ scope, tree, laptop }) => {
    const other = both.find((each) => each.scope === scope && each.laptop !== laptop);
    if (other === undefined || laptop.name > other.laptop.name) return [];
    return [...tree]
      .filter(([path, { contents, kind }]) => {
        const there = other.tree.get(path);
        return kind === 'file' && there?.contents === contents && there.kind === kind;
      })
      .flatMap(([path, { contents }]) =>
        trees
          .filter((shown) => shown.tree.get(path)?.contents !== contents)
          .map((shown) => `${shown.laptop.name} has ${path} no more as both left it`),
      )
      .slice(0, MOST_TOLD);
  });
}

function strange({ laptop, tree }: Shown): string[] {
  return [...tree.keys()]
    .filter((path) => /(^|\/)unnamed/.test(path) || isOurs(path))
    .map((path) => `${laptop.name} has ${path}`);
}

/** What git and SQLite say of their own. A program that failed may have left it so: then both copies are alike. */
function broken({ stage, prepared, done }: RestedParts, trees: readonly Shown[]): string[] {
  if (done.failed > 0) return [];
  return trees.flatMap(({ laptop, tree }) => {
    const env = {
      ...programEnv(prepared, stage.bench.path('looked-into')),
      GIT_OPTIONAL_LOCKS: '0',
    };
    const say = (path: string, line: string): string[] => {
      if (lacks(laptop, path)) return [];
      const cwd = join(laptop.folder, path);
      const { status, stdout, stderr } = spawnSync('sh', ['-c', line], {
        cwd,
        env,
        encoding: 'utf8',
      });
      const isFine = status === 0 && ['', 'ok'].includes(stdout.trim());
      return isFine ? [] : [`${laptop.name}: of ${path} is said: ${stdout}${stderr}`];
    };
    const repositories = [...tree.keys()].filter((path) => path.endsWith('/clone/.git/HEAD'));
    const databases = [...tree.keys()].filter((path) => /^databases\/\w+\.db$/.test(path));
    return [
      ...repositories.flatMap((path) => say(path.replace(/\/.git\/HEAD$/, ''), FSCK)),
      ...databases.flatMap((path) =>
        say('databases', integrityOf(path.replace(/^databases\//, ''))),
      ),
    ];
  });
}

const FSCK = 'git fsck --no-progress --no-dangling';
/** Looked at in a copy: SQLite may write to what it reads. */
const integrityOf = (file: string): string =>
  `rm -rf "$OUTSIDE" && mkdir -p "$OUTSIDE" && cp ${file}* "$OUTSIDE" && ` +
  `sqlite3 "$OUTSIDE/${file}" "pragma integrity_check"`;

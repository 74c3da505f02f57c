/** Databases, package installers and builds. */
import { inFolder, type StormProgram } from './program.ts';

const insert = (token: string): string =>
  `create table if not exists t (k text, v blob); insert into t select '${token}', randomblob(300) from generate_series(1, 200);`;

function sqlite(name: string, sql: (token: string) => string): StormProgram {
  return {
    name: `sqlite ${name}`,
    tools: ['sqlite3'],
    script: (random, token) => {
      const file = random.pick(['one.db', 'two.db']);
      return `${inFolder('databases')}sqlite3 ${file} ".timeout 5000" "${sql(token)}" > /dev/null`;
    },
  };
}

export const DATABASES: readonly StormProgram[] = [
  sqlite('with a journal', (token) => `pragma journal_mode=delete; ${insert(token)}`),
  sqlite(
    'with a log',
    (token) => `pragma journal_mode=wal; ${insert(token)} pragma wal_checkpoint;`,
  ),
  sqlite('in many steps', (token) =>
    Array.from({ length: 12 }, (_, step) => insert(`${token}-${step}`)).join(' '),
  ),
  sqlite(
    'delete and vacuum',
    (token) => `${insert(token)} delete from t where random() % 2; vacuum;`,
  ),
  {
    name: 'rm of a database',
    tools: [],
    script: () => `${inFolder('databases')}rm -f two.db two.db-wal two.db-shm two.db-journal`,
  },
];

const npm = (name: string, line: string): StormProgram => ({
  name,
  tools: ['npm'],
  script: () =>
    `${inFolder('packages')}cp "$PREPARED"/package/package*.json . && ${line} > /dev/null`,
});
const CI = 'npm ci --offline --no-audit --no-fund --ignore-scripts';

export const INSTALLERS: readonly StormProgram[] = [
  npm('npm ci', CI),
  npm('npm ci, again', `${CI} && ${CI}`),
  npm('npm ci after rm -rf', `rm -rf node_modules && ${CI}`),
  npm('rm -rf node_modules', 'rm -rf node_modules'),
  npm('npm prune', 'npm prune --offline --no-audit --no-fund --omit=dev'),
];

const make = (name: string, line: string): StormProgram => ({
  name,
  tools: ['make'],
  script: () => `${inFolder('build')}cp -n "$PREPARED"/build/* . && ${line}`,
});

export const BUILDS: readonly StormProgram[] = [
  make('make', 'make -s -j 3'),
  make('make clean', 'make -s clean'),
  make('make clean and make', 'make -s clean && make -s -j 2'),
  make('make after a change', 'touch s1.in s7.in && make -s -j 3'),
];

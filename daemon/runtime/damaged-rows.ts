/**
 * What becomes of a daemon whose rows are not as they were committed (client-store port, contract 7). What the server has is fetched anew. Where
 * it is what this device alone knows, nothing that was queued is sent, for its meaning is lost: what was saved and not sent goes to
 * `lost+found`, and the folder is looked at as if it were new, so that what is equal on both sides is taken as it is, and all else is kept.
 *
 * Values by themselves (the table `meta`) are asked for again or made anew (damaged-meta.ts).
 */
import type { ErrorStatus } from '../../shared/control/snapshot.ts';
import {
  CLIENT_TABLES,
  type ClientRows,
  type ClientStore,
  type ClientTable,
  type RowChange,
  type RowDamage,
  type UpdateRow,
} from '../../shared/ports/client-store.ts';
import type { FileStore } from '../../shared/ports/file-store.ts';
import type { Log } from '../../shared/ports/log.ts';
import { ERROR_CODES } from '../../shared/wire/error-codes.ts';
import { beginsAnew, numbersAgain, toPairAgain, wantedAgain } from './damaged-meta.ts';

/** What a damaged row of a table takes with it. */
type Consequence =
  /** What was queued, and where this device was: all begins anew. */
  | 'all'
  /** What the folder has logged: its records are removed, and it is scanned as if it were new. */
  | 'folder'
  /** What is cached: it is fetched anew. */
  | 'cache'
  /** Nothing but itself. */
  | 'row'
  /** As its key says (damaged-meta.ts). */
  | 'value';

export const CONSEQUENCES: Readonly<Record<RowDamage['table'], Consequence>> = {
  meta: 'value',
  volume: 'all',
  update: 'all',
  adjustment: 'all',
  alias: 'all',
  recorded: 'all',
  note: 'folder',
  status: 'cache',
  directory: 'cache',
  entry: 'cache',
  content: 'row',
  conflict: 'row',
  pin: 'row',
  excluded: 'row',
};

const CACHE: readonly ClientTable[] = ['status', 'directory', 'entry'];
/** What is kept when all begins anew: settings of people, what they are to be shown, and contents, which their digests identify. */
const KEPT: readonly ClientTable[] = ['meta', 'conflict', 'pin', 'excluded', 'content'];

const WORDS: Readonly<Record<Consequence, string>> = {
  all: 'what was not sent is in lost+found, and the folder is compared with the server as if it were new',
  folder: 'the folder is compared with the server as if it were new',
  cache: 'what was known of the server is fetched anew',
  row: 'those rows are gone',
  value: 'it is asked for again, or made anew, or as it is where nobody has set it',
};

export interface DamagePorts {
  readonly clientStore: Pick<ClientStore, 'load' | 'damage' | 'commit'>;
  readonly fileStore: Pick<FileStore, 'list' | 'lose'>;
  readonly log: Log;
}

export interface SetAside {
  /** Before rows go for good, and the records of the folder with them. Rejects as disks do; then nothing goes. */
  setAside?(what: 'all' | 'folder'): Promise<void> | void;
}

/** The rows to go on with, and what to say of them. Rejects as the stores do. */
export async function loadRows(
  ports: DamagePorts,
  events: SetAside,
): Promise<{ rows: ClientRows; notices: ErrorStatus[] }> {
  const { clientStore, fileStore, log } = ports;
  const rows = await clientStore.load();
  const damage = clientStore.damage();
  if (damage.length === 0) return { rows, notices: [] };
  const what = damage.map(nameOf).join(', ');
  const consequence = worstOf(damage, rows);
  log.error('rows are not as they were written', { what, consequence });
  if (consequence === 'all') await loseContents(rows, fileStore);
  if (consequence === 'all' || consequence === 'folder') await events.setAside?.(consequence);
  const changes = [
    ...dropped(rows, consequence),
    ...numbersAgain(damage, rows),
    ...wantedAgain(damage),
  ];
  await clientStore.commit(changes);
  const { remedy } = ERROR_CODES['damaged-rows'];
  const pairs = toPairAgain(damage, rows);
  const then = [WORDS[consequence], ...(pairs === null ? [] : [pairs])].join('; ');
  const message = `daemon.db was damaged (${what}): ${then}`;
  return {
    rows: without(rows, changes),
    notices: [{ code: 'damaged-rows', message, remedy, path: null }],
  };
}

const ORDER: readonly Consequence[] = ['all', 'folder', 'cache', 'row', 'value'];

function worstOf(damage: readonly RowDamage[], rows: ClientRows): Consequence {
  const { update, content } = rows;
  const found = new Set(damage.map(({ table }) => CONSEQUENCES[table]));
  // What a save is sent from is not what it was.
  const isOfContents = damage.some(({ table }) => table === 'content');
  const isSource = ({ content: name }: UpdateRow): boolean => name !== null && !content.has(name);
  if (isOfContents && [...update.values()].some(isSource)) found.add('all');
  if (beginsAnew(damage, rows)) found.add('all');
  return ORDER.find((each) => found.has(each)) ?? 'row';
}

function nameOf({ table, altered: [first, ...others], incomplete }: RowDamage): string {
  if (incomplete) return `${table}: rows are missing`;
  return `${table} ${first}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}

/** Contents that the server is not known to have, to where people find them. What is there from a start that was cut off stays there. */
async function loseContents(rows: ClientRows, fileStore: DamagePorts['fileStore']): Promise<void> {
  const names = new Map<string, string>();
  for (const [place, fid] of rows.entry) names.set(fid, place.slice(place.indexOf('/') + 1));
  for (const { place, update } of rows.update.values()) {
    if (place !== null) names.set(update.fid, place.name);
  }
  for (const { name } of await fileStore.list()) {
    const fid = rows.content.get(name)?.fid;
    if (fid !== undefined && isOfServer(rows, name)) continue;
    await fileStore.lose(name, (fid === undefined ? undefined : names.get(fid)) ?? name);
  }
}

function isOfServer({ content, status }: ClientRows, name: string): boolean {
  const row = content.get(name);
  return row !== undefined && status.get(row.fid)?.digest === row.digest;
}

function dropped(rows: ClientRows, consequence: Consequence): RowChange[] {
  const all = (tables: readonly ClientTable[]): RowChange[] =>
    tables.flatMap((table) => [...rows[table].keys()].map((key) => goes(table, key)));
  switch (consequence) {
    case 'all': {
      const lost = [...rows.content.keys()].filter((name) => !isOfServer(rows, name));
      const tables = CLIENT_TABLES.filter((table) => !KEPT.includes(table));
      return [...all(tables), ...lost.map((name) => goes('content', name))];
    }
    case 'folder':
      // Some of what it had logged may have no note any more. The cache is not affected.
      return all(['note']);
    case 'cache':
      return all(CACHE);
    case 'row':
    case 'value':
      return [];
  }
}

const goes = (table: ClientTable, key: string): RowChange => ({ table, key, value: undefined });

function without(rows: ClientRows, changes: readonly RowChange[]): ClientRows {
  const left = Object.fromEntries(
    CLIENT_TABLES.map((table) => [table, new Map<string, unknown>(rows[table])] as const),
  );
  for (const { table, key, value } of changes) {
    if (value === undefined) left[table]?.delete(key);
    else left[table]?.set(key, value);
  }
  return left as unknown as ClientRows;
}

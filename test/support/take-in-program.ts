/** `node take-in-program.ts DATA`: opens a daemon's database as a daemon does at its start, and tells what is in it of conflicts and pauses. */
import { join } from 'node:path';
import { SqliteClientStore } from '../../daemon/adapters/store/client-store-sqlite.ts';
import { NativeHost } from '../../shared/transport/native-host.ts';
import { SILENT } from './silent-log.ts';

const dataDir = process.argv[2] ?? '';
const host = new NativeHost();
const about = { dataDir, host, log: SILENT };
const store = SqliteClientStore.open(join(dataDir, 'daemon.db'), host, null, about);
const { conflict } = await store.load();
const ends = store.pauseEnds(SILENT);
const sides = [...conflict.values()].map((row) => row.sides);
console.log(JSON.stringify({ sides, time: ends.byTime.load(), network: ends.byNetwork.load() }));
await store.close();

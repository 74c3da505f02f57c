/** A server's database gets a file, as the server itself would write it. The server is not running. */
import { join } from 'node:path';
import { SqliteMetaStore } from '../../server/adapters/meta-sqlite/sqlite-meta-store.ts';
import type { Digest } from '../../shared/model/vnode.ts';
import { fidOf, FIRST, MetaScript, ROOT } from '../conformance/meta-script.ts';

/** The file `a` (fid 1.2.2, made and stored by the commits 2 and 3) in a volume without others. Its contents are not put anywhere. */
export async function nameContent(dataDir: string, digest: Digest): Promise<void> {
  const store = new SqliteMetaStore(join(dataDir, 'server.db'));
  await store.open(FIRST);
  const script = (await MetaScript.on(store)).create(fidOf(2), ROOT, 'a').store(fidOf(2), 5);
  const writes = script.pending.map((write) => {
    if (write.kind !== 'vnode' || write.row.status.digest === null) return write;
    const { status, entries } = write.row;
    return { ...write, row: { status: { ...status, digest }, entries } };
  });
  await store.commit(writes);
  await store.close();
}

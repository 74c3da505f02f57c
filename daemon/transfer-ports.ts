/** What contents move in part with, on this machine. */
import { MIN_DELTA, MIN_RESUME } from './limits.ts';
import { SqliteChunkLists } from './adapters/store/chunk-lists-sqlite.ts';
import { DiskTransferFiles } from './adapters/store/transfer-files-disk.ts';
import type { DataFolder } from './data-folder.ts';
import type { PartialPorts } from './runtime/transfers/transfers.ts';
import type { Host } from '../shared/ports/host.ts';
import type { Log } from '../shared/ports/log.ts';
import { NativeDelta } from '../shared/transport/native-delta.ts';
import { GodwitError } from '../shared/wire/error-codes.ts';

/** null: the file of chunk lists is of a newer program, and stays; contents move whole then. */
export function openTransferPorts(folder: DataFolder, host: Host, log: Log): PartialPorts | null {
  const files = new DiskTransferFiles({ folder: folder.transfers, host });
  try {
    const chunkLists = new SqliteChunkLists({ file: folder.chunkLists });
    const limits = { minDelta: MIN_DELTA, minResume: MIN_RESUME };
    return { delta: new NativeDelta(), chunkLists, files, limits };
  } catch (error) {
    if (!(error instanceof GodwitError) || error.code !== 'newer-database') throw error;
    log.warn('contents move whole', { why: error.message });
    return null;
  }
}

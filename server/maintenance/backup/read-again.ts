/** What was copied is read again, where it is now: each content is held against its digest, and its record must be one that is found. */
import type { Digest } from '../../../shared/model/vnode.ts';
import type { Host } from '../../../shared/ports/host.ts';
import { nodePackFiles, type PackFile } from '../../adapters/content-packs/pack-files.ts';
import type { Place } from '../../adapters/content-packs/pack-index.ts';
import { markBytes, packPath } from '../../adapters/content-packs/pack-name.ts';
import { decodeHeader, HEADER_BYTES } from '../../adapters/content-packs/record.ts';

export interface PlacedContent {
  readonly digest: Digest;
  readonly place: Place;
}

/** Gives those that are not what their name says. */
export async function readAgain(
  folder: string,
  host: Host,
  contents: readonly PlacedContent[],
): Promise<Digest[]> {
  const byPack = Map.groupBy(contents, ({ place }) => place.pack);
  const damaged: Digest[] = [];
  for (const inPack of byPack.values()) {
    const [first] = inPack;
    if (first === undefined) continue;
    const path = packPath(folder, { number: first.place.pack, mark: first.place.mark });
    const file = await nodePackFiles.open(path);
    try {
      inPack.sort((a, b) => a.place.offset - b.place.offset);
      for (const content of inPack) {
        if (!(await isWhole(host, path, file, content))) damaged.push(content.digest);
      }
    } finally {
      await file.close();
    }
  }
  return damaged;
}

async function isWhole(
  host: Host,
  path: string,
  file: PackFile,
  { digest, place }: PlacedContent,
): Promise<boolean> {
  const { pack, mark, offset, length } = place;
  const bytes = await file.read(offset - HEADER_BYTES, HEADER_BYTES);
  const header = decodeHeader(bytes, markBytes({ number: pack, mark }));
  const isRecord = header?.kind === 'content' && header.digest === digest;
  if (!isRecord || header.length !== length) return false;
  return (await host.digestPart(path, offset, length)).digest === digest;
}

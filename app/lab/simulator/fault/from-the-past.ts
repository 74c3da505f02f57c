/** Restores as those who watch a run hear of them. */
import type { Digest } from '../../../../shared/model/vnode.ts';
import type { FileSystem, Handle } from '../../../../shared/ports/file-system.ts';
import type { Observe } from '../check/observation.ts';
import type { ClientNode } from '../cluster/client-node.ts';

/** The file system of a laptop. Who watches hears what contents of the past take the place of, and when they are in a file again; so does `brought`. */
export function telling(
  client: ClientNode,
  hear: Observe,
  brought: (digest: Digest | null) => void = () => undefined,
): FileSystem {
  const { fileSystem } = client.daemon;
  const fromThePast = new Set<Handle>();
  const open: FileSystem['open'] = async (fid, how) => {
    const opened = await fileSystem.open(fid, how);
    if (how.mode === 'write' && how.from !== undefined) {
      fromThePast.add(opened.handle);
      hear({ kind: 'overwrote', client, digest: opened.attributes.digest });
    }
    return opened;
  };
  const close: FileSystem['close'] = async (handle, changed) => {
    const attributes = await fileSystem.close(handle, changed);
    if (fromThePast.delete(handle)) {
      hear({ kind: 'brought-back', client, digest: attributes.digest });
      brought(attributes.digest);
    }
    return attributes;
  };
  return new Proxy(fileSystem, {
    get(target, key) {
      if (key === 'open') return open;
      if (key === 'close') return close;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** A folder and a program on one laptop change one file: neither replaces a version that it has not seen. */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { present } from '../../shared/util/assert.ts';
import { agreed } from './agreed.ts';

it("the removal of a file in the folder keeps a program's save that the folder does not show yet", async () => {
  const cluster = await Cluster.start({ clients: 2 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  cluster.cut(ada);
  await cluster.at(bob, (files) => files.write('/doc', "bob's"));
  const { fid, version: base } = await cluster.at(ada, (files) => files.look('/doc'));
  await cluster.at(ada, (files) => files.write('/doc', "the program's"));
  const place = await cluster.at(ada, (files) => files.place('/doc'));
  await cluster.run(ada.daemon.fileSystem.remove(place, { observed: { fid, base } }));
  cluster.heal(ada);
  const shown = await agreed(cluster);
  expect(new Set(Object.values(shown))).toEqual(new Set(["bob's", "the program's"]));
  expect(shown['/doc']).toBe("bob's");
});

it("a write to a file in the folder keeps a program's concurrent save", async () => {
  const cluster = await Cluster.start({ clients: 2 });
  const [ada] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  const { fid, version: base } = await cluster.at(ada, (files) => files.look('/doc'));
  const how = { mode: 'write', truncate: true, base } as const;
  const opened = await cluster.run(ada.daemon.fileSystem.open(fid, how));
  await cluster.at(ada, (files) => files.write('/doc', "the program's"));
  ada.disk.write(opened.path, Buffer.from("the folder's"));
  await cluster.run(ada.daemon.fileSystem.close(opened.handle, {}));
  const shown = await agreed(cluster);
  expect(new Set(Object.values(shown))).toEqual(new Set(["the program's", "the folder's"]));
  expect(shown['/doc']).toBe("the program's");
});

/**
 * A program's save of /doc and bob's have one number; bob's is the server's, and the folder shows it. `answered`: ada has heard that hers was
 * refused, and her copy is not there yet.
 */
async function oneNumber({ answered }: { readonly answered: boolean }) {
  const cluster = await Cluster.start({ clients: 2 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  cluster.cut(ada);
  await cluster.run(ada.daemon.writeback({ delayMs: 600_000 }));
  await cluster.at(ada, (files) => files.write('/doc', "the program's"));
  await cluster.at(bob, (files) => files.write('/doc', "bob's"));
  cluster.heal(ada);
  await cluster.until(() => cluster.shown(ada)['/doc'] === "bob's", 'the folder to show it');
  const place = await cluster.at(ada, (files) => files.place('/doc'));
  const {
    fid,
    version: base,
    digest,
  } = present(ada.replica.tree().get('/doc'), 'it is shown').status;
  if (answered) await cluster.run(ada.daemon.writeback({ delayMs: 0 }));
  const isCopied = (): boolean => ada.daemon.inside.names.aliases.has(fid);
  if (answered) await cluster.until(isCopied, 'her save to be refused');
  return { cluster, ada, place, seen: { fid, base, digest } };
}

describe.each([{ answered: false }, { answered: true }])(
  "bob's save in the folder under the same version number as a program's (%o)",
  ({ answered }) => {
    it('is kept with the other two when the file is overwritten', async () => {
      const { cluster, ada, seen } = await oneNumber({ answered });
      const { fid, ...over } = seen;
      const how = { mode: 'write', truncate: true, ...over } as const;
      const opened = await cluster.run(ada.daemon.fileSystem.open(fid, how));
      ada.disk.write(opened.path, Buffer.from("the folder's"));
      await cluster.run(ada.daemon.fileSystem.close(opened.handle, {}));
      await cluster.run(ada.daemon.writeback({ delayMs: 0 }));
      const shown = Object.values(await agreed(cluster));
      expect(shown).toEqual(expect.arrayContaining(["the folder's", "the program's"]));
    });

    it("gives way to the program's save when the file is removed", async () => {
      const { cluster, ada, seen, place } = await oneNumber({ answered });
      await cluster.run(ada.daemon.fileSystem.remove(place, { observed: seen }));
      await cluster.run(ada.daemon.writeback({ delayMs: 0 }));
      expect(Object.values(await agreed(cluster))).toContain("the program's");
    });

    it("gives way to the program's save when another file replaces it", async () => {
      const { cluster, ada, seen, place } = await oneNumber({ answered });
      const { fid: moved } = await cluster.at(ada, (files) => files.write('/new', 'new'));
      const from = await cluster.at(ada, (files) => files.place('/new'));
      await cluster.run(ada.daemon.fileSystem.rename(from, place, { moved, observed: seen }));
      await cluster.run(ada.daemon.writeback({ delayMs: 0 }));
      expect(Object.values(await agreed(cluster))).toEqual(
        expect.arrayContaining(["the program's", 'new']),
      );
    });
  },
);

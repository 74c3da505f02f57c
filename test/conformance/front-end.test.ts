import { FolderBench } from '../support/folder-bench.ts';
import { frontEndSuite, type FrontEndHarness } from './front-end.suite.ts';

async function folder(): Promise<FrontEndHarness> {
  const bench = await new FolderBench().start();
  return {
    root: bench.root,
    other: bench.other,
    settled: async () => {
      await bench.settled();
      await bench.shows(bench.volume.tree());
    },
    volume: () => bench.volume.tree(),
    tree: () => bench.tree(),
    status: (path) => bench.volume.status(path),
    end: () => bench.destroy(),
  };
}

frontEndSuite('folder', folder);

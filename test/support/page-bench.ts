/** The page as the daemon serves it, over a daemon that is none, and a browser that shows it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { pageCalls } from '../../daemon/adapters/page/page-calls.ts';
import { PageEndpoint } from '../../shared/page/page-endpoint.ts';
import { instant, wallTime } from '../../shared/model/time.ts';
import type { Browsers } from './browser.ts';
import { FakeDaemon } from './fake-daemon.ts';
import { fakeMetrics } from './fake-stats.ts';
import { listLog } from './list-log.ts';
import { stillRecorder } from './still-recorder.ts';

const BUILT = join(import.meta.dirname, '..', '..', 'app', 'tray', 'built', 'window');

/** The page, its daemon and its browser. */
export class PageBench {
  readonly #folder = mkdtempSync(join(tmpdir(), 'godwit-page-'));
  readonly daemon = new FakeDaemon(join(this.#folder, 'contents'));
  readonly #browsers: Browsers;
  readonly endpoint: PageEndpoint;

  constructor(browsers: Browsers) {
    this.#browsers = browsers;
    const { daemon } = this;
    const { pauses, conflicts, places, desktop } = daemon;
    const metrics = fakeMetrics();
    const page = { open: () => this.endpoint.open() };
    const recorder = stillRecorder();
    this.endpoint = new PageEndpoint({
      folder: BUILT,
      calls: pageCalls(() => ({
        ...{ daemon, pauses, conflicts, places, desktop, metrics, page, recorder },
      })),
      clock: { now: () => instant(0), wall: () => wallTime(0) },
      log: listLog([]),
    });
  }

  async open(viewport?: { width: number; height: number }): Promise<Page> {
    const page = await this.#browsers.page(viewport);
    await page.goto(await this.endpoint.open());
    await page.locator('[data-state]').waitFor();
    return page;
  }

  /** Writes a file in the root of the volume. */
  async write(name: string, text: string): Promise<void> {
    const { fileSystem } = this.daemon;
    const [volume] = await fileSystem.volumes();
    if (volume === undefined) throw new Error('the daemon has no volume');
    const { fid } = await fileSystem.create(volume.root, name, { mode: 0o644 });
    const { handle, path } = await fileSystem.open(fid, { mode: 'write', truncate: true });
    writeFileSync(path, text);
    await fileSystem.close(handle, {});
  }

  async close(): Promise<void> {
    await this.#browsers.closePages();
    await this.endpoint.close();
    rmSync(this.#folder, { recursive: true });
  }
}

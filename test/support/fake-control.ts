/** A control endpoint on a real socket, over a daemon that is none, or the one that is given, in a folder of its own. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startControlEndpoint,
  type ControlEndpoint,
} from '../../daemon/adapters/control/control-endpoint.ts';
import { ControlClient } from '../../shared/control/client.ts';
import type { ControlledDaemon } from '../../shared/ports/controlled.ts';
import { FakeDaemon, fakeHost } from './fake-daemon.ts';
import { fakeMetrics } from './fake-stats.ts';
import { listLog } from './list-log.ts';
import { stillRecorder } from './still-recorder.ts';

/** A control endpoint with its folder and daemon. */
export class FakeControl {
  readonly folder = mkdtempSync(join(tmpdir(), 'godwit-cli-'));
  readonly data = join(this.folder, 'data');
  readonly daemon = new FakeDaemon(join(this.folder, 'contents'));
  metrics = fakeMetrics('# none\n');
  readonly recorder = stillRecorder();
  #endpoint: ControlEndpoint | null = null;

  readonly #served: ControlledDaemon;

  constructor(served: ControlledDaemon | null = null) {
    this.#served = served ?? this.daemon;
    mkdirSync(this.data);
  }

  /** A new client of the endpoint, which the caller closes. */
  client(): ControlClient {
    return ControlClient.of(this.data);
  }

  async start(): Promise<void> {
    const uid = process.getuid?.() ?? 0;
    this.#endpoint = await startControlEndpoint({
      dataDir: this.data,
      host: fakeHost({ pid: 1, uid, gid: 0 }),
      daemon: this.#served,
      metrics: this.metrics,
      pauses: this.daemon.pauses,
      conflicts: this.daemon.conflicts,
      recorder: this.recorder,
      places: this.daemon.places,
      desktop: this.daemon.desktop,
      page: { open: () => Promise.resolve('http://127.0.0.1:1/#token=t') },
      log: listLog([]),
      around: { uid, runtimeDir: this.folder, temporaryDir: this.folder },
    });
  }

  /** Ends the daemon and keeps the folder. */
  async stop(): Promise<void> {
    await this.#endpoint?.close();
    this.#endpoint = null;
  }

  async close(): Promise<void> {
    this.recorder.close();
    await this.stop();
    rmSync(this.folder, { recursive: true });
  }
}

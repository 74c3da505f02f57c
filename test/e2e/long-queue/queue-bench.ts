/** A daemon with a long queue, whose server is unreachable. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { endProcess } from '../../support/bench.ts';
import { Bench } from '../../support/bench.ts';

const IN_A_FOLDER = 100;
const TICKS_A_SECOND = 100;

export class QueueBench extends Bench {
  /** The length of each measurement. */
  readonly seconds: number;
  data = '';
  pid = 0;

  constructor(seconds: number) {
    super();
    this.seconds = seconds;
  }

  async begin(files: number): Promise<void> {
    const server = await this.server();
    const laptop = await this.laptop('ann', await this.invite(server));
    // A folder imports nothing before it has seen the volume once.
    await this.flush(laptop);
    await this.stop(server);
    this.data = laptop.data;
    for (let file = 0; file < files; file++) {
      const folder = join(laptop.folder, `folder-${Math.floor(file / IN_A_FOLDER)}`);
      if (file % IN_A_FOLDER === 0) mkdirSync(folder);
      writeFileSync(join(folder, `file-${file}.txt`), `${file} ${'x'.repeat(1000)}`);
    }
    const { pid } = await this.until(laptop.data, ({ queues }) => queues.data.updates >= files);
    this.pid = pid;
  }

  /** Measures the use of one core, in per cent. */
  async processorShare(): Promise<number> {
    const { seconds } = this;
    const before = this.#ticks();
    await after(seconds * 1000);
    return ((this.#ticks() - before) * 100) / (TICKS_A_SECOND * seconds);
  }

  /** The user and system time of the process, as in proc(5). */
  #ticks(): number {
    const fields = readFileSync(`/proc/${this.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  }

  override async close(): Promise<void> {
    if (this.pid !== 0) await endProcess(this.pid, 'SIGKILL');
    await super.close();
  }
}

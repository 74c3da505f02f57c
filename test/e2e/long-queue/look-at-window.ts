/** Measures the window over a long queue: time of its main thread per frame while somebody scrolls, and memory. */
import { readFileSync } from 'node:fs';
import type { CDPSession, ElectronApplication } from 'playwright-core';
import { endTray, Screen, startTray } from '../../support/running-tray.ts';
import type { Tell } from './look-at-queue.ts';
import type { QueueBench } from './queue-bench.ts';

/** Scrolls by some lines in each frame; frames, and the longest tasks, as the page itself sees them. */
const scroll = (ms: number): string => `new Promise((done) => {
  const list = document.querySelector('#queue-data');
  const long = [];
  new PerformanceObserver((all) => long.push(...all.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask' });
  const begun = performance.now();
  let frames = 0;
  const frame = () => {
    list.scrollTop += 400;
    frames += 1;
    if (performance.now() - begun < ${ms}) requestAnimationFrame(frame);
    else setTimeout(() => done({ frames, long, scrolled: list.scrollTop }));
  };
  requestAnimationFrame(frame);
})`;

interface Scrolled {
  readonly frames: number;
  readonly long: readonly number[];
  readonly scrolled: number;
}

export async function lookAtWindow(bench: QueueBench, tell: Tell): Promise<void> {
  const screen = new Screen();
  await screen.start();
  const tray = await startTray(bench.data, screen, bench.env);
  try {
    const { app, page } = tray;
    await page.locator('[data-act=details]').click();
    await page.locator('#queue-data .row').first().waitFor();
    tell(`with the window open: ${(await bench.processorShare()).toFixed(2)} % of a core`);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Performance.enable');
    const before = await taskMs(devtools);
    const { frames, long, scrolled } = await page.evaluate<Scrolled>(scroll(1000 * bench.seconds));
    const work = ((await taskMs(devtools)) - before) / frames;
    const rows = await page.locator('#queue-data .row').count();
    tell(
      `scrolled by ${scrolled} points: ${frames} frames in ${bench.seconds} s (the screen has 60 a second at most)`,
    );
    tell(
      `main thread: ${work.toFixed(2)} ms for a frame on average; tasks of over 50 ms: ${long.length}, the longest ${Math.max(0, ...long).toFixed(0)} ms`,
    );
    tell(`lines that exist: ${rows}`);
    for (const line of await memory(app)) tell(line);
  } finally {
    await endTray(tray);
    screen.close();
  }
}

async function taskMs(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN);
}

/** By kind of process: what is its own, and its part of what it shares (proportional set size). */
async function memory(app: ElectronApplication): Promise<string[]> {
  const processes = await app.evaluate(({ app: electron }) =>
    electron.getAppMetrics().map(({ type, pid }) => ({ type, pid })),
  );
  const told = processes.map(({ type, pid }) => ({ type, megabytes: share(pid) }));
  const all = told.reduce((sum, { megabytes }) => sum + megabytes, 0);
  return [
    ...told.map(({ type, megabytes }) => `memory of ${type}: ${megabytes.toFixed(0)} MB`),
    `memory of all: ${all.toFixed(0)} MB`,
  ];
}

function share(pid: number): number {
  const told = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+) kB$/m.exec(told)?.[1]) / 1000;
}

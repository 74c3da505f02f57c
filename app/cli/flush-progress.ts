/** How far a flush is, at a terminal: a bar in bytes with its rate and the time that is left, the files that move, and what is waited for. */
import type { StatusSnapshot } from '../../shared/control/snapshot.ts';
import { lengthText, sizeText } from '../../shared/util/amounts.ts';
import type { Context } from './context.ts';
import { formatNumber } from './format.ts';
import { LiveBlock } from './live-block.ts';
import { bytesLeft } from './status-lines.ts';

const BAR_WIDTH = 20;

/** Draws it in its place on stderr, and takes it away at the end. */
export class FlushProgress {
  readonly #block: LiveBlock;
  readonly #totals = new FlushTotals();
  #line = 'looking for changes ...';
  #why: string | null = null;

  constructor({ io }: Pick<Context, 'io'>) {
    this.#block = new LiveBlock(io.stderr);
  }

  seen(snapshot: StatusSnapshot): void {
    this.#line = this.#totals.line(snapshot);
    this.redraw();
  }

  /** What is waited for, where that lasts. */
  waits(why: string): void {
    this.#why = why;
    this.redraw();
  }

  redraw(): void {
    this.#block.show([this.#line, ...(this.#why === null ? [] : [`  waiting: ${this.#why}`])]);
  }

  end(): void {
    this.#block.show([]);
    this.#block.end();
  }
}

type Moving = Pick<StatusSnapshot, 'queues' | 'fetches' | 'unsettled' | 'link' | 'connected'>;

/** Work is found while it is done, so all of it is the most that was left so far. */
export class FlushTotals {
  #mostBytes = 0;
  #mostThings = 0;

  /** `[######--------------]  34 %  5.7 MB of 16.8 MB, 250.0 KB/s, about 44 s left`; of changes where there are no contents. */
  line({ queues: { metadata, data }, fetches, unsettled, link, connected }: Moving): string {
    const toSend = bytesLeft(data);
    const bytes = toSend + Math.max(0, fetches.bytes - fetches.receivedBytes);
    const things =
      metadata.updates + data.updates + fetches.running + unsettled.paths + unsettled.commits;
    this.#mostBytes = Math.max(this.#mostBytes, bytes);
    this.#mostThings = Math.max(this.#mostThings, things);
    const isBytes = this.#mostBytes > 0;
    const [left, all] = isBytes ? [bytes, this.#mostBytes] : [things, this.#mostThings];
    const share = all === 0 ? 1 : (all - left) / all;
    const done = isBytes
      ? `${sizeText(all - left)} of ${sizeText(all)}`
      : `${formatNumber(all - left)} of ${formatNumber(all)} changes`;
    const { up = 0, down = 0 } = link.rates ?? {};
    const rate = isBytes && up + down > 0 ? [`${sizeText(toSend > 0 ? up : down)}/s`] : [];
    const seconds = data.estimate.seconds ?? null;
    const time =
      connected && toSend > 0 && seconds !== null && seconds > 0
        ? [`about ${lengthText(Math.max(1, seconds))} left`]
        : [];
    const filled = Math.floor(share * BAR_WIDTH);
    const bar = '#'.repeat(filled).padEnd(BAR_WIDTH, '-');
    const percent = String(Math.floor(share * 100)).padStart(3);
    return [`[${bar}] ${percent} %  ${done}`, ...rate, ...time].join(', ');
  }
}

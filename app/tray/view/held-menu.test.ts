/** When the menu of the icon is replaced. */
import { describe, expect, it } from '@jest/globals';
import { HeldMenu } from './held-menu.ts';

/** A menu in a time that passes when a test says so. */
class Rig {
  readonly put: string[] = [];
  #now = 0;
  readonly #timers = new Set<{ readonly run: () => void; readonly at: number }>();
  readonly menu = new HeldMenu<string>(
    (each) => this.put.push(each),
    (run, ms) => {
      const timer = { run, at: this.#now + ms };
      this.#timers.add(timer);
      return () => this.#timers.delete(timer);
    },
  );

  get timers(): number {
    return this.#timers.size;
  }

  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].sort((a, b) => a.at - b.at);
      if (next === undefined || next.at > end) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.run();
    }
    this.#now = end;
  }
}

describe('the menu of the icon', () => {
  it('is replaced at once where something else can be chosen in it', () => {
    const { menu, put, timers } = new Rig();
    menu.replace('first', true);
    menu.replace('second', true);
    expect([put, timers]).toEqual([['first', 'second'], 0]);
  });

  it('has new words when they have rested for two seconds', () => {
    const rig = new Rig();
    rig.menu.replace('idle', true);
    for (const each of ['syncing 1', 'syncing 2']) {
      rig.menu.replace(each, false);
      rig.pass(1999);
    }
    expect(rig.put).toEqual(['idle']);
    rig.pass(1);
    expect([rig.put, rig.timers]).toEqual([['idle', 'syncing 2'], 0]);
  });

  it('is replaced twice a minute at most while its words never rest', () => {
    const rig = new Rig();
    for (let at = 0; at < 60_000; at += 250) {
      rig.menu.replace(`${at}`, false);
      rig.pass(250);
    }
    expect(rig.put).toEqual(['29750', '59750']);
  });

  it('stays as it is while it is open, and becomes the newest when it is closed', () => {
    const rig = new Rig();
    rig.menu.replace('first', true);
    rig.menu.replace('second', false);
    rig.menu.opened();
    rig.pass(40_000);
    rig.menu.replace('third', true);
    rig.menu.replace('fourth', false);
    rig.pass(10_000);
    expect(rig.put).toEqual(['first']);
    rig.menu.closed();
    expect([rig.put, rig.timers]).toEqual([['first', 'fourth'], 0]);
  });

  it('is not put anew when it closes and nothing has changed, nor at once when it was not open', () => {
    const rig = new Rig();
    rig.menu.replace('first', true);
    rig.menu.opened();
    rig.menu.closed();
    rig.menu.replace('second', false);
    rig.menu.closed();
    expect(rig.put).toEqual(['first']);
  });

  it('is held for a minute at most by a panel that never says that it was closed', () => {
    const rig = new Rig();
    rig.menu.opened();
    rig.menu.replace('first', true);
    rig.pass(30_000);
    rig.menu.opened();
    rig.pass(59_999);
    expect(rig.put).toEqual([]);
    rig.pass(1);
    rig.menu.replace('second', true);
    expect(rig.put).toEqual(['first', 'second']);
  });
});

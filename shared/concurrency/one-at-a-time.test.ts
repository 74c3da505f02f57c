import { describe, expect, it } from '@jest/globals';
import { OneAtATime } from './one-at-a-time.ts';

/** Work that ends when it is told to. */
class ControlledWork {
  begun = 0;
  readonly #ends: Array<(error?: Error) => void> = [];

  readonly work = (): Promise<void> => {
    this.begun += 1;
    return new Promise((resolve, reject) => {
      this.#ends.push((error) => (error === undefined ? resolve() : reject(error)));
    });
  };

  end(error?: Error): void {
    this.#ends.shift()?.(error);
  }
}

describe('a task that runs once at a time', () => {
  it('is shared by all callers during a run and starts again after it', async () => {
    const told = new ControlledWork();
    const each = new OneAtATime(told.work);
    const first = each.run();
    const [second, third] = [each.run(), each.run()];
    expect(told.begun).toBe(1);
    told.end();
    await first;
    expect(each.isRunning).toBe(true);
    expect(told.begun).toBe(2);
    told.end();
    await Promise.all([second, third]);
    expect({ begun: told.begun, isRunning: each.isRunning }).toEqual({
      begun: 2,
      isRunning: false,
    });
  });

  it('goes on after a failure, which only its own callers see', async () => {
    const told = new ControlledWork();
    const each = new OneAtATime(told.work);
    const first = each.run();
    const second = each.run();
    told.end(new Error('broken'));
    await expect(first).rejects.toThrow('broken');
    told.end();
    await second;
    expect(told.begun).toBe(2);
  });
});

/** What a front end shows of what others commit, whatever it shows it in: clauses of the suite of all front ends, and of that of those that follow. */
import { it } from '@jest/globals';
import type { AnotherDevice } from './front-end-harness.ts';

export interface Others {
  readonly other: AnotherDevice;
  /** Everything done on either side is on both. */
  settled(): Promise<void>;
}

export function othersClauses(
  harness: () => Others,
  isSame: (expected: Record<string, string>) => Promise<void>,
): void {
  it('the front end replaces contents whole', async () => {
    const { other } = harness();
    await other.write('a', 'one');
    await harness().settled();
    await other.write('a', 'two');
    await other.write('a', 'three');
    await isSame({ a: 'three' });
  });

  it('the front end moves names, also over others', async () => {
    const { other } = harness();
    other.mkdir('d');
    await other.write('d/x', 'x');
    await other.write('a', 'a');
    await harness().settled();
    other.rename('d', 'e');
    other.rename('a', 'e/x');
    await isSame({ 'e/': '', 'e/x': 'a' });
  });

  it('the front end removes files and directories', async () => {
    const { other } = harness();
    other.mkdir('d');
    await other.write('d/x', 'x');
    await harness().settled();
    other.remove('d/x');
    other.remove('d');
    await isSame({});
  });
}

/** The status in words. */
import { describe, expect, it } from '@jest/globals';
import type { StatusSnapshot } from '../../shared/control/snapshot.ts';
import { IDLE } from '../../test/support/fake-daemon.ts';
import { statusLine } from './status-lines.ts';

const { data } = IDLE.queues;
const syncing = (queue: Partial<StatusSnapshot['queues']['data']>): StatusSnapshot => ({
  ...{ ...IDLE, state: 'syncing', summary: 'Syncing' },
  queues: { ...IDLE.queues, data: { ...data, ...queue } },
});

describe('the line', () => {
  it('says how much is to be sent, without what was taken out of the queue', () => {
    const sending = { updates: 2, bytes: 3_000_000, sentBytes: 500_000 };
    expect(statusLine(syncing(sending))).toBe('Syncing; 2.5 MB to send');
    const mixed = { ...sending, cancelled: 1, cancelledBytes: 2_000_000 };
    expect(statusLine(syncing(mixed))).toBe('Syncing; 500.0 KB to send');
    const takenOut = { updates: 1, bytes: 9, cancelled: 1, cancelledBytes: 9 };
    expect(statusLine(syncing(takenOut))).toBe('Syncing');
  });

  it('counts what an older daemon tells as before', () => {
    expect(statusLine(syncing({ updates: 1, bytes: 9, cancelled: 1 }))).toBe(
      'Syncing; 9 B to send',
    );
  });
});

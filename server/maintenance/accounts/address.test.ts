import { describe, expect, it } from '@jest/globals';
import { reachable } from './accounts.ts';

describe('the address of a server', () => {
  it('is replaced by a reachable one when the server listens everywhere', () => {
    expect(reachable({ host: '10.1.2.3', port: 1 })).toEqual({ host: '10.1.2.3', port: 1 });
    const { host, port } = reachable({ host: '0.0.0.0', port: 1 });
    expect([host === '0.0.0.0', port]).toEqual([false, 1]);
  });
});

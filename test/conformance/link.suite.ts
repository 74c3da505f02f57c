/**
 * What every Link must do (shared/ports/transport.ts), whether it is MsQuic or the simulated one. Numbers in the titles are
 * those of the contract. Nothing here sleeps: a test waits for what it needs, and the order of events
 * is what it judges. Only of a limit it says how long something takes at least, which no load makes shorter.
 */
import { afterEach, beforeEach, describe } from '@jest/globals';
import { callTests } from './link-calls.suite.ts';
import { connectionTests, shutdownTests } from './link-connections.suite.ts';
import { contentTests } from './link-contents.suite.ts';
import { endingTests } from './link-endings.suite.ts';
import { harness, useHarness } from './link-pair.ts';
import type { TransportHarness } from './transport-harness.ts';
import { orderTests } from './link-order.suite.ts';
import { limitTests } from './link-limit.suite.ts';
import { partialTests } from './link-partials.suite.ts';
import { strangerTests } from './link-strangers.suite.ts';
import { unreadTests } from './link-unread.suite.ts';

export function linkConformance(name: string, make: () => TransportHarness): void {
  describe(`the Link port (${name})`, () => {
    beforeEach(() => {
      useHarness(make());
    });
    afterEach(async () => {
      await harness.cleanUp();
    });
    describe('calls', callTests);
    describe('contents', contentTests);
    describe('endings', endingTests);
    describe('parts of contents', partialTests);
    describe('order', orderTests);
    describe('limit', limitTests);
    describe('connections', connectionTests);
    describe('strangers', strangerTests);
    describe('unread answers', unreadTests);
    describe('shutdown', shutdownTests);
  });
}

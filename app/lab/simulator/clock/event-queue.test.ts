import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EventQueue } from './event-queue.ts';

it('the event queue yields events by time and then by insertion, also between pops', () => {
  const item = fc.record({ at: fc.nat(4), pops: fc.nat(2) });
  fc.assert(
    fc.property(fc.array(item), (items) => {
      const queue = new EventQueue<{ at: number; order: number }>();
      let model: Array<{ at: number; order: number }> = [];
      items.forEach(({ at, pops }, order) => {
        queue.push({ at, order });
        model = [...model, { at, order }].sort((a, b) => a.at - b.at || a.order - b.order);
        expect(queue.peek()).toEqual(model[0]);
        for (let i = 0; i < pops; i++) expect(queue.pop()).toEqual(model.shift());
      });
      while (model.length > 0) expect(queue.pop()).toEqual(model.shift());
      expect(queue.pop()).toBeUndefined();
    }),
  );
});

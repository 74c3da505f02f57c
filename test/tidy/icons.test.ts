/** The icons that are kept are those that the shapes make. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ACTIVITIES, ATTENTIONS } from '../../app/tray/view/status-view.ts';
import { drawAll, ICONS, trayIcon } from '../../build/icons.mjs';

test('every icon file equals its drawing, and there are no others', async () => {
  const drawn = await drawAll();
  expect(new Set(readdirSync(ICONS))).toEqual(new Set(drawn.keys()));
  const stale = [...drawn].filter(
    ([name, bytes]) => Buffer.compare(readFileSync(join(ICONS, name)), Buffer.from(bytes)) !== 0,
  );
  // If not: node build/run.mjs build/icons.mjs
  expect(stale.map(([name]) => name)).toEqual([]);
});

test('icons of different states have different drawings', () => {
  const drawn = new Set<string>();
  for (const activity of ACTIVITIES) {
    for (const attention of ATTENTIONS) {
      for (const look of ['light', 'dark', 'colour'])
        drawn.add(trayIcon(activity, attention, look));
    }
  }
  expect(drawn.size).toBe(ACTIVITIES.length * ATTENTIONS.length * 3);
});

import { describe, expect, it } from '@jest/globals';
import type { VolumePath } from '../../../shared/ports/controlled.ts';
import { acrossMounts } from './across-mounts.ts';

/** `/team` of home shows the volume team. */
const daemon = {
  acrossMounts: ({ volume, path }: VolumePath): VolumePath =>
    volume === 'home' && path[0] === 'team'
      ? { volume: 'team', path: path.slice(1) }
      : { volume, path },
};

describe('what a command is told of a path', () => {
  it.each([
    [
      'is taken where it ends, with all else as it was',
      { volume: 'home', path: ['team', 'x'], most: 3 },
      { volume: 'team', path: ['x'], most: 3 },
    ],
    [
      'stays where there is no mount point',
      { volume: 'home', path: ['x'] },
      { volume: 'home', path: ['x'] },
    ],
    [
      'takes the second one along',
      { volume: 'home', path: ['team', 'x'], to: ['team', 'y'] },
      { volume: 'team', path: ['x'], to: ['y'] },
    ],
    [
      'leaves a second one that is not given',
      { volume: 'home', path: ['team', 'x'], to: null },
      { volume: 'team', path: ['x'], to: null },
    ],
    ['is none without a volume', { path: ['team'] }, { path: ['team'] }],
  ])('the path of a command is judged right: it %s', (_, args: object, expected) => {
    expect(acrossMounts(daemon, args)).toEqual(expected);
  });

  it('the path of a command is refused beside one that ends in another volume', () => {
    const args = { volume: 'home', path: ['team', 'x'], to: ['y'] };
    expect(() => acrossMounts(daemon, args)).toThrow(
      expect.objectContaining({ code: 'other-volume' }),
    );
  });
});

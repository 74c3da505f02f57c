import { describe, expect, it } from '@jest/globals';
import type { DaemonConfig } from '../../../shared/control/config.ts';
import { formatInvitation } from '../../../shared/model/invitation.ts';
import { difference, metricsDifference, planUp, type UpRequest } from './up-plan.ts';

const ID = '1'.repeat(32);
const SECRET = '2'.repeat(32);
const invite = (fingerprint = 'ab'.repeat(32)): string =>
  formatInvitation({ host: '10.0.0.1', port: 4433, fingerprint, id: ID, secret: SECRET });

const PAIRED: DaemonConfig = {
  server: { host: '10.0.0.1', port: 4433, fingerprint: 'ab'.repeat(32) },
  folder: '/home/ann/Godwit',
  frontEnd: 'folder',
  deviceName: 'laptop',
  volume: 'home',
};

const request = (change: Partial<UpRequest>): UpRequest => ({
  dataDir: '/data',
  options: {},
  invitation: null,
  existing: null,
  pending: null,
  hostname: 'machine',
  ...change,
});

const code = (wanted: string): unknown => expect.objectContaining({ code: wanted });

describe('the first start', () => {
  it('pairs with the server of the invitation', () => {
    const plan = planUp(request({ invitation: `${invite()}\n`, options: { folder: '/f' } }));
    expect(plan).toEqual({
      config: { ...PAIRED, folder: '/f', deviceName: 'machine' },
      pairing: { id: ID, secret: SECRET },
      spare: null,
    });
  });

  it.each<[string, Partial<UpRequest>, string]>([
    ['without an invitation', { options: { folder: '/f' } }, 'not-paired'],
    ['without a folder', { invitation: invite() }, 'usage'],
    [
      'with something else',
      { invitation: 'hello', options: { folder: '/f' } },
      'invitation-malformed',
    ],
    [
      'with an altered invitation',
      { invitation: invite().replace(':4433', ':4434'), options: { folder: '/f' } },
      'invitation-malformed',
    ],
    [
      'with a cut invitation',
      { invitation: invite().slice(0, -1), options: { folder: '/f' } },
      'invitation-malformed',
    ],
  ])('%s says why not', (_what, change, wanted) => {
    expect(() => planUp(request(change))).toThrow(code(wanted));
  });

  it('never repeats an invitation in what it says', () => {
    try {
      planUp(request({ invitation: invite().slice(0, -1), options: { folder: '/f' } }));
    } catch (error) {
      expect((error as Error).message).not.toContain(SECRET.slice(0, 8));
    }
  });

  it('does without a folder where there is no front end', () => {
    const plan = planUp(request({ invitation: invite(), options: { frontEnd: 'none' } }));
    expect(plan.config).toMatchObject({ folder: null, frontEnd: 'none' });
  });

  it('that was not finished goes on with the invitation it had', () => {
    const pending = { id: ID, secret: SECRET };
    expect(planUp(request({ existing: PAIRED, pending })).pairing).toEqual(pending);
  });
});

describe('a later start', () => {
  it('needs nothing', () => {
    const plan = planUp(request({ existing: PAIRED }));
    expect(plan).toEqual({ config: PAIRED, pairing: null, spare: null });
  });

  it('has another invitation of its server to spare, for one that does not admit it as it is', () => {
    const plan = planUp(request({ existing: PAIRED, invitation: invite() }));
    expect(plan).toMatchObject({ pairing: null, spare: { id: ID, secret: SECRET } });
  });

  it('refuses one of another server', () => {
    const other = request({ existing: PAIRED, invitation: invite('cd'.repeat(32)) });
    expect(() => planUp(other)).toThrow(code('already-paired'));
  });
});

describe('the name of the device', () => {
  const named = (change: Partial<UpRequest>): string =>
    planUp(request({ invitation: invite(), options: { folder: '/f' }, ...change })).config
      .deviceName;

  it.each(['a\nb', 'a\u001b[31m', 'a/b', 'a\\b', 'a\u202eb', '\ud800'])(
    'that no server would take is refused: %j',
    (name) => {
      expect(() => named({ options: { folder: '/f', name } })).toThrow(code('usage'));
    },
  );

  it('of the machine is made to fit', () => {
    expect(named({ hostname: 'a/b\n' })).toBe('a-b-');
    expect(named({ hostname: '' })).toBe('laptop');
    expect(named({ hostname: 'x'.repeat(100) })).toBe('x'.repeat(64));
  });

  it('is cut between two characters, so that it is one still', () => {
    const name = named({ options: { folder: '/f', name: `x${'😀'.repeat(40)}` } });
    expect(name.isWellFormed()).toBe(true);
    expect(name.startsWith('x😀')).toBe(true);
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(64);
  });
});

describe('a daemon that runs', () => {
  it.each<[string | null, Partial<UpRequest>]>([
    [null, {}],
    [null, { invitation: invite(), options: { folder: '/home/ann/Godwit', name: 'laptop' } }],
    ['another server', { invitation: invite('cd'.repeat(32)) }],
    ['folder /home/ann/Godwit', { options: { folder: '/elsewhere' } }],
    ['front end folder', { options: { frontEnd: 'none' } }],
    ['name laptop', { options: { name: 'other' } }],
  ])('differs by %s', (wanted, change) => {
    expect(difference(PAIRED, request(change))).toBe(wanted);
  });
});

describe('the scheduling', () => {
  const uniform: DaemonConfig = { ...PAIRED, scheduling: 'uniform' };
  const scheduled = (existing: DaemonConfig, scheduling?: 'priorities' | 'uniform') =>
    request({ existing, options: scheduling === undefined ? {} : { scheduling } });

  it('is a setting that stays until another one is asked for, and is not written down when usual', () => {
    expect(planUp(scheduled(PAIRED, 'uniform')).config).toEqual(uniform);
    expect(planUp(scheduled(uniform)).config).toEqual(uniform);
    expect(planUp(scheduled(uniform, 'priorities')).config).toEqual(PAIRED);
  });

  it('of a daemon that runs is not changed', () => {
    expect(difference(uniform, scheduled(uniform, 'priorities'))).toBe('scheduling uniform');
    expect(difference(PAIRED, scheduled(PAIRED, 'uniform'))).toBe('scheduling priorities');
    expect(difference(PAIRED, scheduled(PAIRED, 'priorities'))).toBe(null);
    expect(difference(uniform, scheduled(uniform))).toBe(null);
  });
});

describe('metrics of a daemon that runs', () => {
  const served = 'http://127.0.0.1:9464/metrics';

  it.each<[number | undefined, string | undefined, string | null]>([
    [undefined, undefined, null],
    [undefined, served, null],
    [9464, served, null],
    [0, served, null],
    [9465, served, `metrics at ${served}`],
    [0, undefined, 'no metrics'],
  ])('port %s is wanted, %s is there: %s', (metrics, there, expected) => {
    const options = metrics === undefined ? {} : { metrics };
    expect(metricsDifference(there, options)).toBe(expected);
  });
});

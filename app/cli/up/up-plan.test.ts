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

const { volume: usual, ...NEW } = PAIRED;
void usual;

const request = (change: Partial<UpRequest>): UpRequest => ({
  dataDir: '/data',
  options: {},
  invitation: null,
  existing: null,
  pending: null,
  isShown: false,
  hostname: 'machine',
  ...change,
});

const code = (wanted: string): unknown => expect.objectContaining({ code: wanted });

describe('the plan of a first start', () => {
  it('pairs with the server of the invitation', () => {
    const plan = planUp(request({ invitation: `${invite()}\n`, options: { folder: '/f' } }));
    expect(plan).toEqual({
      config: { ...NEW, folder: '/f', deviceName: 'machine' },
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
  ])('is refused %s', (_what, change, wanted) => {
    expect(() => planUp(request(change))).toThrow(code(wanted));
  });

  it('never repeats an invitation in an error', () => {
    try {
      planUp(request({ invitation: invite().slice(0, -1), options: { folder: '/f' } }));
    } catch (error) {
      expect((error as Error).message).not.toContain(SECRET.slice(0, 8));
    }
  });

  it('changes from a folder to a mount and back, each at its own place', () => {
    const mount = { frontEnd: 'mount' as const };
    expect(() => planUp(request({ existing: PAIRED, options: mount }))).toThrow(code('usage'));
    const same = { ...mount, folder: '/home/ann/Godwit' };
    expect(() => planUp(request({ existing: PAIRED, options: same }))).toThrow(code('usage'));
    const at = { ...mount, folder: '/m' };
    const mounted = planUp(request({ existing: PAIRED, options: at, isShown: true })).config;
    const places = { folder: '/m', otherPlace: '/home/ann/Godwit' };
    expect(mounted).toEqual({ ...PAIRED, ...mount, ...places });
    expect(planUp(request({ existing: mounted, isShown: true })).config).toEqual(mounted);
    const folder = { frontEnd: 'folder' as const };
    const elsewhere = { ...folder, folder: '/elsewhere' };
    expect(() => planUp(request({ existing: mounted, options: elsewhere }))).toThrow(code('usage'));
    const back = planUp(request({ existing: mounted, options: folder, isShown: true })).config;
    expect(back).toEqual({ ...PAIRED, otherPlace: '/m' });
    expect(planUp(request({ existing: back, options: mount })).config).toEqual(mounted);
  });

  it('needs no folder without a front end', () => {
    const plan = planUp(request({ invitation: invite(), options: { frontEnd: 'none' } }));
    expect(plan.config).toMatchObject({ folder: null, frontEnd: 'none' });
  });

  it('uses the stored invitation when an earlier start was not finished', () => {
    const pending = { id: ID, secret: SECRET };
    expect(planUp(request({ existing: PAIRED, pending })).pairing).toEqual(pending);
  });
});

describe('the plan of a later start', () => {
  it('needs no arguments', () => {
    const plan = planUp(request({ existing: PAIRED }));
    expect(plan).toEqual({ config: PAIRED, pairing: null, spare: null });
  });

  it('keeps another invitation of the same server in reserve', () => {
    const plan = planUp(request({ existing: PAIRED, invitation: invite() }));
    expect(plan).toMatchObject({ pairing: null, spare: { id: ID, secret: SECRET } });
  });

  it('refuses an invitation of another server', () => {
    const other = request({ existing: PAIRED, invitation: invite('cd'.repeat(32)) });
    expect(() => planUp(other)).toThrow(code('already-paired'));
  });
});

describe('the name of a device', () => {
  const named = (change: Partial<UpRequest>): string =>
    planUp(request({ invitation: invite(), options: { folder: '/f' }, ...change })).config
      .deviceName;

  it.each(['a\nb', 'a\u001b[31m', 'a/b', 'a\\b', 'a\u202eb', '\ud800'])(
    'is refused when no server would accept it: %j',
    (name) => {
      expect(() => named({ options: { folder: '/f', name } })).toThrow(code('usage'));
    },
  );

  it("is derived from the machine's name", () => {
    expect(named({ hostname: 'a/b\n' })).toBe('a-b-');
    expect(named({ hostname: '' })).toBe('laptop');
    expect(named({ hostname: 'x'.repeat(100) })).toBe('x'.repeat(64));
  });

  it('is cut between two characters', () => {
    const name = named({ options: { folder: '/f', name: `x${'😀'.repeat(40)}` } });
    expect(name.isWellFormed()).toBe(true);
    expect(name.startsWith('x😀')).toBe(true);
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(64);
  });
});

describe('the options for a running daemon', () => {
  it.each<[string | null, Partial<UpRequest>]>([
    [null, {}],
    [null, { invitation: invite(), options: { folder: '/home/ann/Godwit', name: 'laptop' } }],
    ['another server', { invitation: invite('cd'.repeat(32)) }],
    ['folder /home/ann/Godwit', { options: { folder: '/elsewhere' } }],
    ['front end folder', { options: { frontEnd: 'none' } }],
    ['name laptop', { options: { name: 'other' } }],
  ])('differ from its own by %s', (wanted, change) => {
    expect(difference(PAIRED, request(change))).toBe(wanted);
  });
});

describe('the scheduling of a daemon', () => {
  const uniform: DaemonConfig = { ...PAIRED, scheduling: 'uniform' };
  const scheduled = (existing: DaemonConfig, scheduling?: 'priorities' | 'uniform') =>
    request({ existing, options: scheduling === undefined ? {} : { scheduling } });

  it('is a setting that stays until it is changed, and the default is not stored', () => {
    expect(planUp(scheduled(PAIRED, 'uniform')).config).toEqual(uniform);
    expect(planUp(scheduled(uniform)).config).toEqual(uniform);
    expect(planUp(scheduled(uniform, 'priorities')).config).toEqual(PAIRED);
  });

  it('cannot be changed in a running daemon', () => {
    expect(difference(uniform, scheduled(uniform, 'priorities'))).toBe('scheduling uniform');
    expect(difference(PAIRED, scheduled(PAIRED, 'uniform'))).toBe('scheduling priorities');
    expect(difference(PAIRED, scheduled(PAIRED, 'priorities'))).toBe(null);
    expect(difference(uniform, scheduled(uniform))).toBe(null);
  });
});

describe('the metrics of a running daemon', () => {
  const served = 'http://127.0.0.1:9464/metrics';

  it.each<[number | undefined, string | undefined, string | null]>([
    [undefined, undefined, null],
    [undefined, served, null],
    [9464, served, null],
    [0, served, null],
    [9465, served, `metrics at ${served}`],
    [0, undefined, 'no metrics'],
  ])('are compared by port: %s requested, %s present: %s', (metrics, there, expected) => {
    const options = metrics === undefined ? {} : { metrics };
    expect(metricsDifference(there, options)).toBe(expected);
  });
});

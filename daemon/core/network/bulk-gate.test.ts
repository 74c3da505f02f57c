import { describe, expect, it } from '@jest/globals';
import {
  NO_RULE,
  wrongNetworkName,
  type NetworkFacts,
  type NetworkRule,
} from '../../../shared/model/network.ts';
import { METERED_BUDGET, METERED_TRICKLE } from '../../../shared/model/network.ts';
import { TRICKLE_SLICE } from '../../limits.ts';
import { creditFor, decideBulk, refilled, sliceOf, waitFor } from './bulk-gate.ts';
import { policyFor, type NetworkPolicy } from './network-policy.ts';

const CAFE: NetworkFacts = {
  name: 'Café',
  kind: 'wifi',
  metered: true,
  why: 'somebody says so',
  interface: 'wlan0',
  gateway: '10.0.0.1',
};
const HOME: NetworkFacts = { ...CAFE, name: 'Home', metered: false };

const policy = (change: Partial<NetworkPolicy>): NetworkPolicy => ({
  metered: true,
  why: '',
  budget: null,
  trickle: null,
  pause: false,
  ...change,
});

describe('background contents on a network', () => {
  it.each<[string, NetworkPolicy | null, number, unknown]>([
    ['an unknown network', null, 1e12, { kind: 'free' }],
    ['a network without rules', policy({}), 1e12, { kind: 'free' }],
    ['a budget that is left', policy({ budget: 100 }), 99, { kind: 'free' }],
    ['a budget that is spent', policy({ budget: 100 }), 100, { kind: 'wait', why: 'budget' }],
    ['a budget of zero', policy({ budget: 0 }), 0, { kind: 'wait', why: 'budget' }],
    ['a pause', policy({ pause: true, budget: 100 }), 100, { kind: 'wait', why: 'ruled-out' }],
    ['a rate', policy({ trickle: 7, budget: 100 }), 99, { kind: 'trickle', rate: 7 }],
    ['a rate of zero', policy({ trickle: 0 }), 0, { kind: 'wait', why: 'ruled-out' }],
  ])('are decided about %s', (_, what, used, decision) => {
    expect(decideBulk(what, used)).toEqual(decision);
  });
});

describe('the credit for trickled contents', () => {
  it('grows with the rate up to one slice', () => {
    expect(refilled(0, 1000, 500)).toBe(500);
    expect(refilled(-800, 1000, 500)).toBe(-300);
    expect(refilled(0, 1000, 1e9)).toBe(sliceOf(1000));
    expect(refilled(5, 1000, -500)).toBe(5);
    expect(sliceOf(1000)).toBe(TRICKLE_SLICE);
    expect(sliceOf(1e9)).toBeGreaterThan(1e9);
  });

  it('lets contents begin when it covers them or one slice', () => {
    expect(creditFor(10, 1000)).toBe(10);
    expect(creditFor(Infinity, 1000)).toBe(TRICKLE_SLICE);
    expect(waitFor(1000, 0, 500)).toBe(2000);
    expect(waitFor(1, 0.999, 500)).toBe(1);
  });
});

describe('the policy for a network', () => {
  const rules = (given: Record<string, Partial<NetworkRule>>): Map<string, NetworkRule> =>
    new Map(Object.entries(given).map(([name, rule]) => [name, { ...NO_RULE, ...rule }]));

  it('is empty when the network does not count data', () => {
    for (const metered of [false, null]) {
      expect(policyFor({ ...HOME, metered }, rules({ metered: { pause: true } }))).toMatchObject({
        metered: false,
        budget: null,
        trickle: null,
        pause: false,
      });
    }
  });

  it('is the default for metered networks or their common rule', () => {
    expect(policyFor(CAFE, rules({}))).toMatchObject({
      metered: true,
      why: 'somebody says so',
      budget: METERED_BUDGET,
      trickle: METERED_TRICKLE,
    });
    const all = rules({ metered: { budget: 5 }, Café: { trickle: 6 } });
    expect(policyFor(CAFE, all)).toMatchObject({ budget: 5, trickle: 6 });
  });

  it("is the user's rule, whatever the network reports", () => {
    expect(policyFor(CAFE, rules({ Café: { metered: 'no' } }))).toEqual(
      policy({ metered: false, why: 'you said so' }),
    );
    expect(policyFor(HOME, rules({ Home: { metered: 'yes', budget: 1 } }))).toMatchObject({
      metered: true,
      budget: 1,
      trickle: METERED_TRICKLE,
    });
    expect(policyFor(HOME, rules({ Home: { budget: 1 } }))).toMatchObject({
      budget: 1,
      trickle: null,
    });
  });

  it('is found by name, then by gateway, subnet and interface', () => {
    const by = rules({
      'subnet:10.0.0.0/8': { budget: 4 },
      'interface:wlan0': { budget: 3 },
      'gateway:10.0.0.1': { budget: 2 },
      Home: { budget: 1 },
    });
    expect(policyFor(HOME, by).budget).toBe(1);
    expect(policyFor({ ...HOME, name: 'Other' }, by).budget).toBe(2);
    const other = { ...HOME, name: 'Other', gateway: null };
    expect(policyFor({ ...other, subnet: '10.0.0.0/8' }, by).budget).toBe(4);
    expect(policyFor(other, by).budget).toBe(3);
  });
});

it.each([
  ['Phone of Ann', null],
  ['gateway:10.0.0.1', null],
  ['gateway:10.0.0', /no address/],
  ['gateway:10.0.0.256', /no address/],
  ['gateway:', /no address/],
  ['subnet:192.168.43.0/24', null],
  ['subnet:0.0.0.0/0', null],
  ['subnet:192.168.43.1/24', /no subnet/],
  ['subnet:192.168.43.0/33', /no subnet/],
  ['subnet:192.168.43.0', /no subnet/],
  ['interface:', /no interface/],
])('the name %s is accepted for a rule: %p', (name, wrong) => {
  if (wrong === null) expect(wrongNetworkName(name)).toBeNull();
  else expect(wrongNetworkName(name)).toMatch(wrong);
});

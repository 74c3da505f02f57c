import { describe, expect, it } from '@jest/globals';
import { networkOf } from './read-routes.ts';

const HEAD =
  'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n';
const line = (
  device: string,
  destination: string,
  gateway: string,
  flags: string,
  metric = 0,
  mask = '00000000',
) => `${device}\t${destination}\t${gateway}\t${flags}\t0\t0\t${metric}\t${mask}\t0\t0\t0 \n`;
const WIRELESS =
  'Inter-| sta-|   Quality\n face | tus | link level noise\n wlp3s0: 0000   50.  -60.  -256\n';

describe('the default route of a machine', () => {
  it.each<[string, string, string, object | null]>([
    ['none', HEAD, '', null],
    ['no file', '', '', null],
    ['no default route', HEAD + line('eth0', '0011A8C0', '00000000', '0001'), '', null],
    ['a route that is down', HEAD + line('eth0', '00000000', '0100A8C0', '0002'), '', null],
    ['nonsense', 'x\ny\tz\n\0\n', 'w', null],
    [
      'a cable',
      HEAD + line('eth0', '00000000', '0100A8C0', '0003'),
      WIRELESS,
      { name: 'eth0 via 192.168.0.1', kind: 'wired', metered: null, gateway: '192.168.0.1' },
    ],
    [
      'a cable, and what is beside it',
      HEAD +
        line('eth0', '00000000', '0100A8C0', '0003') +
        line('docker0', '000011AC', '00000000', '0001', 0, '0000FFFF') +
        line('eth0', '0000FEA9', '00000000', '0001', 1000, '0000FFFF') +
        line('eth0', '0000A8C0', '00000000', '0001', 100, '00FFFFFF'),
      '',
      { name: 'eth0 via 192.168.0.1', subnet: '192.168.0.0/24' },
    ],
    [
      'a gateway out of reach',
      HEAD +
        line('eth0', '00000000', '0100A8C0', '0003') +
        line('eth0', '0000000A', '00000000', '0001', 0, '000000FF'),
      '',
      { gateway: '192.168.0.1', subnet: null },
    ],
    [
      'the one of the least metric',
      HEAD +
        line('eth0', '00000000', '0100A8C0', '0003', 600) +
        line('wlp3s0', '00000000', '012BA8C0', '0003', 100),
      WIRELESS,
      { name: 'wlp3s0 via 192.168.43.1', kind: 'wifi', metered: null, interface: 'wlp3s0' },
    ],
    [
      'a modem',
      HEAD + line('wwan0', '00000000', '00000000', '0001'),
      '',
      { name: 'wwan0', kind: 'mobile', metered: true, gateway: null },
    ],
  ])('is read correctly: %s', (_, routes, wireless, expected) => {
    const found = networkOf(routes, wireless);
    if (expected === null) expect(found).toBe(null);
    else expect(found).toMatchObject(expected);
  });
});

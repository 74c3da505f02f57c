import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { present } from '../util/assert.ts';
import { endOf, peerUser, userIn } from './peer-user.ts';

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0
   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 2 1 0 20 4 0 10 -1
   2: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 3 1 0 20 4 0 10 -1
   3: 7F000001:C351 7F000001:1F90 01 00000000:00000000 00:00000000 00000000  1002        0 4 1 0 20 4 0 10 -1
   4: 0200A8C0:C352 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1003        0 5 1 0 20 4 0 10 -1
   5: 0100007F:0050 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  what        0 5 1 0 20 4 0 10 -1
   6: 0200007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1004        0 6 1 0 20 4 0 10 -1
`;
const TABLE6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0000000000000000FFFF00000100007F:C350 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 7 1 0 20 4 0 10 -1
   1: 00000000000000000000FFFF7F000001:C351 00000000000000000000FFFF7F000001:1F90 01 00000000:00000000 00:00000000 00000000  1002        0 8 1 0 20 4 0 10 -1
   2: 00000000000000000000000001000000:C352 00000000000000000000000001000000:1F90 01 00000000:00000000 00:00000000 00000000  1003        0 9 1 0 20 4 0 10 -1
`;

const userAt = (table: string, address: string, port: number): number | null =>
  userIn(table, present(endOf(address, port), 'an end'), present(endOf(HERE, 8080), 'an end'));
const HERE = '127.0.0.1';

it.each([
  [HERE, 50000, 1001],
  [HERE, 50001, 1002], // on a machine that writes the high byte first
  ['192.168.0.2', 50002, 1003], // from another address of this machine
  ['127.0.0.2', 50000, 1004], // which may have the same port
  [HERE, 50002, null],
  [HERE, 80, null], // no number
  [HERE, 1, null],
])('the user of the program at %s, port %d, is %p', (address, port, user) => {
  expect(userAt(TABLE, address, port)).toBe(user);
});

it.each([
  [50000, 1001],
  [50001, 1002],
  [50002, null], // to another address
])('the user of an IPv6 socket at port %d is %p', (port, user) => {
  expect(userAt(TABLE6, HERE, port)).toBe(user);
});

it.each([undefined, '::1', '', '1.2.3', 'fe80::1%eth0'])(
  'the address %p is not one of ours',
  (address) => {
    expect(endOf(address, 1)).toBeNull();
  },
);

describe('the user of a connection', () => {
  const own = process.platform === 'linux' ? process.getuid?.() : null;
  let server: Server;
  let port: number;

  beforeEach(async () => {
    server = createServer();
    server.listen(0, HERE);
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterEach(() => void server.close());

  it.each([
    ['by IPv4', { host: HERE }],
    ['by an IPv6 socket', { host: '::ffff:127.0.0.1' }],
    ['from another address', { host: HERE, localAddress: '127.0.0.9' }],
  ])('is that of its program %s', async (_how, options) => {
    const client = connect({ port, ...options });
    const [socket] = (await once(server, 'connection')) as [Socket];
    expect(await peerUser(socket)).toBe(own);
    client.destroy();
    socket.destroy();
  });

  it('is unknown when there is no such connection', async () => {
    const [localAddress, remoteAddress] = [HERE, HERE];
    expect(await peerUser({ localAddress, localPort: port, remoteAddress, remotePort: port })).toBe(
      null,
    );
    expect(await peerUser({})).toBeNull();
  });
});

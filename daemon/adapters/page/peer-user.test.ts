import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, it } from '@jest/globals';
import { peerUser, userIn } from './peer-user.ts';

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0
   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 2 1 0 20 4 0 10 -1
   2: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 3 1 0 20 4 0 10 -1
   3: 7F000001:C351 7F000001:1F90 01 00000000:00000000 00:00000000 00000000  1002        0 4 1 0 20 4 0 10 -1
   4: 0200A8C0:C352 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1003        0 5 1 0 20 4 0 10 -1
   5: 0100007F:0050 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  what        0 5 1 0 20 4 0 10 -1
`;

it.each([
  [50000, 1001],
  [50001, 1002], // on a machine that writes the high byte first
  [50002, null], // from elsewhere
  [80, null], // no number
  [1, null],
])('the user of the program at port %d is %p', (port, user) => {
  expect(userIn(TABLE, port, 8080)).toBe(user);
});

it('tells who is connected here', async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ host: '127.0.0.1', port });
  const [socket] = (await once(server, 'connection')) as [Socket];
  const own = process.platform === 'linux' ? process.getuid?.() : null;
  expect(await peerUser(socket)).toBe(own);
  expect(await peerUser({ localPort: port, remotePort: port })).toBeNull();
  expect(await peerUser({})).toBeNull();
  client.destroy();
  socket.destroy();
  server.close();
});

import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { UdpRelay } from './udp-relay.ts';

let server: Socket;
let laptop: Socket;
let relay: UdpRelay;

async function bound(): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

beforeEach(async () => {
  [server, laptop] = [await bound(), await bound()];
  relay = await UdpRelay.open({ host: '127.0.0.1', port: server.address().port });
});
afterEach(() => {
  for (const end of [server, laptop, relay]) end.close();
});

/** Sends from the laptop; what the server gets, and from where. */
async function sent(text: string): Promise<{ text: string; from: RemoteInfo }> {
  const arrived = once(server, 'message') as Promise<[Buffer, RemoteInfo]>;
  send(text);
  const [datagram, from] = await arrived;
  return { text: datagram.toString(), from };
}

function send(text: string): void {
  laptop.send(text, Number(relay.address.split(':')[1]), '127.0.0.1');
}

it('carries datagrams both ways, and counts them', async () => {
  const { text, from } = await sent('hello');
  expect(text).toBe('hello');
  const back = once(laptop, 'message') as Promise<[Buffer, RemoteInfo]>;
  server.send('answer', from.port, from.address);
  expect((await back)[0].toString()).toBe('answer');
  expect([relay.upBytes, relay.downBytes]).toEqual([5, 6]);
});

it('drops what is sent while it is cut, and counts it', async () => {
  relay.cut();
  const counted = relay.upBytes;
  send('lost');
  while (relay.upBytes === counted) await new Promise(setImmediate);
  relay.restore();
  expect((await sent('later')).text).toBe('later');
  expect(relay.upBytes).toBe(9);
});

it('gives the laptop another address', async () => {
  const { from: before } = await sent('one');
  relay.moveSource();
  const { from: after } = await sent('two');
  expect(after.port).not.toBe(before.port);
});

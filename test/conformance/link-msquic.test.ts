/** The Link port on MsQuic: the common suite, and what only a real link can show. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { TransportError, PEER_SPOOL_FAILED } from '../../shared/ports/transport.ts';
import { MsquicTransport } from '../../shared/transport/msquic-transport.ts';
import { NativeHost } from '../../shared/transport/native-host.ts';
import { TransportLog } from './transport-harness.ts';
import { LOOPBACK, MsquicHarness } from './link-msquic-harness.ts';
import type { RealEndpoint, RealEndpointSettings } from './link-msquic-harness.ts';
import { linkConformance } from './link.suite.ts';

/** Real threads on a machine that may be busy: a limit for what hangs, not for what is slow. */

linkConformance('MsQuic', () => new MsquicHarness());

describe('the MsQuic link', () => {
  let harness: MsquicHarness;

  beforeEach(() => {
    harness = new MsquicHarness();
  });
  afterEach(async () => {
    await harness.cleanUp();
  });

  function endpoint(settings?: RealEndpointSettings): RealEndpoint & { log: TransportLog } {
    const log = new TransportLog();
    return { ...harness.endpoint(log, settings), log };
  }

  async function serve(): Promise<{ server: RealEndpoint & { log: TransportLog }; port: number }> {
    const server = endpoint();
    const { port } = await server.link.listen({ host: LOOPBACK, port: 0 });
    server.log.onIncoming = ({ call, contentLength }) => {
      if (contentLength === 0)
        server.link.reply(call, { header: Buffer.from('in'), content: null });
    };
    return { server, port };
  }

  const hello = { priorityClass: 'VALIDATE', header: Buffer.from('hello'), content: null } as const;

  it('refuses a client without a certificate (contract 7)', async () => {
    const { server, port } = await serve();
    const client = endpoint({ anonymous: true });
    const pin = server.identity.fingerprint;
    const connection = client.link.connect({ host: LOOPBACK, port, pin });
    const call = client.link.request(connection, hello);
    await harness.until(() => client.log.has('closed'));
    expect(client.log.all('closed')[0]?.reason).toBe('refused');
    expect(client.log.of(call).at(-1)).toMatchObject({ kind: 'aborted', reason: 'closed' });
    expect(server.log.events).toEqual([]);
  });

  it('survives many moves with calls and contents under way', async () => {
    const { server, port } = await serve();
    const client = endpoint();
    const pin = server.identity.fingerprint;
    const connection = client.link.connect({ host: LOOPBACK, port, pin });
    const length = 4_000_000;
    const path = client.writeFile('file', new Uint8Array(length));
    const isLost = (): boolean =>
      [client, server].some(({ log }) => log.has('aborted') || log.has('closed'));
    for (let round = 1; round <= 10; round++) {
      client.link.request(connection, { ...hello, content: { path, offset: 0, length } });
      const calls = [1, 2, 3].map(() => client.link.request(connection, hello));
      client.link.rebind(connection);
      await harness.until(
        () =>
          isLost() ||
          (calls.every((call) => client.log.hasEnded(call)) &&
            server.log.all('content').length === round),
      );
      expect(isLost()).toBe(false);
    }
    expect(server.log.all('connected')).toHaveLength(1);
  });

  it('computes the same BLAKE3 digests as the host', async () => {
    const { server, port } = await serve();
    const client = endpoint();
    const pin = server.identity.fingerprint;
    const connection = client.link.connect({ host: LOOPBACK, port, pin });
    const path = client.writeFile('zero', new Uint8Array(1));
    client.link.request(connection, { ...hello, content: { path, offset: 0, length: 1 } });
    await harness.until(() => server.log.has('content'));
    // The official test vector for one byte, 0.
    const known = '2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213';
    expect(server.log.all('content')[0]?.content.digest).toBe(known);
    expect(await new NativeHost().digestFile(path)).toEqual({ digest: known, length: 1 });
  });

  it('keeps a flooding client from delaying other clients and timers', async () => {
    const { server, port } = await serve();
    const [flooding, other] = [endpoint(), endpoint()];
    const pin = server.identity.fingerprint;
    const [many, one] = [flooding, other].map(({ link }) =>
      link.connect({ host: LOOPBACK, port, pin }),
    ) as [number, number];
    await harness.until(() => server.log.all('connected').length === 2);
    const texts: string[] = [];
    let timer: number | null = null;
    server.log.onIncoming = ({ call, text }) => {
      texts.push(text);
      if (texts.length === 1) {
        other.link.request(one, { ...hello, header: Buffer.from('one') });
        setTimeout(() => (timer = texts.length), 0);
      }
      // Each event takes two milliseconds of work, so the flood has arrived long before it is handled.
      const begun = cpuOfThread();
      while (cpuOfThread() - begun < 2000);
      server.link.reply(call, { header: Buffer.from(text), content: null });
    };
    const flood = 3000;
    for (let count = 0; count < flood; count++) flooding.link.request(many, hello);
    await harness.until(() => texts.length > flood);
    expect(texts.indexOf('one')).toBeLessThan(flood / 2);
    expect(timer).toBeLessThan(flood / 2);
  });

  it('returns only prefixes of contents and reports each end once, whenever it comes (contract 8)', async () => {
    const server = endpoint({ partialFrom: 1 });
    const { port } = await server.link.listen({ host: LOOPBACK, port: 0 });
    const sizes = [2, 20_000, 65_536, 65_537, 300_000, 3_000_000];
    const sources = sizes.map((length) => {
      const bytes = Buffer.alloc(length, `${length}.`);
      return { length, bytes, path: server.writeFile(String(length), bytes), offset: 0 };
    });
    for (let round = 0; round < 16; round++) {
      const client = endpoint({ partialFrom: 1 });
      const before = server.log.events.length;
      const pin = server.identity.fingerprint;
      const connection = client.link.connect({ host: LOOPBACK, port, pin });
      server.log.onIncoming = ({ call, text, contentLength }) => {
        if (contentLength > 0) return;
        server.link.reply(call, {
          header: Buffer.from('x'),
          content: sources[Number(text)] ?? null,
        });
      };
      const calls = sources.flatMap((source, index) => [
        client.link.request(connection, { ...hello, content: source }),
        client.link.request(connection, { ...hello, header: Buffer.from(String(index)) }),
      ]);
      const told = (): number => client.log.events.length + server.log.events.length - before;
      const begun = (): boolean =>
        client.log.has('connected') && server.log.all('connected').length > round;
      await harness.until(() => begun() && told() > 2 + round * 2);
      const aborts = round % 4 < 2;
      if (aborts && round % 2 === 0) for (const call of calls) client.link.abort(call, 1);
      if (aborts && round % 2 === 1)
        for (const { call } of server.log.all('incoming')) server.link.abort(call, 1);
      const inbound = server.log.all('connected').at(-1)?.connection ?? NaN;
      if (aborts || round % 2 === 0) client.link.close(connection);
      else server.link.close(inbound);
      const ended = (log: TransportLog, of: number): boolean =>
        log.has('closed', (event) => event.kind === 'closed' && event.connection === of);
      await harness.until(() => ended(client.log, connection) && ended(server.log, inbound));
      for (const at of [client, server]) expectSpool(at, sources);
      for (const call of calls) expectOneEnd(client.log, call);
      for (const { call } of server.log.all('incoming')) expectOneEnd(server.log, call);
    }
  });

  it.each([10, 200_000])('aborts the call when the spool is gone: %d bytes', async (length) => {
    const { server, port } = await serve();
    const client = endpoint();
    const pin = server.identity.fingerprint;
    const connection = client.link.connect({ host: LOOPBACK, port, pin });
    rmSync(server.spool, { recursive: true });
    const path = client.writeFile('file', new Uint8Array(length));
    const call = client.link.request(connection, {
      ...hello,
      content: { path, offset: 0, length },
    });
    await harness.until(() => client.log.has('aborted') && server.log.has('aborted'));
    expect(client.log.of(call).at(-1)).toMatchObject({ reason: 'peer', code: PEER_SPOOL_FAILED });
    expect(server.log.all('aborted')[0]?.reason).toBe('spool');
  });

  it('refuses an unusable identity and an unusable spool', async () => {
    const identity = { ...harness.newIdentity('x'), certificatePem: 'no certificate' };
    const broken = endpoint({ identity });
    await expect(broken.link.listen({ host: LOOPBACK, port: 0 })).rejects.toMatchObject({
      code: 'identity',
    });
    broken.link.connect({ host: LOOPBACK, port: 1, pin: identity.fingerprint });
    await harness.until(() => broken.log.has('closed'));
    expect(broken.log.all('closed')[0]?.reason).toBe('failed');
    const options = {
      identity: harness.newIdentity('y'),
      handler: new TransportLog(),
      maxHeaderBytes: 1,
    };
    const nowhere = join(harness.folder, 'nowhere');
    expect(() => new MsquicTransport({ ...options, spool: nowhere })).toThrow(TransportError);
  });

  it.each(['exits', 'falls-off-the-end', 'throws'])(
    'lets a process with a live connection end cleanly that %s',
    async (how) => {
      const { server, port } = await serve();
      const script = fileURLToPath(new URL('./link-child.ts', import.meta.url));
      const args = [script, how, String(port), server.identity.fingerprint, server.spool];
      const child = spawn(process.execPath, args, { env: withoutNodeOptions(), stdio: 'pipe' });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => (output += String(chunk)));
      const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
      expect({ code, signal, said: output.includes('replied') }).toEqual({
        code: how === 'throws' ? 1 : 0,
        signal: null,
        said: true,
      });
      await harness.until(() => server.log.has('closed'));
      expect(server.log.all('closed')[0]?.reason).toBe('peer');
    },
  );
});

/** Checks that every file of the spool was delivered, whole or as an incomplete beginning. */
function expectSpool(
  at: RealEndpoint & { log: TransportLog },
  sources: ReadonlyArray<{ readonly bytes: Buffer }>,
): void {
  const given = [...at.log.all('content'), ...at.log.all('partial')];
  expect(at.spooled()).toEqual(given.map(({ content }) => content.path).sort());
  for (const { kind, content } of given) {
    const bytes = at.readFile(content.path);
    expect(bytes.length).toBe(content.length);
    const of = sources.filter((source) =>
      kind === 'content'
        ? source.bytes.length === bytes.length
        : source.bytes.length > bytes.length,
    );
    expect(of.some((source) => source.bytes.subarray(0, bytes.length).equals(bytes))).toBe(true);
  }
}

function expectOneEnd(log: TransportLog, call: number): void {
  const kinds = log.kinds(call);
  expect(log.hasEnded(call)).toBe(true);
  expect(kinds.filter((kind) => kind === 'aborted').length).toBeLessThan(2);
  const part = kinds.indexOf('partial');
  if (part >= 0) expect(kinds.slice(part)).toEqual(['partial', 'aborted']);
}

/** Jest's own flags are not for the child. */
function withoutNodeOptions(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  delete env['NODE_OPTIONS'];
  return env;
}

/** In microseconds. That of the system counts: to ask for it takes more of it than of one's own. */
function cpuOfThread(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

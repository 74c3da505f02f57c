/**
 * The sources of MsQuic as the addon is built with them: those of the crate that the lock file names, with what no setting reaches changed.
 *
 * Runs on Node 20 without dependencies. The changed copy is in the crate's target folder; cargo takes it in the place of the one it has
 * downloaded (`paths`), and the lock file stays as it is.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Each is a line that is there once.
 *
 * A receiver acknowledges every second packet at once, by a packet of its own: 75 bytes for 2.9 KB, which
 * is 2.6 % of a line both ways. With more, an acknowledgement waits for MaxAckDelayMs (src/settings.rs), and goes along with what is sent in
 * that time. RFC 9000, section 13.2.2, leaves it to a receiver; MsQuic has no setting for it.
 *
 * After a loss cubic's window is not cut below InitialWindowPackets, which a connection may set at any time, and not above what it was. The bulk
 * window sets it to what the path was seen to carry (src/link/loss_floor.rs): before a short queue losses are frequent, and cubic would take
 * seconds to win back what one of them cost. And below that it grows as at the start.
 *
 * A packet carries the path over which it goes. MsQuic asks for that when it is acknowledged and never notes it: after a change of address no
 * round trip was measured any more, and no packet was larger than the least that every path takes.
 */
const CHANGES = [
  {
    file: 'src/core/quicdef.h',
    from: /^#define QUIC_MIN_ACK_SEND_NUMBER +2$/gm,
    to: '#define QUIC_MIN_ACK_SEND_NUMBER                16',
  },
  {
    file: 'src/core/cubic.c',
    from: /^ +\(uint32_t\)DatagramPayloadLength \* QUIC_PERSISTENT_CONGESTION_WINDOW_PACKETS,$/gm,
    to:
      'CXPLAT_MIN(Cubic->CongestionWindow, (uint32_t)DatagramPayloadLength * ' +
      'CXPLAT_MAX(QUIC_PERSISTENT_CONGESTION_WINDOW_PACKETS, Connection->Settings.InitialWindowPackets)),',
  },
  {
    file: 'src/core/cubic.c',
    from: /^ {4}if \(Cubic->CongestionWindow < Cubic->SlowStartThreshold\) \{$/gm,
    to: [
      '    const uint32_t Floor =',
      '        (uint32_t)QuicPathGetDatagramPayloadSize(&Connection->Paths[0]) * Connection->Settings.InitialWindowPackets;',
      '    Cubic->SlowStartThreshold = CXPLAT_MAX(Cubic->SlowStartThreshold, Floor);',
      '    Cubic->AimdWindow = CXPLAT_MAX(Cubic->AimdWindow, Floor);',
      '    if (Cubic->CongestionWindow < Cubic->SlowStartThreshold) {',
    ].join('\n'),
  },
  {
    file: 'src/core/packet_builder.c',
    from: /^ {4}Builder->Metadata->SentTime = CxPlatTimeUs64\(\);$/gm,
    to: [
      '    Builder->Metadata->SentTime = CxPlatTimeUs64();',
      '    Builder->Metadata->PathId = Builder->Path->ID;',
    ].join('\n'),
  },
];

/** What is changed, for the hash over what the addon is made of. */
export const changesText = JSON.stringify(
  CHANGES.map(({ file, from, to }) => [file, from.source, to]),
);

/** Gives cargo's arguments. Throws an Error with one clear message. */
export function msquicArguments(crate) {
  const from = crateFolder(crate);
  const stamp = createHash('sha256').update(`${from}\0${changesText}`).digest('hex');
  const to = join(crate, 'target', 'msquic');
  const mark = join(to, 'godwit.stamp');
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== stamp) {
    const unfinished = `${to}.${process.pid}`;
    rmSync(unfinished, { recursive: true, force: true });
    cpSync(from, unfinished, { recursive: true, preserveTimestamps: true });
    for (const change of CHANGES) apply(unfinished, change);
    writeFileSync(join(unfinished, 'godwit.stamp'), stamp);
    rmSync(to, { recursive: true, force: true });
    renameSync(unfinished, to);
  }
  return ['--config', `paths=[${JSON.stringify(to)}]`];
}

function apply(folder, { file, from, to }) {
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  const found = text.match(from)?.length ?? 0;
  if (found !== 1) {
    throw new Error(
      `MsQuic's ${file} has ${found} lines like ${from.source}, not one: build/msquic.mjs has to be looked at`,
    );
  }
  writeFileSync(path, text.replace(from, to));
}

/** Where cargo has the crate that the lock file names; downloads it where it has not. */
function crateFolder(crate) {
  const { status, stdout, stderr, error } = spawnSync(
    'cargo',
    ['metadata', '--locked', '--format-version', '1'],
    { cwd: crate, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
  );
  if (status !== 0) {
    const lines = (error?.message ?? stderr ?? '').trim().split('\n');
    const why = lines.find((line) => line.startsWith('error')) ?? lines[0];
    throw new Error(`the crates of the native addon could not be had: ${why}`);
  }
  const found = JSON.parse(stdout).packages.find(({ name }) => name === 'msquic');
  if (found === undefined) throw new Error('the native addon has no crate msquic in its lock file');
  return dirname(found.manifest_path);
}

/**
 * The sources of MsQuic as the addon is built with them: those of the crate that the lock file names, with what no setting reaches changed,
 * and with the OpenSSL of Node in the place of the one that comes along with the crate.
 *
 * Runs on Node 20 without dependencies. The changed copy is in the crate's target folder; cargo takes it in the place of the one it has
 * downloaded (`paths`), and the lock file stays as it is.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { nodeHeaders } from './node-headers.mjs';

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
 *
 * TLS is that of Node (tls/node_tls.c). It knows the released versions of QUIC alone, so MsQuic does not offer the draft.
 *
 * Where TLS fails again after it has failed, there is no error left that tells a file, and its name was read where none was.
 *
 * The buffer for what TLS sends doubles until there is room, up to 60 KB, in a number of 16 bits: twice 32 KB is 0, and the thread never
 * came to an end.
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
  {
    file: 'src/platform/tls_quictls.c',
    from: /^#include "openssl\/ssl\.h"$/gm,
    to: '#include "openssl/ssl.h"\n#include "node_tls.h"',
  },
  {
    file: 'src/platform/tls_quictls.c',
    from: /^ {12}NewBufferAllocLength <<= 1;$/gm,
    to: '            NewBufferAllocLength = NewBufferAllocLength < 0x7800 ? NewBufferAllocLength << 1 : 0xF000;',
  },
  {
    file: 'src/platform/tls_quictls.c',
    from: /^ {16}const char\* file;$/gm,
    to: '                const char* file = "";',
  },
  {
    file: 'src/platform/CMakeLists.txt',
    from: /^ {4}set\(SOURCES \$\{SOURCES\} tls_quictls\.c crypt_openssl\.c\)$/gm,
    to: '    set(SOURCES ${SOURCES} tls_quictls.c node_tls.c crypt_openssl.c)',
  },
  {
    file: 'src/inc/quic_versions.h',
    from: /^ {4}case QUIC_VERSION_DRAFT_29:\n/gm,
    to: '',
  },
  {
    file: 'src/core/version_neg.h',
    from: /^extern const uint32_t DefaultSupportedVersionsList\[4\];$/gm,
    to: 'extern const uint32_t DefaultSupportedVersionsList[3];',
  },
  {
    file: 'src/core/version_neg.c',
    from: /^const uint32_t DefaultSupportedVersionsList\[4\] = \{$/gm,
    to: 'const uint32_t DefaultSupportedVersionsList[3] = {',
  },
  {
    file: 'src/core/version_neg.c',
    from: /^ {4}QUIC_VERSION_MS_1,\n {4}QUIC_VERSION_DRAFT_29,$/gm,
    to: '    QUIC_VERSION_MS_1,',
  },
];

/** What stands beside MsQuic's TLS, from the folder of the addon's crate. */
const ADDED = ['tls/node_tls.c', 'tls/node_tls.h'];
/** What comes along with the crate, and is not built. */
const LEFT_OUT = 'submodules/quictls';

/** In the place of the description of how its OpenSSL is built. What is used of it is found in the Node that loads the addon. */
const openSslBuild = (folder) => `project(OpenSSLQuic)
add_library(OpenSSLQuic INTERFACE)
target_include_directories(OpenSSLQuic SYSTEM INTERFACE ${JSON.stringify(folder)})
add_library(OpenSSLQuic::OpenSSLQuic ALIAS OpenSSLQuic)
`;

const changesText = JSON.stringify(CHANGES.map(({ file, from, to }) => [file, from.source, to]));

/** What of MsQuic is not as in the crate, for the hash over what the addon is made of. `crate`: the folder of the addon's. */
export function msquicText(crate) {
  const added = ADDED.map((file) => readFileSync(join(crate, file), 'utf8'));
  return JSON.stringify([changesText, openSslBuild(''), nodeHeaders().version, ...added]);
}

/** Gives cargo's arguments. Throws an Error with one clear message. */
export function msquicArguments(crate) {
  const from = crateFolder(crate);
  const headers = nodeHeaders();
  const text = `${from}\0${headers.folder}\0${msquicText(crate)}`;
  const stamp = createHash('sha256').update(text).digest('hex');
  const to = join(crate, 'target', 'msquic');
  const mark = join(to, 'godwit.stamp');
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== stamp) {
    const unfinished = `${to}.${process.pid}`;
    const filter = (path) => path !== join(from, LEFT_OUT);
    rmSync(unfinished, { recursive: true, force: true });
    cpSync(from, unfinished, { recursive: true, preserveTimestamps: true, filter });
    for (const change of CHANGES) apply(unfinished, change);
    for (const file of ADDED) {
      const added = readFileSync(join(crate, file));
      writeFileSync(join(unfinished, 'src', 'platform', basename(file)), added);
    }
    const build = join(unfinished, 'submodules', 'CMakeLists.txt');
    writeFileSync(build, openSslBuild(headers.folder));
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

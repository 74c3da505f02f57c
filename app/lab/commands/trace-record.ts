/** `godwit trace record OUT`: what programs and the folder do through a daemon, until Ctrl-C or for a time. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { saveText } from '../trace/save-trace.ts';
import { traceText } from '../trace/write-trace.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parsePeriod } from '../../cli/arguments.ts';
import { flag, type Cli } from '../../cli/cli.ts';
import { about } from '../../cli/errors.ts';
import { formatCount } from '../../cli/format.ts';
import { printable } from '../../cli/printable.ts';
import { TraceRecording } from '../trace/cli/record-trace.ts';

interface RecordFlags {
  readonly for?: number;
  readonly replace?: boolean;
}

/** It is here, or nobody would ask: the daemon alone goes without. */
function explainTracing(error: unknown): never {
  const isWithout = error instanceof GodwitError && error.code === 'no-laboratory';
  throw isWithout ? new GodwitError(error.code, error.message, AGAIN) : error;
}

const AGAIN = 'start it again: `godwit down`, then `godwit up`';

/** What a timer can wait for; who means longer ends it with Ctrl-C. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Builds `godwit trace record`, which records what is done through a daemon. If the daemon ends
 * meanwhile, it keeps what was recorded and throws the error.
 */
export function traceRecordCommand(cli: Cli): Command {
  const command = cli
    .withData('record', 'record what is done through a daemon, without contents, until Ctrl-C')
    .argument('<out>', 'the new file');
  flag(command, '--for <time>', 'end it by itself: 30s, 10m, 2h', undefined, parsePeriod);
  flag(command, '--replace', 'replace what has the name of the new file');
  return cli.does<RecordFlags>(command, async (context, flags, [out = '']) => {
    const { for: lengthMs = null, replace = false } = flags;
    if (!replace && existsSync(out)) throw about(out, new GodwitError('exists'));
    const stop = new AbortController();
    const interrupted = context.interruption.claim();
    interrupted.addEventListener('abort', () => stop.abort(), { once: true });
    const recording = await TraceRecording.begin(context.daemon).catch(explainTracing);
    const timer =
      lengthMs === null ? null : setTimeout(() => stop.abort(), Math.min(lengthMs, LONGEST_MS));
    context.note(`recording${lengthMs === null ? '; Ctrl-C ends it' : ''}`);
    const text = traceText(() => ({ source: 'godwit', groups: [] }), recording.take(stop.signal));
    try {
      // What was recorded is kept, however it ends.
      await saveText(out, text, { replace, signal: new AbortController().signal });
    } catch (error) {
      throw about(out, error);
    } finally {
      if (timer !== null) clearTimeout(timer);
    }
    const { records, lost, failure } = recording;
    if (failure !== null) {
      const kept = `${out} has the ${formatCount(records, 'record')} until then`;
      throw new GodwitError(failure.code, `${failure.message}; ${kept}`);
    }
    const missed = lost === 0 ? '' : `, ${formatCount(lost, 'operation')} missed`;
    context.result({ file: out, records, lost }, [
      `${printable(out)}: ${formatCount(records, 'record')}${missed}`,
    ]);
  });
}

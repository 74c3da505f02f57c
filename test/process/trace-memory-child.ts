/**
 * Reads a trace of so many bytes that is made while it is read, in the format that it is told, and says how many records there were
 * and how much memory the process had at most. Its heap is limited by who starts it.
 */
import { BadLines } from '../../app/lab/trace/bad-lines.ts';
import { LargeFiles } from '../../app/lab/trace/large-files.ts';
import { readProcmon } from '../../app/lab/trace/procmon/read-procmon.ts';
import { readTrace } from '../../app/lab/trace/read-trace.ts';
import { StatisticsCollector } from '../../app/lab/trace/statistics.ts';
import { readStrace } from '../../app/lab/trace/strace/read-strace.ts';

const FILES = 5000;
const LINES_AT_ONCE = 500;

interface Format {
  readonly head: string;
  readonly line: (index: number) => string;
  readonly read: typeof readProcmon | typeof readStrace | typeof readTrace;
}

const FORMATS: Readonly<Record<string, Format>> = {
  procmon: {
    head: '"Time of Day","Process Name","PID","Operation","Path","Result","Detail"\r\n',
    line: (index) => {
      const second = Math.floor(index / 100_000) % 60;
      const time = `1:00:${String(second).padStart(2, '0')},${String(index % 100_000).padStart(5, '0')}00`;
      const path = `C:\\Users\\ann\\some folder\\another folder\\file-${index % FILES}.txt`;
      const detail = `Offset: ${index % 1000}, Length: 4.096, I/O Flags: Non-cached, Priority: Normal`;
      return `"${time}","program.exe","77","ReadFile","${path}","SUCCESS","${detail}"\r\n`;
    },
    read: readProcmon,
  },
  strace: {
    head: '7 1700000000.000000 chdir("/home/ann/some folder") = 0\n',
    line: (index) => {
      const time = `17${String(index).padStart(8, '0')}.000001`;
      const name = `another folder/file-${index % FILES}.txt`;
      const status = '{st_mode=S_IFREG|0644, st_size=4096, ...}';
      return `7 ${time} newfstatat(AT_FDCWD, "${name}", ${status}, 0) = 0 <0.000012>\n`;
    },
    read: readStrace,
  },
  godwit: {
    head: '{"godwit-trace":1,"source":"test"}\n',
    line: (index) =>
      `{"at":${index},"pid":7,"program":"program","op":"read","path":"/home/ann/some folder/file-${index % FILES}.txt","offset":${index % 1000},"length":4096}\n`,
    read: readTrace,
  },
};

const [name = '', size = '0'] = process.argv.slice(2);
const format = FORMATS[name];
if (format === undefined) throw new Error(`no format ${name}`);
let bytes = 0;
let lines = 0;
let peakBytes = 0;

function* made({ head, line }: Format): Generator<Buffer> {
  yield Buffer.from(head);
  while (bytes < Number(size)) {
    let text = '';
    for (let count = 0; count < LINES_AT_ONCE; count++) text += line(lines++);
    const chunk = Buffer.from(text);
    bytes += chunk.length;
    // The peak that getrusage reports includes the process from which this one was forked.
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
    yield chunk;
  }
}

const bad = new BadLines(name, false);
const [statistics, large] = [new StatisticsCollector(bad), new LargeFiles(4096 * 1024)];
for await (const record of format.read(made(format), bad)) {
  statistics.add(record);
  large.note(record);
}
const { records, files } = statistics.result();
process.stdout.write(JSON.stringify({ bytes, lines, records, files, peakBytes }));

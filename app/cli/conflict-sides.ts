/** The two sides of a conflict on a terminal: what differs between their texts, or the beginning of each. */
import { MAX_PREVIEW_BYTES, MAX_PREVIEW_FETCH } from '../../shared/control/limits.ts';
import type { FilePreview } from '../../shared/control/preview.ts';
import { sizeText } from '../../shared/util/amounts.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { Context } from './context.ts';
import { formatCount, formatMtime, formatNumber, formatTable, formatWhen } from './format.ts';
import { printable } from './printable.ts';
import { indented } from './style.ts';
import { textDifference } from './text-difference.ts';
import { findPath, findVolume } from './volume-tree.ts';

/** Bytes shown of each side: somewhat more than a screen holds. */
const SHOWN_BYTES = 16 * 1024;
/** Of texts that are compared. */
const COMPARED_BYTES = MAX_PREVIEW_BYTES;

/** What differs between two sides, as lines; null where two texts are not there, or have too little in common. */
export function differenceLines(
  sides: readonly ShownSide[],
  headOf: (path: string) => string,
  colours: boolean,
): string[] | null {
  const [before, after] = sides.flatMap(({ path, preview }) =>
    typeof preview?.text === 'string'
      ? [{ head: `${headOf(path)} ${aboutText(preview)}`, text: preview.text }]
      : [],
  );
  if (before === undefined || after === undefined) return null;
  const isCut = sides.some(({ preview }) => preview?.isCut === true);
  const lines = textDifference(before, after, colours, isCut);
  const note = `(the first ${sizeText(COMPARED_BYTES)} of each are compared, and there is more)`;
  return lines === null || !isCut ? lines : [...lines, note];
}

/** The beginning of each side, or why there is nothing to see of it. */
export async function linesOfSides(
  context: Context,
  volume: string,
  sides: readonly ShownSide[],
  headOf: (path: string) => string,
): Promise<string[]> {
  const lines: string[] = [];
  for (const { path, preview, error } of sides) {
    lines.push(`== ${headOf(path)}`);
    if (error === null) lines.push(...previewLines(preview));
    else if (error.code === 'is-a-directory') {
      lines.push(...(await folderLines(context, volume, path)));
    } else lines.push(printable(`(${error.message})`));
  }
  return lines;
}

/** One side of a conflict: its beginning, or why there is nothing to see of it. */
export interface ShownSide {
  readonly path: string;
  readonly preview: FilePreview | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** Asks the daemon for the beginning of one side. Rejects with what is no answer of the daemon. */
export async function sideOf(
  { daemon }: Context,
  volume: string,
  path: string,
  compares: boolean,
): Promise<ShownSide> {
  const most = compares ? COMPARED_BYTES : SHOWN_BYTES;
  const args = { volume, path: path.split('/'), most };
  try {
    const preview = await daemon.command('preview', args);
    return { path, preview, error: null };
  } catch (error) {
    if (!(error instanceof GodwitError)) throw error;
    const { code, message } = error;
    return { path, preview: null, error: { code, message } };
  }
}

function aboutText({ size, modified, encoding }: FilePreview): string {
  const read = encoding === undefined ? '' : `, read as ${printable(encoding)}`;
  return `(${sizeText(size)}, ${formatWhen(modified, Date.now())}${read})`;
}

function previewLines(preview: FilePreview | null): string[] {
  if (preview === null) return [];
  if (preview.target !== undefined) return [`(a link to ${printable(preview.target)})`];
  const about = aboutText(preview);
  if (preview.text === null) {
    const isLarge = preview.size > MAX_PREVIEW_FETCH;
    return [about, isLarge ? '(no text, or large and not here)' : '(no text: a binary file)'];
  }
  const text = preview.text.slice(0, SHOWN_BYTES);
  const isCut = preview.isCut || text.length < preview.text.length;
  const lines = text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `  ${printable(line)}`);
  return [about, ...lines, ...(isCut ? ['  ...'] : [])];
}

/** Of a folder, what is in it: so much is on a screen. */
const MOST_NAMES = 20;

async function folderLines(context: Context, volume: string, path: string): Promise<string[]> {
  const { fileSystem } = context.daemon;
  const { root } = await findVolume(fileSystem, volume);
  const { fid } = await findPath(fileSystem, root, path.split('/'), false);
  const entries = await fileSystem.readdir(fid);
  const rows = entries
    .slice(0, MOST_NAMES)
    .map(({ name, attributes: { kind, size, mtime } }) => [
      kind === 'file' ? sizeText(size) : '-',
      formatMtime(mtime),
      printable(name) + (kind === 'directory' ? '/' : ''),
    ]);
  const more = entries.length - rows.length;
  return [
    `(a folder with ${formatCount(entries.length, 'thing')})`,
    ...indented(formatTable(rows, [0])),
    ...(more > 0 ? [`  ... and ${formatNumber(more)} more`] : []),
  ];
}

/** The kinds of files that have a sign of their own, told by the end of the name. */

export const FILE_KINDS = [
  ...(['folder', 'file', 'link', 'text', 'image', 'film', 'sound'] as const),
  ...(['pdf', 'archive', 'code', 'table'] as const),
];
export type FileKind = (typeof FILE_KINDS)[number];

const ENDS: Readonly<Partial<Record<FileKind, string>>> = {
  text: 'txt md rst doc docx odt rtf tex epub org log',
  image: 'jpg jpeg png gif webp svg heic tif tiff bmp raw cr2 nef avif ico',
  film: 'mp4 mkv mov avi webm m4v mpg mpeg',
  sound: 'mp3 flac ogg opus wav m4a aac',
  pdf: 'pdf ps djvu',
  archive: 'zip tar gz tgz xz zst bz2 7z rar deb iso jar',
  code: 'c h cc cpp hpp rs go py js ts tsx jsx java kt rb sh pl lua html css json yaml yml toml xml sql mjs cjs',
  table: 'csv tsv xls xlsx ods',
};

const BY_END: ReadonlyMap<string, FileKind> = new Map(
  FILE_KINDS.flatMap((kind) => (ENDS[kind] ?? '').split(' ').map((end) => [end, kind] as const)),
);

/** The kind of a file by its name. */
export function fileKind(name: string): FileKind {
  const at = name.lastIndexOf('.');
  if (at <= 0) return 'file';
  const end = name.slice(at + 1).toLowerCase();
  return end === '' ? 'file' : (BY_END.get(end) ?? 'file');
}

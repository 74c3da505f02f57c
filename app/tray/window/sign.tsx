/** The signs of the page: drawn here, of one weight, and never alone: a word stands beside each, or a label on its button. */
import type { JSX } from 'preact';
import type { FileKind } from '../view/file-kind.ts';
import type { Sign } from '../view/files-view.ts';
import { ACTIVITY_SHAPES, ATTENTION_SHAPES } from '../view/state-shapes.ts';
import type { Activity, Attention } from '../view/status-view.ts';

const PAGE = 'M6 3h8l4 4v14H6zM14 3v4h4';

const KINDS: Readonly<Record<FileKind, string>> = {
  folder: 'M3 6.500h6.500l2 2.500H21v10H3z',
  file: PAGE,
  link: 'M10 14l4-4M9 11l-2 2a3 3 0 0 0 4 4l2-2M15 13l2-2a3 3 0 0 0-4-4l-2 2',
  text: `${PAGE}M9 11h6M9 14h6M9 17h4`,
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.500 9h.1',
  film: 'M4 5h16v14H4zM10 9.500v5l4.500-2.500z',
  sound:
    'M9 17.500V6l9-2v11.500M9 17.500a2.500 2 0 1 1-5 0 2.500 2 0 0 1 5 0zM18 15.500a2.500 2 0 1 1-5 0 2.500 2 0 0 1 5 0z',
  pdf: `${PAGE}M9 17c4-2 4-7 3-7s0 5 3.500 6`,
  archive: 'M5 4h14v16H5zM12 4v3M12 9v2M12 13v4',
  code: 'M9 8l-5 4 5 4M15 8l5 4-5 4',
  table: 'M4 5h16v14H4zM4 10h16M4 14.500h16M10 5v14',
};

const SIGNS: Readonly<Record<Sign, string>> = {
  synced: ACTIVITY_SHAPES.idle,
  sending: 'M12 20V5M5.500 11L12 4.500 18.500 11',
  waiting: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 7.500V12.500l3.500 2',
  online: 'M7 18a4 4 0 0 1 0-8 5.500 5.500 0 0 1 10.500 1A3.600 3.600 0 0 1 17.500 18z',
  always: 'M9 3.500h6l-1 6 3.500 4h-11l3.500-4zM12 13.500V21',
  conflict: ATTENTION_SHAPES.conflict,
  problem: ATTENTION_SHAPES.error,
  behind: 'M12 4v15M5.500 12.500L12 19l6.500-6.500',
  link: KINDS.link,
};

const GLYPHS = {
  more: 'M6 12h.1M12 12h.1M18 12h.1',
  search: 'M16 16l4.500 4.500M18 10.500a7.500 7.500 0 1 1-15 0 7.500 7.500 0 0 1 15 0z',
  down: 'M6 9.500l6 6 6-6',
  close: 'M6 6l12 12M18 6L6 18',
  back: 'M14.500 5.500L8 12l6.500 6.500',
  laptop: 'M5 5h14v10H5zM2.500 19h19',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.500 20.500c0-8 15-8 15 0',
  people:
    'M9 11.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM2.500 19.500c0-7 13-7 13 0M15.500 5a3.300 3.300 0 0 1 0 6.400M18 14c2.300.8 3.500 2.600 3.500 5.500',
  shut: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM5.700 5.700l12.600 12.600',
  server: 'M4 4h16v6H4zM4 14h16v6H4zM8 7h.1M8 17h.1',
  disk: 'M4 6c0-3 16-3 16 0v12c0 3-16 3-16 0zM4 6c0 3 16 3 16 0M4 12c0 3 16 3 16 0',
  bin: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  undo: 'M9 5L4 10l5 5M4 10h10a5.500 5.500 0 0 1 0 11h-3',
  ascending: 'M6 15l6-6 6 6',
  descending: 'M6 9l6 6 6-6',
} as const;

interface ShapeProps {
  readonly d: string;
  readonly name?: string;
  readonly size?: number;
}

function Shape({ d, name = '', size = 20 }: ShapeProps): JSX.Element {
  return (
    <svg class={`sign ${name}`} viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      <path d={d} />
    </svg>
  );
}

/** The kind of a file. */
export const KindSign = ({ kind }: { readonly kind: FileKind }): JSX.Element => (
  <Shape d={KINDS[kind]} name={kind === 'folder' ? 'kind kind-folder' : 'kind'} size={22} />
);

/** How a file or folder is. */
export const StateSign = ({ sign }: { readonly sign: Sign }): JSX.Element => (
  <Shape d={SIGNS[sign]} name={`of-${sign}`} size={16} />
);

/** A sign on a button, or before a line. */
export const Glyph = ({
  of,
  size = 18,
}: {
  of: keyof typeof GLYPHS;
  size?: number;
}): JSX.Element => <Shape d={GLYPHS[of]} size={size} />;

interface ActivityProps {
  readonly activity: Activity;
  readonly attention: Attention;
  readonly size: number;
}

/** What the daemon does, with a badge where somebody is needed. */
export function ActivitySign({ activity, attention, size }: ActivityProps): JSX.Element {
  return (
    <span class="activity" data-activity={activity} data-attention={attention}>
      <Shape d={ACTIVITY_SHAPES[activity]} name={`of-${activity}`} size={size} />
      {attention !== 'none' && (
        <span class={`attention of-${attention}`}>
          <Shape d={ATTENTION_SHAPES[attention]} size={12} />
        </span>
      )}
    </span>
  );
}

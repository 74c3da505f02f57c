/** Conflicts: both sides beside each other, and one word that settles it. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { VersionsReport } from '../../../shared/control/history.ts';
import type { FilePreview } from '../../../shared/control/preview.ts';
import type { SideToKeep } from '../../../shared/control/resolution.ts';
import type { ConflictStatus, StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { CallError, type Api } from '../view/api.ts';
import { clockText } from '../view/clock.ts';
import { compareLines, conflictView, type ComparedLine, type Side } from '../view/conflict-view.ts';
import { lineText } from '../view/format.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { TEXT } from '../view/text.ts';
import { openPlace } from './open-place.ts';
import type { PaneProps } from './pane-props.ts';
import { settleConflict } from './settle-conflict.ts';

/** Of each side: what a person reads. */
const SHOWN_BYTES = 16 * 1024;

/** Shows all open conflicts, each with its sides and the choice between them. */
export function ConflictsPane({ api, status, tell }: PaneProps): JSX.Element {
  const { conflicts } = status;
  return (
    <>
      <h1>{TEXT.conflict.title}</h1>
      <p class="quiet">{conflicts.length === 0 ? TEXT.conflict.none : TEXT.conflict.intro}</p>
      {conflicts.map((conflict) => (
        <Conflict key={conflict.id} {...{ api, status, tell, conflict }} />
      ))}
    </>
  );
}

type Loaded = FilePreview | { readonly why: string };

function Conflict({
  api,
  status,
  tell,
  conflict,
}: PaneProps & { readonly conflict: ConflictStatus }): JSX.Element {
  const { title, sides } = conflictView(conflict);
  const [shown, setShown] = useState<ReadonlyArray<Loaded | null>>([]);
  const [device, setDevice] = useState<string | null>(null);
  const paths = sides.map(({ path }) => path).join('\n');
  useEffect(() => {
    let isOver = false;
    const loading = sides.map(({ path }) => load(api, volumesOf(conflict, status), path));
    void Promise.all(loading).then((loaded) => isOver || setShown(loaded));
    void senderOf(api, conflict, sides).then((who) => isOver || setDevice(who));
    return () => void (isOver = true);
  }, [paths]);

  const settle = (side: SideToKeep): void => settleConflict(api, tell, conflict.id, side);
  const compared = comparedOf(shown);
  const id = `conflict-${conflict.id}`;
  const inVolume =
    conflict.volume !== undefined && status.volumes.length > 1
      ? `${TEXT.conflict.inVolume(lineText(conflict.volume))} `
      : '';
  return (
    <section class="card conflict" aria-labelledby={id}>
      <h2 id={id}>{lineText(conflict.path)}</h2>
      <p class="quiet">
        {title}. {inVolume}
        {TEXT.conflict.found(clockText(conflict.when, Date.now()))}
      </p>
      <div class="sides">
        {sides.map((side, index) => (
          <SideView
            key={side.whose}
            {...{ api, status, tell, side, device }}
            loaded={shown[index] ?? null}
            lines={compared?.[index] ?? null}
            onKeep={() => settle(side.whose)}
          />
        ))}
      </div>
      <div class="acts">
        {lackingSides(sides).map((side) => (
          <button key={side} type="button" data-keep={side} onClick={() => settle(side)}>
            {side === 'mine' ? TEXT.conflict.keepMine : TEXT.conflict.keepTheirs}
          </button>
        ))}
        <button type="button" data-keep="both" onClick={() => settle('both')}>
          {TEXT.conflict.keepBoth}
        </button>
      </div>
    </section>
  );
}

/** Sides that can be kept and have no column: there is nothing to see of them. */
function lackingSides(sides: readonly Side[]): Array<Side['whose']> {
  const there = sides.map(({ whose }) => whose);
  return (['theirs', 'mine'] as const).filter((whose) => !there.includes(whose));
}

/** Which laptop theirs came from; null: nobody can tell now. */
async function senderOf(
  api: Api,
  { volume }: ConflictStatus,
  sides: readonly Side[],
): Promise<string | null> {
  const theirs = sides.find(({ whose }) => whose === 'theirs');
  if (theirs === undefined || volume === undefined) return null;
  const args = { volume, path: theirs.path.split('/') };
  const told = await api.command<VersionsReport>('versions', args).catch(() => null);
  return told?.versions[0]?.by ?? null;
}

interface SideProps extends PaneProps {
  readonly side: Side;
  /** What the other laptop is called; null: it is not known. */
  readonly device: string | null;
  readonly loaded: Loaded | null;
  readonly lines: readonly ComparedLine[] | null;
  readonly onKeep: () => void;
}

function SideView(props: SideProps): JSX.Element {
  const { api, status, tell, side, device, loaded, lines, onKeep } = props;
  const { whose } = side;
  const words = TEXT.conflict;
  const who = device === null ? null : lineText(device);
  const theirs = who === null ? words.keepTheirs : words.keepTheirsOf(who);
  return (
    <article class="side">
      <h3>
        {whose === 'theirs' && who !== null ? `${words.theirsOf(who)}, ${side.place}` : side.where}
      </h3>
      <p class="quiet">
        {lineText(side.path)}
        {loaded !== null && 'size' in loaded && `, ${aboutText(loaded)}`}
      </p>
      {loaded === null && <p>{TEXT.conflict.loading}</p>}
      {loaded !== null && 'why' in loaded && <p>{loaded.why}</p>}
      {loaded !== null && 'size' in loaded && (
        <SideText preview={loaded} label={side.where} lines={lines} />
      )}
      <div class="acts">
        <button type="button" data-keep={whose} onClick={onKeep}>
          {whose === 'theirs' ? theirs : words.keepMine}
        </button>
        {status.folder !== null && (
          <button type="button" class="bare" onClick={() => openPlace(api, tell, side.path)}>
            {words.openSide}
          </button>
        )}
      </div>
    </article>
  );
}

function SideText({
  preview,
  label,
  lines,
}: {
  readonly preview: FilePreview;
  readonly label: string;
  readonly lines: readonly ComparedLine[] | null;
}): JSX.Element {
  if (preview.target !== undefined) {
    return <p>{TEXT.conflict.linkTo(lineText(preview.target))}</p>;
  }
  if (preview.text === null) return <p>{TEXT.conflict.noText}</p>;
  const all = lines ?? preview.text.split('\n').map((text) => ({ text, differs: false }));
  return (
    <>
      <pre tabIndex={0} role="region" aria-label={label}>
        {all.map(({ text, differs }, index) =>
          differs ? <mark key={index}>{`${text}\n`}</mark> : `${text}\n`,
        )}
      </pre>
      {preview.isCut && <p class="quiet">{TEXT.conflict.isCut}</p>}
    </>
  );
}

const aboutText = ({ size, modified }: FilePreview): string =>
  `${sizeText(size)}, ${clockText(new Date(modified).toISOString(), Date.now())}`;

/** Where the conflict's own is not known: the first that has the path is meant. */
function volumesOf({ volume }: ConflictStatus, { volumes }: StatusSnapshot): readonly string[] {
  return volume === undefined ? volumes.map(({ name }) => name) : [volume];
}

async function load(api: Api, volumes: readonly string[], path: string): Promise<Loaded> {
  let why = TEXT.conflict.noText as string;
  for (const volume of volumes) {
    const args = { volume, path: path.split('/'), most: SHOWN_BYTES };
    try {
      return await api.command<FilePreview>('preview', args);
    } catch (error) {
      if (error instanceof CallError) why = lineText(error.message);
    }
  }
  return { why };
}

function comparedOf(shown: ReadonlyArray<Loaded | null>): ComparedLine[][] | null {
  const [a, b] = shown.map((each) => (each !== null && 'text' in each ? each.text : null));
  return typeof a === 'string' && typeof b === 'string' ? compareLines(a, b) : null;
}

/** What is in the volumes and what of it is here: folders to look through, and what can be done with what is selected in them. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { FolderReport, FolderRow } from '../../../shared/control/folder.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { crumbs, folderState, shownRows } from '../view/files-view.ts';
import { lineText } from '../view/format.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { TEXT } from '../view/text.ts';
import { useAsked } from './asker.ts';
import { CacheCard } from './cache-card.tsx';
import { FileActs } from './file-acts.tsx';
import { GroupsCard } from './groups-card.tsx';
import { LeftOutCard } from './left-out-card.tsx';
import { SharingCard } from './sharing-card.tsx';
import type { PaneProps, Selected } from './pane-props.ts';

/** At first, and with each "more". */
const PART = 200;

/**
 * Shows the directories of the volumes, what of them is cached, and what can be done with a
 * selection.
 */
export function FilesPane({ api, status, tell }: PaneProps): JSX.Element {
  const [volume, setVolume] = useState(status.volumes[0]?.name ?? '');
  const [path, setPath] = useState<readonly string[]>([]);
  const [most, setMost] = useState(PART);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  /** Grows when something was asked for here: other cards show what came of it. */
  const [edition, setEdition] = useState(0);
  const place = `${volume}/${path.join('/')}`;
  const { told, again } = useAsked(
    async () => {
      const report = await api.command<FolderReport>('folder', { volume, path, from: 0, most });
      return { place, report };
    },
    `${status.revision} ${place} ${most}`,
    edition,
  );
  const report = told?.place === place ? told.report : null;
  const rows = report === null ? [] : shownRows(report, path);
  const selected = rows
    .filter(({ name }) => chosen.has(name))
    .map(({ name, fid }): Selected => ({ volume, path: [...path, name], fid }));

  const go = (to: readonly string[]): void => {
    setPath(to);
    setMost(PART);
    setChosen(new Set());
    again();
  };
  const done = (): void => {
    setChosen(new Set());
    setEdition((n) => n + 1);
    again();
  };
  const pick = (name: string, isOn: boolean): void => {
    const next = new Set(chosen);
    if (isOn) next.add(name);
    else next.delete(name);
    setChosen(next);
  };

  return (
    <>
      <h1>{TEXT.files.title}</h1>
      <section class="card" aria-label={TEXT.files.table}>
        <div class="place">
          {status.volumes.length > 1 && (
            <VolumeChoice
              {...{ status, volume }}
              onVolume={(name) => {
                setVolume(name);
                go([]);
              }}
            />
          )}
          <Crumbs path={path} onGo={go} />
        </div>
        <FolderTable {...{ report, rows, chosen, pick }} onOpen={(name) => go([...path, name])} />
        <More
          left={report === null ? 0 : report.total - report.rows.length}
          onMore={() => {
            setMost(most + PART);
            again();
          }}
        />
        <FileActs {...{ api, tell, selected }} onDone={done} />
      </section>
      <CacheCard {...{ api, status, tell, edition }} onDone={done} />
      <GroupsCard {...{ api, tell, volume, edition }} onDone={done} />
      <SharingCard {...{ api, tell, edition }} onDone={done} />
      {status.frontEnd === 'folder' && <LeftOutCard />}
    </>
  );
}

function More({ left, onMore }: { left: number; onMore: () => void }): JSX.Element | null {
  if (left <= 0) return null;
  return (
    <button type="button" class="more" onClick={onMore}>
      {TEXT.files.more(Math.min(PART, left))}
    </button>
  );
}

interface VolumeProps {
  readonly status: StatusSnapshot;
  readonly volume: string;
  readonly onVolume: (name: string) => void;
}

function VolumeChoice({ status, volume, onVolume }: VolumeProps): JSX.Element {
  return (
    <select
      aria-label={TEXT.files.volume}
      value={volume}
      onChange={(event) => onVolume(event.currentTarget.value)}
    >
      {status.volumes.map(({ name }) => (
        <option key={name} value={name}>
          {lineText(name)}
        </option>
      ))}
    </select>
  );
}

interface CrumbsProps {
  readonly path: readonly string[];
  readonly onGo: (path: readonly string[]) => void;
}

function Crumbs({ path, onGo }: CrumbsProps): JSX.Element {
  const all = crumbs(path);
  return (
    <ol class="crumbs" aria-label={TEXT.files.path}>
      {all.map(({ name, path: to }, at) => (
        <li key={to.join('/')}>
          <button
            type="button"
            class="plain"
            aria-current={at === all.length - 1 ? 'location' : undefined}
            onClick={() => onGo(to)}
          >
            {name}
          </button>
        </li>
      ))}
    </ol>
  );
}

interface TableProps {
  readonly report: FolderReport | null;
  readonly rows: readonly FolderRow[];
  readonly chosen: ReadonlySet<string>;
  readonly pick: (name: string, isOn: boolean) => void;
  readonly onOpen: (name: string) => void;
}

function FolderTable({ report, rows, chosen, pick, onOpen }: TableProps): JSX.Element {
  const words = TEXT.files;
  if (report === null) return <p class="quiet">{words.loading}</p>;
  if (rows.length === 0) return <p class="quiet">{words.empty}</p>;
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={words.table}>
      <table class="files">
        <thead>
          <tr>
            <th scope="col">{words.name}</th>
            <th scope="col">{words.size}</th>
            <th scope="col">{words.state}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <FileRow key={row.fid} row={row} isOn={chosen.has(row.name)} {...{ pick, onOpen }} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly row: FolderRow;
  readonly isOn: boolean;
  readonly pick: TableProps['pick'];
  readonly onOpen: TableProps['onOpen'];
}

function FileRow({ row, isOn, pick, onOpen }: RowProps): JSX.Element {
  const { name, kind, size } = row;
  const shown = lineText(name);
  return (
    <tr data-name={name} class={isOn ? 'chosen' : undefined}>
      <th scope="row">
        <input
          type="checkbox"
          aria-label={TEXT.files.select(shown)}
          checked={isOn}
          onChange={(event) => pick(name, event.currentTarget.checked)}
        />{' '}
        {kind === 'directory' ? (
          <button type="button" class="plain" onClick={() => onOpen(name)}>
            {shown}/
          </button>
        ) : (
          shown
        )}
      </th>
      <td>{kind === 'file' ? sizeText(size) : ''}</td>
      <td class="quiet">{folderState(row)}</td>
    </tr>
  );
}

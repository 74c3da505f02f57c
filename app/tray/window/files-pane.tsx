/** The files: folders to look through, a search, what can be done with each and with several; what was deleted, and an undo. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { crumbs, sortRows } from '../view/files-view.ts';
import { lineText } from '../view/format.ts';
import { givenBy, mountLine, type KnownShares } from '../view/shares-view.ts';
import { TEXT } from '../view/text.ts';
import { DeletedList } from './deleted-list.tsx';
import { Dialog } from './dialog.tsx';
import { entriesOf, type Shown } from './file-entries.ts';
import { FileActs } from './file-acts.tsx';
import { FileTable, keyOf, type Order, type TableProps } from './file-table.tsx';
import { FilesBar } from './files-bar.tsx';
import { LeaveDialog } from './leave-dialog.tsx';
import { openPlace } from './open-place.ts';
import type { PaneProps, PlacedRow } from './pane-props.ts';
import { PreviewDialog } from './preview-dialog.tsx';
import { ShareDialog } from './share-dialog.tsx';
import { UndoDialog } from './undo-dialog.tsx';
import { useBeneath, useListing, type Listing } from './use-listing.ts';
import { useShares } from './use-shares.ts';
import { VersionsDialog } from './versions-dialog.tsx';

/** Rows at first, and with each "more": all are known, and few are drawn. */
const PART = 200;

/** Shows the directories of the volumes, and what can be done with what is in them. */
export function FilesPane({ api, status, tell }: PaneProps): JSX.Element {
  const [volume, setVolume] = useState(status.volumes[0]?.name ?? '');
  const [path, setPath] = useState<readonly string[]>([]);
  const [sought, setSought] = useState('');
  const [order, setOrder] = useState<Order>({ sort: 'name', isDescending: false });
  const [most, setMost] = useState(PART);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [showsDeleted, setShowsDeleted] = useState(false);
  const [shown, setShown] = useState<Shown | null>(null);
  /** Grows with each act here, so that its outcome is asked for. */
  const [edition, setEdition] = useState(0);
  const { listing, again } = useListing(api, status, { volume, path, sought }, edition);
  const all = sortRows(listing?.rows ?? [], order.sort, order.isDescending);
  const rows = all.slice(0, most);
  const beneath = useBeneath(api, status, volume, rows);
  const { known } = useShares(api, status, edition);
  useEffect(() => again(), [volume, path.join('/'), sought]);

  const go = (to: readonly string[]): void => {
    setPath(to);
    setSought('');
    setMost(PART);
    setChosen(new Set());
  };
  const done = (): void => {
    setChosen(new Set());
    setEdition((n) => n + 1);
  };
  const open = (row: PlacedRow): void => {
    if (row.kind === 'directory') go(row.path);
    else if (status.folder === null) setShown({ kind: 'look', row });
    else openPlace(api, tell, keyOf(row));
  };
  const parts = { volume, place: status.folder, open, done, tell, show: setShown, api, known };

  return (
    <>
      <h1 class="hidden-text">{TEXT.files.title}</h1>
      <section class="card files-card" aria-label={TEXT.files.title}>
        <FilesBar
          {...{ status, volume, sought, showsDeleted }}
          crumbs={crumbs(path)}
          onGo={go}
          onVolume={(name) => {
            setVolume(name);
            go([]);
          }}
          onSought={(text) => {
            setSought(text);
            setChosen(new Set());
          }}
          onDeleted={setShowsDeleted}
          onUndo={() => setShown({ kind: 'undo' })}
        />
        {showsDeleted ? (
          <DeletedList {...{ api, tell, volume, path, edition }} onDone={done} />
        ) : (
          <Rows
            {...{ api, tell, volume, path, sought, listing, all, rows, chosen, order }}
            mount={(row) => mountLine(row, known, status.volumes)}
            entries={(row) => entriesOf({ ...parts, row })}
            {...{ beneath, onOrder: setOrder, onChosen: setChosen, onOpen: open }}
            onDone={done}
            onMore={() => setMost(most + PART)}
          />
        )}
      </section>
      <Before {...{ api, tell, volume, shown, known, done }} onClose={() => setShown(null)} />
    </>
  );
}

interface RowsProps extends Omit<TableProps, 'isSearch'> {
  readonly api: PaneProps['api'];
  readonly tell: PaneProps['tell'];
  readonly volume: string;
  readonly path: readonly string[];
  readonly sought: string;
  readonly listing: Listing | null;
  /** Of which `rows` are drawn. */
  readonly all: readonly PlacedRow[];
  readonly onDone: () => void;
  readonly onMore: () => void;
}

function Rows({ all, listing, onDone, onMore, ...props }: RowsProps): JSX.Element {
  const { rows, chosen, sought, onChosen } = props;
  const selected = all.filter((row) => chosen.has(keyOf(row)));
  return (
    <>
      {selected.length > 0 && (
        <FileActs {...props} rows={selected} onDone={onDone} onNone={() => onChosen(new Set())} />
      )}
      <ListState {...{ listing, sought, path: props.path }} />
      {rows.length > 0 && <FileTable {...props} isSearch={sought !== ''} />}
      <More left={all.length - rows.length} onMore={onMore} />
    </>
  );
}

interface BeforeProps extends Omit<PaneProps, 'status'> {
  readonly volume: string;
  readonly shown: Shown | null;
  readonly known: KnownShares | null;
  readonly done: () => void;
  readonly onClose: () => void;
}

function Before(props: BeforeProps): JSX.Element | null {
  const { api, tell, volume, shown, known, done, onClose } = props;
  if (shown === null) return null;
  const end = (): void => {
    onClose();
    done();
  };
  if (shown.kind === 'undo') return <UndoDialog {...{ api, tell, volume }} onClose={end} />;
  const { row } = shown;
  const { path, name } = row;
  switch (shown.kind) {
    case 'versions':
      return <VersionsDialog {...{ api, tell, volume, path }} onClose={end} />;
    case 'look':
      return <PreviewDialog {...{ api, volume, path }} onClose={onClose} />;
    case 'share':
      return <ShareDialog {...{ api, volume, row }} onClose={end} />;
    case 'leave':
      return (
        <LeaveDialog
          {...{ api, tell, name, share: row.mounted?.volume ?? '' }}
          by={givenBy(row, known) ?? ''}
          onClose={end}
        />
      );
    case 'more':
      return (
        <Dialog title={lineText(name)} onClose={onClose}>
          <FileActs {...{ api, tell, volume, rows: [row] }} onDone={end} isWide />
        </Dialog>
      );
  }
}

interface StateProps {
  readonly listing: Listing | null;
  readonly sought: string;
  readonly path: readonly string[];
}

/** What there is to say of the list as a whole; mostly nothing. */
function ListState({ listing, sought, path }: StateProps): JSX.Element | null {
  const words = TEXT.files;
  const isSearch = sought !== '';
  if (listing === null) {
    return <p class="quiet">{isSearch ? words.searching : words.loading}</p>;
  }
  const count = listing.rows.length;
  if (isSearch) {
    const said = listing.isCut ? words.foundCut(count) : words.found(count);
    return (
      <p class="quiet" role="status">
        {count === 0 ? words.nothingFound(lineText(sought)) : said}
      </p>
    );
  }
  if (count > 0) return null;
  return <p class="quiet empty">{path.length === 0 ? words.emptyRoot : words.empty}</p>;
}

function More({ left, onMore }: { left: number; onMore: () => void }): JSX.Element | null {
  if (left <= 0) return null;
  return (
    <button type="button" class="more" onClick={onMore}>
      {TEXT.files.showMore(Math.min(PART, left))}
    </button>
  );
}

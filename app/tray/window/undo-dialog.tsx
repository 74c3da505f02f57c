/** Takes back what this laptop did: first it is shown what that would be. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { RestoreReport } from '../../../shared/control/history.ts';
import { CallError, type Api } from '../view/api.ts';
import { lineText } from '../view/format.ts';
import { UNDO_EXTENTS, undoExtent, undoLines, type UndoExtentName } from '../view/history-view.ts';
import { TEXT } from '../view/text.ts';
import { Dialog } from './dialog.tsx';
import type { Tell } from './toast.tsx';

interface UndoProps {
  readonly api: Api;
  readonly tell: Tell;
  readonly volume: string;
  readonly onClose: () => void;
}

/** Asks how much, shows what would be done, and does it when a person says so. */
export function UndoDialog({ api, tell, volume, onClose }: UndoProps): JSX.Element {
  const words = TEXT.history;
  const [name, setName] = useState<UndoExtentName>('last');
  /** The extent stays the one that was looked at: an hour goes on. */
  const [extent, setExtent] = useState<object>(() => undoExtent('last', Date.now()));
  const [would, setWould] = useState<RestoreReport | string | null>(null);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    let isOver = false;
    const show = (next: RestoreReport | string): void => {
      if (!isOver) setWould(next);
    };
    setWould(null);
    void api
      .command<RestoreReport>('undo', { volume, extent, dryRun: true })
      .then(show, (error: unknown) =>
        show(error instanceof CallError ? lineText(error.message) : String(error)),
      );
    return () => void (isOver = true);
  }, [volume, extent]);
  const choose = (next: UndoExtentName): void => {
    setName(next);
    setExtent(undoExtent(next, Date.now()));
  };
  const undo = async (): Promise<void> => {
    setBusy(true);
    const order = { volume, extent, dryRun: false };
    const done = await tell(api.command<RestoreReport>('undo', order), undoneText);
    setBusy(false);
    if (done !== undefined) onClose();
  };
  const count = would === null || typeof would === 'string' ? 0 : would.done.length;
  return (
    <Dialog title={words.undoTitle} onClose={onClose}>
      <p class="quiet">{words.undoIntro}</p>
      <div class="field">
        <label for="undo-extent">{words.extent}</label>
        <select
          id="undo-extent"
          value={name}
          onChange={(event) => choose(event.currentTarget.value as UndoExtentName)}
        >
          {UNDO_EXTENTS.map((each) => (
            <option key={each} value={each}>
              {words.extents[each]}
            </option>
          ))}
        </select>
      </div>
      <WouldDo would={would} />
      <div class="acts">
        <button
          type="button"
          class="strong"
          disabled={count === 0 || isBusy}
          onClick={() => void undo()}
        >
          {words.undoThese(count)}
        </button>
      </div>
    </Dialog>
  );
}

function WouldDo({ would }: { readonly would: RestoreReport | string | null }): JSX.Element {
  const words = TEXT.history;
  if (would === null) return <p class="quiet">{words.looking}</p>;
  if (typeof would === 'string') return <p>{would}</p>;
  const { lines, more } = undoLines(would);
  if (lines.length === 0) return <p>{words.undoNothing}</p>;
  return (
    <ul class="would" aria-live="polite" data-list="undo">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
      {more > 0 && <li class="quiet">{words.more(more)}</li>}
    </ul>
  );
}

function undoneText({ done, failed }: RestoreReport): string {
  const words = TEXT.history;
  const [first] = failed;
  const said = words.undone(done.length);
  if (first === undefined) return said;
  return `${said}; ${words.failed(failed.length, `${lineText(first.path)}: ${lineText(first.message)}`)}`;
}

/** What is wrong and what to do about it, and the removals that wait for a decision. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { REMOVALS_HELD } from '../../../shared/control/notes.ts';
import type { ErrorStatus, StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { Api } from '../view/api.ts';
import { lineText } from '../view/format.ts';
import { problemCount, problemsOf } from '../view/problems.ts';
import { TEXT } from '../view/text.ts';
import type { Tell } from './toast.tsx';

interface PaneProps {
  readonly api: Api;
  readonly status: StatusSnapshot;
  readonly tell: Tell;
}

/**
 * Shows errors and notes with their remedies, and lets a person decide on removals that are held.
 */
export function ProblemsPane({ api, status, tell }: PaneProps): JSX.Element {
  const problems = problemsOf(status.errors);
  return (
    <>
      <h1>{TEXT.problems.title}</h1>
      {problemCount(problems) === 0 && <p class="quiet">{TEXT.problems.none}</p>}
      {problems.guards && <DeleteGuard {...{ api, tell, message: heldText(status) }} />}
      <ErrorList errors={problems.errors} />
      {problems.notes.length > 0 && <h2>{TEXT.problems.notes}</h2>}
      <ErrorList errors={problems.notes} />
    </>
  );
}

/** What the daemon says is missing, and how much. */
function heldText({ errors }: StatusSnapshot): string {
  return lineText(errors.find(({ code }) => code === REMOVALS_HELD)?.message ?? '');
}

function ErrorList({ errors }: { readonly errors: readonly ErrorStatus[] }): JSX.Element | null {
  if (errors.length === 0) return null;
  return (
    <ul class="errors">
      {errors.map(({ code, message, remedy, path }) => (
        <li key={`${code} ${path}`} class="card">
          <strong>{lineText(path === null ? message : `${path}: ${message}`)}</strong>
          <p>
            <span class="quiet">{TEXT.problems.remedy}: </span>
            {lineText(remedy)}
          </p>
        </li>
      ))}
    </ul>
  );
}

/** The answer that removes asks once more; the one that brings back does not. */
function DeleteGuard({
  api,
  tell,
  message,
}: Pick<PaneProps, 'api' | 'tell'> & { readonly message: string }): JSX.Element {
  const [asks, setAsks] = useState(false);
  const words = TEXT.problems;
  const answer = (name: 'confirm' | 'reject', said: (paths: number) => string): void => {
    setAsks(false);
    void tell(api.command<{ paths: number }>(name), ({ paths }) => said(paths));
  };
  return (
    <section class="card guard" aria-labelledby="guard-title">
      <h2 id="guard-title">{words.guardTitle}</h2>
      <p>
        <strong>{message}</strong>
      </p>
      <p>{words.guardBody}</p>
      <div class="acts">
        <button type="button" class="strong" onClick={() => answer('reject', words.rejected)}>
          {words.reject}
        </button>
        {!asks && (
          <button type="button" onClick={() => setAsks(true)}>
            {words.confirm}
          </button>
        )}
        {asks && (
          <span role="alert">
            {words.confirmSure}{' '}
            <button type="button" onClick={() => answer('confirm', words.confirmed)}>
              {words.yes}
            </button>{' '}
            <button type="button" onClick={() => setAsks(false)}>
              {words.no}
            </button>
          </span>
        )}
      </div>
    </section>
  );
}

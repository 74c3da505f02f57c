/** What needs a person, in one list: it is there only if something does. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { SideToKeep } from '../../../shared/control/resolution.ts';
import {
  needsOf,
  type ConflictNeed,
  type Need,
  type ProblemNeed,
  type Remedy,
} from '../view/needs-view.ts';
import type { Pane } from '../view/menu.ts';
import { offersOf } from '../view/shares-view.ts';
import { TEXT } from '../view/text.ts';
import { OfferRow } from './offer-row.tsx';
import { copyText, openPlace } from './open-place.ts';
import type { PaneProps } from './pane-props.ts';
import { settleConflict } from './settle-conflict.ts';
import { KindSign, Glyph } from './sign.tsx';
import { usePutOff } from './use-put-off.ts';
import { useShares } from './use-shares.ts';

interface NeedsProps extends PaneProps {
  readonly onPane: (pane: Pane) => void;
}

/** Shows the list, or nothing. */
export function NeedsCard(props: NeedsProps): JSX.Element | null {
  const { api, tell, status } = props;
  const [edition, setEdition] = useState(0);
  const { known } = useShares(api, status, edition);
  const putOff = usePutOff();
  const needs = needsOf(status);
  const all = known === null ? [] : offersOf(known);
  const offers = all.filter(({ volume }) => !putOff.has(volume));
  const around = known?.shares.find(({ isFolder }) => isFolder)?.volume ?? '';
  if (needs.length + offers.length === 0) {
    return <PutOffLine count={all.length} onAgain={putOff.clear} />;
  }
  return (
    <section class="card needs" aria-labelledby="needs-title" data-card="needs">
      <h2 id="needs-title">
        {TEXT.home.needs} <span class="badge">{needs.length + offers.length}</span>
      </h2>
      <ul class="rows">
        {needs.map((need) => (
          <li key={need.key} data-need={need.kind}>
            <NeedRow {...props} need={need} />
          </li>
        ))}
        {offers.map((offer) => (
          <li key={`offer ${offer.volume}`} data-need="offer">
            <OfferRow
              {...{ api, tell, offer, around }}
              onLater={() => putOff.add(offer.volume)}
              onDone={() => setEdition((n) => n + 1)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How an offer that was put off is found again. */
function PutOffLine(props: { count: number; onAgain: () => void }): JSX.Element | null {
  if (props.count === 0) return null;
  return (
    <button type="button" class="fold put-off" onClick={props.onAgain}>
      <Glyph of="people" /> {TEXT.shares.again(props.count)}
    </button>
  );
}

function NeedRow({ need, ...props }: NeedsProps & { readonly need: Need }): JSX.Element {
  switch (need.kind) {
    case 'held':
      return <DeleteGuard {...props} message={need.says} />;
    case 'conflict':
      return <ConflictRow {...props} need={need} />;
    case 'problem':
      return <ProblemRow {...props} need={need} />;
  }
}

function Title({
  name,
  folder,
  says,
  icon,
}: Omit<ConflictNeed, 'kind' | 'key' | 'conflict'>): JSX.Element {
  return (
    <div class="line">
      {name === '' ? <Glyph of="server" size={22} /> : <KindSign kind={icon} />}
      <p class="line-words">
        {name !== '' && (
          <>
            <b title={folder === '' ? name : `${folder}/${name}`}>{name}</b>{' '}
          </>
        )}
        <span>{says}</span>
      </p>
    </div>
  );
}

function ConflictRow({
  api,
  tell,
  onPane,
  need,
}: NeedsProps & { need: ConflictNeed }): JSX.Element {
  const { keepTheirs, keepMine, keepBoth } = TEXT.conflict;
  const settle = (side: SideToKeep): void => settleConflict(api, tell, need.conflict.id, side);
  return (
    <>
      <Title {...need} />
      <div class="acts">
        <button type="button" class="strong" onClick={() => onPane('conflicts')}>
          {TEXT.home.compare}
        </button>
        <button type="button" data-keep="theirs" onClick={() => settle('theirs')}>
          {keepTheirs}
        </button>
        <button type="button" data-keep="mine" onClick={() => settle('mine')}>
          {keepMine}
        </button>
        <button type="button" data-keep="both" onClick={() => settle('both')}>
          {keepBoth}
        </button>
      </div>
    </>
  );
}

/** An error, or a note: the remedies are buttons. */
export function ProblemRow({
  api,
  status,
  tell,
  onPane,
  need,
}: NeedsProps & { need: ProblemNeed }): JSX.Element {
  const { home } = TEXT;
  const { path, remedy, details } = need;
  const act: Record<Remedy, () => void> = {
    try: () => void tell(api.command('scan'), () => home.trying),
    show: () => openPlace(api, tell, path ?? '', true),
    address: () => onPane('settings'),
    space: () => onPane('settings'),
  };
  const labels: Record<Remedy, string> = {
    ...{ try: home.tryAgain, show: home.showFile },
    ...{ address: home.changeAddress, space: home.freeSpace },
  };
  const remedies = need.remedies.filter((each) => each !== 'show' || status.folder !== null);
  return (
    <>
      <Title {...need} />
      <p class="quiet">{remedy}</p>
      <div class="acts">
        {remedies.map((each) => (
          <button key={each} type="button" data-remedy={each} onClick={act[each]}>
            {labels[each]}
          </button>
        ))}
      </div>
      <details>
        <summary>{home.details}</summary>
        <p class="details-text">
          <code>{details}</code>
        </p>
        <button type="button" onClick={() => copyText(tell, details)}>
          {home.copyDetails}
        </button>
      </details>
    </>
  );
}

/** The answer that removes asks once more; the one that brings back does not. */
function DeleteGuard({
  api,
  tell,
  message,
}: Pick<NeedsProps, 'api' | 'tell'> & { readonly message: string }): JSX.Element {
  const [asks, setAsks] = useState(false);
  const words = TEXT.problems;
  const answer = (name: 'confirm' | 'reject', said: (paths: number) => string): void => {
    setAsks(false);
    void tell(api.command<{ paths: number }>(name), ({ paths }) => said(paths));
  };
  return (
    <section class="guard" aria-labelledby="guard-title">
      <h3 id="guard-title">{words.guardTitle}</h3>
      <p>
        <b>{message}</b>
      </p>
      <p class="quiet">{words.guardBody}</p>
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
          <span role="alert" class="sure">
            {words.confirmSure}{' '}
            <button type="button" class="danger" onClick={() => answer('confirm', words.confirmed)}>
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

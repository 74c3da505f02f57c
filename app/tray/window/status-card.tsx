/** How it is: whether all is synced or what moves, the connection, the last change, and the two things that people do here. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { FetchReport, QueueReport } from '../../../shared/control/queue.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { Burst } from '../view/burst.ts';
import { lineText } from '../view/format.ts';
import { movingView, type Moving, type OnItsWay } from '../view/moving-view.ts';
import { lastChange, type Senders } from '../view/recent-view.ts';
import {
  activityOf,
  activityText,
  attentionOf,
  changesWaiting,
  connectionText,
  headline,
  waitingText,
} from '../view/status-view.ts';
import { TEXT } from '../view/text.ts';
import { useAsked } from './asker.ts';
import { openPlace } from './open-place.ts';
import type { PaneProps } from './pane-props.ts';
import { PauseControl } from './pause-control.tsx';
import { Bar } from './row-line.tsx';
import { ActivitySign } from './sign.tsx';

/** Of what moves the first is shown; it is among the first of the queue. */
const FIRST = 8;
const NOTHING: OnItsWay = { sent: [], fetched: [] };

interface CardProps extends PaneProps {
  readonly senders: Senders;
}

/** Shows the state in large words, with what moves or what was last. */
export function StatusCard({ api, status, tell, senders }: CardProps): JSX.Element {
  const known = { kind: 'running', status } as const;
  const now = Date.now();
  const moving = useMoving(api, status);
  const { folder } = status;
  return (
    <section class="card status-card" aria-labelledby="status-title">
      <div class="status-head" role="status">
        <ActivitySign activity={activityOf(known)} attention={attentionOf(known)} size={32} />
        <div class="status-words">
          <h1 id="status-title" data-state={status.state}>
            {activityText(known)}
          </h1>
          <p class="quiet" data-connection={status.connected ? 'connected' : 'offline'}>
            {connectionText(known, now)}
          </p>
        </div>
      </div>
      {moving === null ? (
        <p class="quiet">{restText(status, senders, now)}</p>
      ) : (
        <MovingLine moving={moving} />
      )}
      <div class="acts">
        {folder !== null && (
          <button
            type="button"
            class={status.paused ? undefined : 'strong'}
            title={folder}
            onClick={() => openPlace(api, tell, '')}
          >
            {TEXT.home.openFolder}
          </button>
        )}
        <PauseControl {...{ api, status, tell }} />
      </div>
    </section>
  );
}

/** What waits, or else what was last. */
function restText(status: StatusSnapshot, senders: Senders, now: number): string {
  const known = { kind: 'running', status } as const;
  const activity = activityOf(known);
  if (activity === 'slow' || activity === 'partly') return headline(known, now);
  const waiting = waitingText(status);
  const parts = activity === 'offline' ? [waiting, TEXT.home.offlineWork] : [waiting];
  const said = parts.filter((part) => part !== '').join('. ');
  if (said !== '') return said;
  return lastChange(status, senders, now) || TEXT.home.noChange;
}

function MovingLine({ moving }: { readonly moving: Moving }): JSX.Element {
  const { name, folder, share, line, way } = moving;
  return (
    <div class="moving" data-way={way} aria-label={TEXT.home.moving} role="group">
      <p class="moving-name" title={folder === '' ? name : `${folder}/${name}`}>
        {name === '' ? <span class="quiet">{TEXT.home.preparing}</span> : <b>{name}</b>}{' '}
        <span class="quiet">{folder}</span>
      </p>
      <Bar share={share ?? 0} />
      <p class="quiet figures">{line}</p>
    </div>
  );
}

/** What is on its way, asked for while something moves. */
function useMoving(api: PaneProps['api'], status: StatusSnapshot): Moving | null {
  const [burst] = useState(() => new Burst());
  const waiting = changesWaiting(status);
  const moves = waiting > 0 || status.fetches.running > 0;
  const { told } = useAsked<OnItsWay>(
    async () => {
      if (!moves) return NOTHING;
      const { entries: sent } = await api.command<QueueReport>('queue', {
        most: FIRST,
        of: 'data',
      });
      if (status.fetches.running === 0) return { sent, fetched: [] };
      const { entries: fetched } = await api.command<FetchReport>('fetches', { most: FIRST });
      return { sent, fetched };
    },
    moves ? status.revision : 0,
  );
  return movingView(status, moves ? (told ?? NOTHING) : NOTHING, burst.look(waiting));
}

/** The same in one line, for the other parts of the window. */
export function StatusLine({ status }: { readonly status: StatusSnapshot }): JSX.Element {
  const known = { kind: 'running', status } as const;
  return (
    <p class="status-line" role="status">
      <ActivitySign activity={activityOf(known)} attention={attentionOf(known)} size={20} />
      <span>
        <b data-state={status.state}>{activityText(known)}</b>{' '}
        <span class="quiet">{lineText(connectionText(known, Date.now()))}</span>
      </span>
    </p>
  );
}

/** What people look for last: how much space is used, which server it is, what this laptop is called. */
import type { JSX } from 'preact';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { durationText, sizeText } from '../../../shared/util/amounts.ts';
import { lineText, shareOf } from '../view/format.ts';
import { TEXT } from '../view/text.ts';
import { Bar } from './row-line.tsx';
import { Glyph } from './sign.tsx';

/** Shows three small facts. */
export function HomeFoot({ status }: { readonly status: StatusSnapshot }): JSX.Element {
  const { home } = TEXT;
  const { cache, volumes, server, device, link, connected } = status;
  const quota = volumes.find((volume) => volume.quota !== null)?.quota ?? null;
  const share = quota === null ? null : shareOf(quota.used, quota.limit);
  const away = connected && link.rttMs !== null ? home.distance(durationText(link.rttMs)) : '';
  return (
    <dl class="foot">
      <div>
        <dt>
          <Glyph of="disk" /> {home.space}
        </dt>
        <dd>
          {quota === null
            ? home.here(sizeText(cache.folder?.here.bytes ?? cache.bytes))
            : home.quota(sizeText(quota.used), sizeText(quota.limit))}
          {share !== null && <Bar share={share} />}
        </dd>
      </div>
      <div>
        <dt>
          <Glyph of="server" /> {home.server}
        </dt>
        <dd>
          {lineText(server.address)} {away !== '' && <span class="quiet">{away}</span>}
        </dd>
      </div>
      <div>
        <dt>
          <Glyph of="laptop" /> {home.device}
        </dt>
        <dd>
          {lineText(device.name)}{' '}
          {device.user !== null && <span class="quiet">{lineText(device.user)}</span>}
        </dd>
      </div>
    </dl>
  );
}

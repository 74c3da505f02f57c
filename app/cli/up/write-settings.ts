/** What `godwit up` leaves in the data folder for the daemon. */
import { removeInvitation, writeConfig, writeInvitation } from '../../../shared/control/config.ts';
import type { Host } from '../../../shared/ports/host.ts';
import type { UpPlan } from './up-plan.ts';

/** In this order: settings without an invitation are those of a device that is paired. */
export function writeSettings(
  dataDir: string,
  { config, pairing, spare }: UpPlan,
  host: Host,
): void {
  const invitation = pairing ?? spare;
  if (invitation !== null) writeInvitation(dataDir, invitation, host);
  else removeInvitation(dataDir, host);
  writeConfig(dataDir, config, host);
}

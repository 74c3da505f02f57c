/** Tests of the tray: counted as skipped, with the reason, where there is nothing to start it with. */
import { itNeeds } from './browser.ts';
import { missingForElectron } from './running-tray.ts';

export const itInElectron = itNeeds(missingForElectron());

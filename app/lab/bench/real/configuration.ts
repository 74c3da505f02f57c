/** How the programs of a real run are set, beside the line between them. */
import type { Scheduling } from '../../../../shared/model/scheduling.ts';

export interface Configuration {
  /** Of the server and of all laptops. */
  readonly scheduling: Scheduling;
}

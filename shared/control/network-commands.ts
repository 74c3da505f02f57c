/** The commands about networks, and about how fast contents move. */
import { z } from 'zod';
import { MOST_NETWORK_NAME } from '../model/network.ts';
import type { TransferLimits } from '../model/transfer-limits.ts';
import { answer, type Command } from './command.ts';
import type { NetworkList } from './network.ts';
import { NETWORK_SETTINGS, SETTINGS } from './settings.ts';

export const NETWORK_COMMANDS = {
  networks: {
    says: 'What is known and ruled of networks.',
    callers: ['cli', 'window'],
    args: z.strictObject({}),
    answer: answer<NetworkList>(),
  },
  'network-rule': {
    says: 'Rules for a network: what is left out stays, null takes the rule away.',
    callers: ['cli', 'window'],
    args: z.strictObject({
      network: z.string().min(1).max(MOST_NETWORK_NAME),
      rule: z
        .strictObject({
          metered: NETWORK_SETTINGS.metered.schema.optional(),
          budget: NETWORK_SETTINGS.budget.schema.optional(),
          trickle: NETWORK_SETTINGS.trickle.schema.optional(),
          pause: NETWORK_SETTINGS.pause.schema.optional(),
        })
        .nullable(),
    }),
    answer: answer<null>(),
  },
  limits: {
    says: 'How fast contents may be sent and received on any network, in bytes a second. What is left out stays, null takes a limit away; the answer is what holds now.',
    callers: ['cli', 'window'],
    args: z.strictObject({
      upload: SETTINGS['limit.upload'].schema.optional(),
      download: SETTINGS['limit.download'].schema.optional(),
    }),
    answer: answer<TransferLimits>(),
  },
} as const satisfies Readonly<Record<string, Command>>;

import type { SETTINGS } from '../../shared/control/settings.ts';

/** Where each setting of the table is kept: its key in the rows of `meta`. A setting without a key does not compile; the keys never change. */
export const SETTING_KEYS = {
  'writeback.policy': 'writeback-policy',
  'writeback.delay': 'writeback-delay-ms',
  'writeback.dirty-limit': 'dirty-limit',
  'cache.minimum': 'cache-minimum',
  'cache.maximum': 'cache-maximum',
  'cache.reserve': 'cache-reserve',
  prefetch: 'prefetch',
  'limit.upload': 'limit-upload',
  'limit.download': 'limit-download',
  'writer.invalidations': 'invalidations',
  'writer.store-priorities': 'store-priorities',
  'reader.away': 'away-reads',
  'reader.validations': 'validations',
} as const satisfies Readonly<Record<keyof typeof SETTINGS, string>>;

/** By which front end the programs of a real run see their files. */
export const THROUGH = ['folder', 'port'] as const;
export type Through = (typeof THROUGH)[number];

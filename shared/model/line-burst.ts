/** What an experiment's line, real or simulated, lets through at once when it was idle, in bytes: two packets, as `tc tbf` is used for links of this kind. */
export const BURST_BYTES = 3000;

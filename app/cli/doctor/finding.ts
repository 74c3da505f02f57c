/** What one check of `godwit doctor` says. */
export interface Finding {
  readonly check: string;
  readonly level: 'ok' | 'warn' | 'bad';
  readonly message: string;
  /** What to do; null where nothing is wrong. */
  readonly remedy: string | null;
}

/** Makes a finding that nothing is wrong. */
export const ok = (check: string, message: string): Finding => ({
  check,
  level: 'ok',
  message,
  remedy: null,
});

/** Makes a finding that a person should look at; it leaves the exit code 0. */
export const warn = (check: string, message: string, remedy: string): Finding => ({
  check,
  level: 'warn',
  message,
  remedy,
});

/** Makes a finding of a fault; it makes the exit code 1. */
export const bad = (check: string, message: string, remedy: string): Finding => ({
  check,
  level: 'bad',
  message,
  remedy,
});

/** What one check of `godwit doctor` says. */
export interface Finding {
  readonly check: string;
  readonly level: 'ok' | 'warn' | 'bad';
  readonly message: string;
  /** What to do; null where nothing is wrong. */
  readonly remedy: string | null;
}

export const ok = (check: string, message: string): Finding => ({
  check,
  level: 'ok',
  message,
  remedy: null,
});

export const warn = (check: string, message: string, remedy: string): Finding => ({
  check,
  level: 'warn',
  message,
  remedy,
});

export const bad = (check: string, message: string, remedy: string): Finding => ({
  check,
  level: 'bad',
  message,
  remedy,
});

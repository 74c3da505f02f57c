/** A wrong argument, or a file that is not what it should be: said in one line, which names the thing, the reason and the remedy. */
export class UsageError extends Error {
  readonly #what: string;
  readonly #remedy: string;

  constructor(thing: string, reason: string, remedy = 'see `godwit sim --help`') {
    super(oneLine(`${thing}: ${reason}; ${remedy}`));
    this.name = 'UsageError';
    this.#what = oneLine(`${thing}: ${reason}`);
    this.#remedy = oneLine(remedy);
  }

  /** The form of errors with `--json`, as of every other command (app/cli/errors.ts). */
  get object(): object {
    return { error: { code: 'usage', message: this.#what, remedy: this.#remedy } };
  }
}

const LONGEST_LINE = 500;

/** Text from outside is quoted as it is, but neither moves the cursor nor fills the screen. */
function oneLine(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  return plain.length > LONGEST_LINE ? `${plain.slice(0, LONGEST_LINE)}...` : plain;
}

/** Text in HTML: names of files and programs come from traces that nobody vouches for. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Escapes a text for HTML and replaces control characters and those that change the direction of
 * writing.
 */
export function escaped(text: string): string {
  return (
    text
      .toWellFormed()
      .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
      // eslint-disable-next-line no-control-regex -- no page may have these
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
  );
}

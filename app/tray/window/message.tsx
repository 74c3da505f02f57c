/** One thing to say, in the middle of an empty page. */
import type { ComponentChildren, JSX } from 'preact';

interface MessageProps {
  readonly title: string;
  readonly body: string;
  readonly children?: ComponentChildren;
}

/** Shows a title, a text and what is given below them, as the whole page. */
export function Message({ title, body, children }: MessageProps): JSX.Element {
  return (
    <main class="message">
      <h1>{title}</h1>
      <p>{body}</p>
      {children}
    </main>
  );
}

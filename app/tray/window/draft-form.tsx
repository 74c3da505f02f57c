/** A form of the settings: Enter in one of its fields saves all that was changed. */
import type { ComponentChildren, JSX } from 'preact';
import type { Draft } from './use-draft.ts';

interface FormProps {
  readonly draft: Draft;
  readonly children: ComponentChildren;
  readonly labelledBy?: string;
  readonly class?: string;
}

/** Shows its children in a form without a button of its own. */
export function DraftForm({ draft, children, labelledBy, class: look }: FormProps): JSX.Element {
  return (
    <form
      class={look}
      aria-labelledby={labelledBy}
      onSubmit={(event) => {
        event.preventDefault();
        draft.save();
      }}
    >
      {children}
      {/* A form with several fields is sent by Enter only if it has a button. */}
      <button type="submit" class="hidden-text" tabIndex={-1} aria-hidden="true" />
    </form>
  );
}

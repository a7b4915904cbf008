import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'

/** What a {@link SubmitForm} takes. */
interface SubmitFormProps {
  /** @param value that of the button that was pressed; empty for one without a value, and for Enter */
  readonly onSubmit: (value: string) => void
  /** For buttons that stand outside of the form. */
  readonly id?: string
  /** Why it was refused the last time, or how often: when it changes, the first field that is wrong gets the focus. */
  readonly error?: unknown
  readonly children: ReactNode
}

/** A form that a program takes care of. What its fields hold is checked by the server, which knows all of the rules. */
export function SubmitForm({ onSubmit, id, error, children }: SubmitFormProps) {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error) focusFirstProblem(form.current)
  }, [error])

  return (
    <form
      ref={form}
      id={id}
      className="stack"
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        // A form within a dialog is within the page's form for React, and not for the browser.
        event.stopPropagation()
        // While it is being sent its button does nothing, but Enter in a form's only field still would.
        if (!form.current?.querySelector('button[data-pending]')) onSubmit(valueOf(event))
      }}
    >
      {children}
    </form>
  )
}

function valueOf({ nativeEvent }: FormEvent): string {
  const submitter = nativeEvent instanceof SubmitEvent ? nativeEvent.submitter : null
  return submitter?.getAttribute('value') ?? ''
}

/** The group of a number's field is marked as invalid too, and takes no focus; neither does what a choice hides. */
const wrong = ':is(input, textarea)[aria-invalid="true"], [data-invalid] :is(input:not([hidden]), button)'

/** Moves the focus to the first field of a form that is wrong, if there is one. */
export function focusFirstProblem(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>(wrong)?.focus()
}

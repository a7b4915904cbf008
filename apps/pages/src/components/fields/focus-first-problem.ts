/** The group of a number's field is marked as invalid too, and takes no focus; neither does what a choice hides. */
const wrong = ':is(input, textarea)[aria-invalid="true"], [data-invalid] :is(input:not([hidden]), button)'

/** Moves the focus to the first field of a form that is wrong, if there is one. */
export function focusFirstProblem(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>(wrong)?.focus()
}

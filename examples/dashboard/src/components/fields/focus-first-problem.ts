/** Moves the focus to the first field of a form that is wrong, if there is one. */
export function focusFirstProblem(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid] button')?.focus()
}

/**
 * Whether a key belongs to the choice of a character, where several keys make one. Safari says so by the code alone: for it
 * the composition is over before the Enter that ends it.
 */
export function isComposing(event: KeyboardEvent): boolean {
  // oxlint-disable-next-line typescript/no-deprecated
  return event.isComposing || event.keyCode === 229
}

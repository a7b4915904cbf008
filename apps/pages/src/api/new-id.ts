/** A new id that nobody guesses. `crypto.randomUUID` is not there on plain HTTP, which a server at home may speak. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

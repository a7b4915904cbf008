/**
 * A text without the secrets, also where they stand as a part of an address. Those that are empty or missing are skipped.
 *
 * @param mark Stands in place of each.
 */
export function redactSecrets(
  text: string,
  secrets: readonly (string | undefined)[],
  mark = '[hidden]',
): string {
  let hidden = text
  for (const secret of secrets) {
    if (!secret) continue
    for (const form of [secret, encodeURIComponent(secret.toWellFormed())])
      hidden = hidden.replaceAll(form, () => mark)
  }
  return hidden
}

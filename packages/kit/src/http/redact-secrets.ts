/**
 * Replaces the secrets in a text, including URL-encoded ones. Empty and missing secrets are skipped.
 *
 * @param mark text that replaces each secret.
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

/** A text without the secrets, also where they stand as a part of an address. Those that are empty or missing are skipped. */
export function hideSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  let hidden = text
  for (const secret of secrets) {
    if (!secret) continue
    for (const form of [secret, encodeURIComponent(secret.toWellFormed())])
      hidden = hidden.replaceAll(form, '[hidden]')
  }
  return hidden
}

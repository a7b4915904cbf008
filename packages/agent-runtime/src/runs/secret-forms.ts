const shortest = 6
const mark = '[secret]'

/** Takes secrets out of a text: as they are, as they stand in an address, and in base64. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) {
    for (const form of secretForms(secret)) clean = clean.replaceAll(form, mark)
  }
  return clean
}

/** How a secret may stand in a text; none for one so short that ordinary words would be taken out. */
export function secretForms(secret: string): ReadonlySet<string> {
  if (secret.length < shortest) return new Set()
  const inAddress = encodeURIComponent(secret.toWellFormed())
  return new Set([secret, inAddress, JSON.stringify(secret).slice(1, -1), toBase64(secret)])
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64').replace(/=+$/, '')
}

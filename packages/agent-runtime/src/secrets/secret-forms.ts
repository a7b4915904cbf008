/** Characters of the shortest secret that is taken out. */
export const shortestSecret = 6

/** How a secret may stand in a text; none for one so short that ordinary words would be taken out. */
export function secretForms(secret: string): ReadonlySet<string> {
  if (secret.length < shortestSecret) return new Set()
  const given = secret.toWellFormed()
  const inForm = new URLSearchParams({ x: given }).toString().slice('x='.length)
  return new Set([
    secret,
    encodeURIComponent(given),
    inForm,
    JSON.stringify(secret).slice(1, -1),
    toBase64(secret),
  ])
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64').replace(/=+$/, '')
}

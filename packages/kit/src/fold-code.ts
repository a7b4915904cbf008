/**
 * Normalizes a code that a person typed or pasted, so that it can be compared.
 *
 * Full-width letters become plain ones. Every character outside the alphabet is removed, such as spaces, quotes, and
 * the dashes that phones insert for a hyphen (RFC 8628, section 6.1).
 *
 * @param alphabet its letters are capitals
 * @example
 * foldCode('“wdjb–mjht”', 'BCDFGHJKLMNPQRSTVWXZ') // 'WDJBMJHT'
 */
export function foldCode(text: string, alphabet: string): string {
  const letters = new Set(alphabet)
  return Array.from(text.normalize('NFKC').toUpperCase(), (letter) =>
    letters.has(letter) ? letter : '',
  ).join('')
}

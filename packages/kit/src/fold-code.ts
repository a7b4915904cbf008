/**
 * A code as it is compared, however a person wrote or pasted it: wide letters count as plain ones, and every character outside
 * the alphabet is left out, such as spaces, quotes, and the dashes that phones make of a hyphen (RFC 8628, section 6.1).
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

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * Whether JSON nests deeper than `limit`. Text that is no JSON gives any answer.
 *
 * Asked before parsing, and only of bodies from the network: V8 parses 5 MiB of `[` in more than a second of CPU time and
 * 400 MB, some twenty times what other JSON of that size takes, while this answers at once. For a value that is parsed
 * already, take `isDeeperThan` of `@homeward/kit`.
 */
export function isDeeperThan(text: string, limit: number): boolean {
  if (!opensMoreThan(text, limit)) return false
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === openBracket || code === openBrace) depth += 1
    else if (code === closeBracket || code === closeBrace) depth -= 1
    if (depth > limit) return true
  }
  return false
}

/** Place of the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === backslash) at += 1
    else if (code === quote) return at
  }
  return text.length
}

/** Whether there are enough openings at all: finding them is many times faster than reading every character. */
function opensMoreThan(text: string, limit: number): boolean {
  let openings = 0
  for (const opening of ['{', '[']) {
    for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, at + 1)) {
      openings += 1
      if (openings > limit) return true
    }
  }
  return false
}

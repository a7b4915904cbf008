import { parseDocument } from 'yaml'

/** A top-level key with its value, up to the next line that is not indented. */
const entry = /^([A-Za-z_][\w.-]*):[ \t]+(\S.*(?:\r?\n(?:[ \t]+.*|[ \t]*(?=\r?\n)))*)/gm
/** More than a manifest has: each is tried by itself. */
const maxEntries = 200

/**
 * Puts quotes around top-level values that YAML cannot read as they stand, and that are text for everybody else: with a
 * colon, or beginning with a word in brackets, `@`, `*` or the like. What begins a list, a mapping, a text in quotes or
 * a block and does not end it stays broken.
 *
 * @returns undefined when there is nothing to quote.
 */
export function quotePlainValues(text: string): string | undefined {
  let count = 0
  const quoted = text.replaceAll(entry, (whole, key: string, given: string) => {
    count += 1
    const value = given.trimEnd()
    if (count > maxEntries || !isMeantAsText(value) || (!isUnknownAlias(value, text) && isReadable(whole)))
      return whole
    const lines = value.split(/\r?\n/).map((line) => line.trim())
    // as many lines as before, so that errors further on have the right place
    return `${key}: ${JSON.stringify(lines.filter((line) => line !== '').join(' '))}${'\n'.repeat(given.split('\n').length - 1)}`
  })
  return quoted === text || count > maxEntries ? undefined : quoted
}

function isReadable(text: string): boolean {
  const { errors, warnings } = parseDocument(text, { prettyErrors: false, logLevel: 'silent' })
  return errors.length + warnings.length === 0
}

/** Tags, anchors and blocks are meant as YAML; lists, mappings and quotes are, unless something stands behind their end. */
function isMeantAsText(value: string): boolean {
  if (/^[!&|>]/.test(value)) return false
  if (value.startsWith('"')) return /^"(?:[^"\\]|\\.)*"\s*[^\s#]/.test(value)
  if (value.startsWith("'")) return /^'(?:[^']|'')*'\s*[^\s#]/.test(value)
  return !/^[[{]/.test(value) || hasTextBehind(value)
}

function hasTextBehind(value: string): boolean {
  let depth = 0
  for (const [at, character] of Array.from(value).entries()) {
    if (character === '[' || character === '{') depth += 1
    if (character === ']' || character === '}') depth -= 1
    if (depth === 0)
      return /^\s*[^\s#]/.test(
        Array.from(value)
          .slice(at + 1)
          .join(''),
      )
  }
  return false
}

/** `*.ts` reads as an alias, of an anchor that nobody has set. */
function isUnknownAlias(value: string, text: string): boolean {
  const name = /^\*(\S+)/.exec(value)?.[1]
  return name !== undefined && !text.includes(`&${name}`)
}

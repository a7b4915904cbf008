/** A quick test for texts that cannot hold a long integer. */
const longDigits = /\d{16}/
/** A string begins, or a whole integer of 16 digits and more. */
const tokens = /"|(?<![\w.+-])-?\d{16,}(?![\w.+])/g

/** Whether a text is an integer that loses digits as a JavaScript number. */
export const isLongInteger = (text: string): boolean =>
  /^-?\d{16,}$/.test(text) && String(Number(text)) !== text

/**
 * Puts quotes around the integers of a JSON text that a JavaScript number cannot hold, so that parsing changes no
 * digit.
 *
 * `{"id":2512292042121000001}` becomes `{"id":"2512292042121000001"}`. The time is proportional to the length of the
 * text.
 */
export function quoteLongIntegers(text: string): string {
  if (!longDigits.test(text)) return text
  const parts: string[] = []
  let copied = 0
  const search = new RegExp(tokens)
  for (let found = search.exec(text); found; found = search.exec(text)) {
    const [token] = found
    if (token === '"') search.lastIndex = endOfString(text, found.index)
    else if (isLongInteger(token)) {
      parts.push(text.slice(copied, found.index), '"', token, '"')
      copied = search.lastIndex
    }
  }
  return parts.join('') + text.slice(copied)
}

/** The position after a string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x5c) at += 1
    else if (code === 0x22) return at + 1
  }
  return text.length
}

/**
 * Like `JSON.parse`, but an integer that a JavaScript number cannot hold becomes a string of its digits. Bounds of a
 * JSON Schema stay numbers, because a rounded bound still works.
 *
 * @throws {SyntaxError} if the text is not JSON
 */
export function parseExactJson(
  text: string,
  reviver?: (this: unknown, key: string, value: unknown) => unknown,
): unknown {
  const quoted = quoteLongIntegers(text)
  const value: unknown = JSON.parse(quoted, reviver)
  if (quoted !== text) restoreBounds(value)
  return value
}

const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']

/**
 * Turns the bounds of JSON Schemas anywhere in a value back into numbers, in place:
 * `{"type":"integer","maximum":"9223372036854775807"}`.
 */
export function restoreBounds(value: unknown): void {
  const open = [value]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one !== 'object' || one === null) continue
    const type: unknown = Reflect.get(one, 'type')
    if (type === 'integer' || type === 'number')
      for (const bound of bounds) {
        const text: unknown = Reflect.get(one, bound)
        if (typeof text === 'string' && isLongInteger(text)) Reflect.set(one, bound, Number(text))
      }
    for (const entry of Object.values(one)) if (typeof entry === 'object' && entry !== null) open.push(entry)
  }
}

/**
 * Whether a JSON value nests deeper than `maxDepth`. The check itself goes no deeper.
 *
 * Call it after parsing: `JSON.parse` accepts any depth, but functions such as `JSON.stringify` overflow the stack. A
 * value with a cycle is deeper than any limit.
 */
export function isDeeperThan(value: unknown, maxDepth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return maxDepth === 0 || Object.values(value).some((entry) => isDeeperThan(entry, maxDepth - 1))
}

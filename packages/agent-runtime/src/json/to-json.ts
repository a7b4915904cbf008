import type { Json } from '@homeward/contract/agent-platform'

const maxDepth = 64

/**
 * What a tool gave as plain JSON of a bounded size: `undefined` becomes null, a bigint the text of its digits, dates and the like
 * what `JSON.stringify` makes of them. Plain values are passed on without a copy. Half of a surrogate pair becomes U+FFFD: a provider would
 * refuse it, and with it every later turn of the conversation.
 *
 * What is larger than `maxChars` becomes `{ truncated: true, chars, text }`: how long its JSON is, and its beginning.
 *
 * @throws {TypeError} when it cannot be written as JSON: cycles, functions at the top.
 */
export function toBoundedJson(given: unknown, maxChars: number): Json {
  if (given === undefined) return null
  const value = typeof given === 'string' ? given.toWellFormed() : given
  const size = plainSize(value, 0, maxChars)
  // plainSize saw only what JSON has
  if (size !== undefined && size <= maxChars) return value as Json
  if (typeof value === 'string') return { truncated: true, chars: value.length, text: cut(value, maxChars) }
  const text = toText(value)
  if (text === undefined) throw new TypeError('it is not a JSON value')
  if (text.length > maxChars) return { truncated: true, chars: text.length, text: cut(text, maxChars) }
  const copy = toCopy(text)
  if (plainSize(copy, 0, Infinity) === undefined) throw tooDeep()
  return copy as Json
}

// Both directions need stack for each level, and say of too many only that there was none left. Which of them runs out
// first differs from one version of V8 to the next.

function toText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, bigintToText)
  } catch (error) {
    throw error instanceof RangeError && isDeep(value) ? tooDeep() : error
  }
}

function toCopy(text: string): unknown {
  try {
    return JSON.parse(text, toWellFormed)
  } catch (error) {
    throw error instanceof RangeError ? tooDeep() : error
  }
}

const tooDeep = () => new TypeError('it is nested too deeply')

/** Whether a value has more levels than {@link toBoundedJson} takes. Looks at no more itself. */
export function isDeep(value: unknown, levels = maxDepth): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((entry) => isDeep(entry, levels - 1))
}

/** For `JSON.stringify`: an integer of any size keeps its digits. */
export const bigintToText = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value

/** Whether a value holds an integer that may have had other digits before it became a number. */
export function hasRoundedInteger(value: Json): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasRoundedInteger)
}

/** For `JSON.parse`: texts that any provider and any store takes. */
export const toWellFormed = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed() : value

/** The first `length` characters, never half of a surrogate pair. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd8_00 && last <= 0xdb_ff ? length - 1 : length)
}

/** Roughly the length of the value's JSON; undefined when it holds anything that JSON does not have, or half a character. */
function plainSize(value: unknown, depth: number, limit: number): number | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? value.length + 2 : undefined
  if (typeof value === 'number') return Number.isFinite(value) ? 8 : undefined
  if (typeof value === 'boolean' || value === null) return 5
  if (typeof value !== 'object' || depth >= maxDepth) return undefined
  return Array.isArray(value) ? arraySize(value, depth, limit) : objectSize(value, depth, limit)
}

function arraySize(values: readonly unknown[], depth: number, limit: number): number | undefined {
  let size = 2
  for (const value of values) {
    const part = plainSize(value, depth + 1, limit)
    if (part === undefined) return undefined
    size += part + 1
    if (size > limit) return size
  }
  return size
}

function objectSize(value: object, depth: number, limit: number): number | undefined {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return undefined
  if ('toJSON' in value) return undefined
  let size = 2
  for (const key of Object.keys(value)) {
    const entry: unknown = value[key as keyof typeof value] // a key of its own
    const part = plainSize(entry, depth + 1, limit)
    if (part === undefined) return undefined
    size += key.length + part + 4
    if (size > limit) return size
  }
  return size
}

/** Whether the value's JSON has about so many characters at most. */
export function isSmallJson(value: Json, maxChars: number): boolean {
  return (plainSize(value, 0, maxChars) ?? Infinity) <= maxChars
}

/** A copy of plain JSON; several times faster than `structuredClone`. */
export function copyJson<T extends Json>(value: T): T {
  return copy(value) as T // the copy has the shape of what it was made from
}

function copy(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copy)
  const copied: { [key: string]: Json } = {}
  for (const key of Object.keys(value)) {
    // an assignment to this name would set the prototype
    if (key === '__proto__')
      Object.defineProperty(copied, key, { value: copy(value[key] ?? null), enumerable: true })
    else copied[key] = copy(value[key] ?? null)
  }
  return copied
}

/**
 * Whether a text in a value, names of its fields too, passes a test. Texts with less than `length` characters do not.
 * Makes nothing, so it is cheap to ask.
 */
export function someString(value: Json, length: number, pattern: Pick<RegExp, 'test'>): boolean {
  if (typeof value === 'string') return value.length >= length && pattern.test(value)
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((entry) => someString(entry, length, pattern))
  // not Object.keys: this is asked for every event, and JSON inherits nothing
  for (const key in value) {
    if ((key.length >= length && pattern.test(key)) || someString(value[key] ?? null, length, pattern))
      return true
  }
  return false
}

/** The same value with other texts, names of its fields too; the very same when none changes. */
export function mapStrings(value: Json, map: (text: string) => string): Json {
  if (typeof value === 'string') return map(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return mapArray(value, (entry) => mapStrings(entry, map))
  const mapped = mapObject(value, (entry) => mapStrings(entry, map))
  const renamed = Object.entries(mapped).map(([key, entry]) => [map(key), entry] as const)
  return renamed.some(([key]) => !Object.hasOwn(mapped, key)) ? Object.fromEntries(renamed) : mapped
}

function mapArray(values: Json[], map: (value: Json) => Json): Json[] {
  const mapped = values.map((value) => map(value))
  return mapped.some((value, index) => value !== values[index]) ? mapped : values
}

/** An object with other entries; the very same when none changes. */
export function mapObject(
  value: { [key: string]: Json },
  map: (entry: Json, key: string) => Json,
): { [key: string]: Json } {
  let changed = false
  const entries = Object.entries(value).map(([key, entry]) => {
    const mapped = map(entry, key)
    if (mapped !== entry) changed = true
    return [key, mapped] as const
  })
  return changed ? Object.fromEntries(entries) : value
}

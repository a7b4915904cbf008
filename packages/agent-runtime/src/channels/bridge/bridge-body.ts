/** An object of a body that others wrote. */
export type Fields = Readonly<Record<string, unknown>>

/** The value when it is an object; else none of its fields is there. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

/** The first of the values that names something: a text that is not blank, or a number that is exact. */
export function nameOf(...values: readonly unknown[]): string | undefined {
  for (const value of values) {
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
    // rounded, it would name another one: ids of 64 bits
    if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  }
  return undefined
}

/** The first of the values that is true. */
export function isTrue(...values: readonly unknown[]): boolean {
  return values.includes(true)
}

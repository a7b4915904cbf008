/** Fields that hold JSON of somebody else's, in which `null` is a value. */
const foreign: ReadonlySet<string> = new Set(['provider_options', 'output_schema'])

/** The same fields with those gone that have no value, at every depth; JSON of somebody else's stays as it is. */
export function withoutBlanks<T extends object>(fields: T): Present<T> {
  const kept = Object.entries(fields).flatMap(([key, value]: [string, unknown]) => {
    if (value === undefined || value === null) return []
    return [[key, isRecord(value) && !foreign.has(key) ? withoutBlanks(value) : value]]
  })
  return Object.fromEntries(kept) as Present<T> // the same keys, but for those without a value
}

/** `T` where nothing is null, and what may be undefined is absent instead. */
type Present<T> = {
  [Key in keyof T as undefined extends T[Key] ? never : null extends T[Key] ? never : Key]: T[Key]
} & {
  [Key in keyof T as undefined extends T[Key] ? Key : null extends T[Key] ? Key : never]?: NonNullable<T[Key]>
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

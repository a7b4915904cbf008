/**
 * A secret that is set comes from the server as `true`, and goes back as `true` to keep it or as `null` to remove it. The
 * schema knows nothing of that: this gives one that takes both in the place of each secret.
 */
export function acceptKeptSecrets(schema: object): object {
  return relax(schema, 0) as object // an object stays one
}

const known = new WeakMap<object, object>()
/** Deeper than any schema that is meant, far below what overflows a stack. */
const maxDepth = 200

function relax(schema: unknown, depth: number): unknown {
  if (typeof schema !== 'object' || schema === null || depth > maxDepth) return schema
  const before = known.get(schema)
  if (before) return before
  const relaxed = Array.isArray(schema)
    ? schema.map((entry: unknown) => relax(entry, depth + 1))
    : relaxObject(schema, depth)
  known.set(schema, relaxed)
  return relaxed
}

function relaxObject(schema: object, depth: number): object {
  const entries = Object.entries(schema).map(([key, value]) => [key, relax(value, depth + 1)] as const)
  const relaxed = Object.fromEntries(entries)
  return isSecretSchema(schema) ? { anyOf: [{ enum: [true, null] }, relaxed] } : relaxed
}

/** Whether what a schema describes is never shown. */
export function isSecretSchema(schema: object): boolean {
  return Reflect.get(schema, 'format') === 'password' || Reflect.get(schema, 'writeOnly') === true
}

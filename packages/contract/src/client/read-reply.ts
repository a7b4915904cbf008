import * as z from 'zod/mini'

/** Fields that are dropped from one response before it counts as invalid. */
const maxDropped = 100

/**
 * Parses a response that was read from JSON. Optional fields of another shape count as absent, because an extension that
 * a client cannot use must not cost the documented fields. Changes `value`.
 */
export function readReply<Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
): z.core.util.SafeParseResult<z.core.output<Schema>> {
  let parsed = z.safeParse(schema, value)
  for (let left = maxDropped; left > 0 && !parsed.success; left -= 1) {
    if (!dropOptional(schema, value, parsed.error.issues[0]?.path ?? [])) break
    parsed = z.safeParse(schema, value)
  }
  return parsed
}

type Keyed = Record<PropertyKey, unknown>
type Schema = z.core.$ZodType & { readonly _zod: { readonly def: Definition } }
/** What the kinds of schemas that lie on the way to a field have, read without knowing the kind. */
interface Definition {
  readonly shape?: Readonly<Record<PropertyKey, Schema>>
  readonly element?: Schema
  readonly valueType?: Schema
  readonly innerType?: Schema
  readonly options?: readonly Schema[]
}

/** Removes the innermost optional field that holds the value at `path`; false when all fields on the way are required. */
function dropOptional(schema: z.core.$ZodType, value: unknown, path: readonly PropertyKey[]): boolean {
  let found: (() => boolean) | undefined
  let within = [schema as Schema] // its definition is only read by names that it may lack
  let held = value as Keyed // a path of an issue leads through objects and arrays only
  for (const key of path) {
    const holder = held
    const next = within.flatMap((one) => toMembers(one, key))
    if (next.some((one) => one._zod.optin === 'optional')) found = () => delete holder[key]
    within = next
    held = holder[key] as Keyed
  }
  return found?.() ?? false
}

function toMembers(schema: Schema, key: PropertyKey): Schema[] {
  const { shape, element, valueType, innerType, options } = schema._zod.def
  if (innerType) return toMembers(innerType, key)
  if (options) return options.flatMap((option) => toMembers(option, key))
  const member = shape ? Object.hasOwn(shape, key) && shape[key] : (element ?? valueType)
  return member ? [member] : []
}

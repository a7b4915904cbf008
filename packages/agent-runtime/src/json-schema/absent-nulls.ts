import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { isJsonObject } from '../json/json-object.ts'
import type { JsonSchema } from './compile-schema.ts'

/** How many references are followed, and how deep a value is read. */
const maxDepth = 64

/**
 * Leaves out the properties that are `null`, optional, and not allowed to be `null` by their schema: models that must name
 * every property have no other way to leave one out.
 *
 * @returns the same value if there is nothing to leave out
 */
export function withoutAbsentNulls<T extends Json>(schema: JsonSchema, value: T): T {
  if (!hasNull(value)) return value
  const root = schema as JsonObject // what of it is not JSON is not looked at

  function walk(schema: Json | undefined, given: Json, depth: number): Json {
    if (depth > maxDepth || typeof given !== 'object' || given === null) return given
    const rules = schemasOf(root, schema, depth)
    if (Array.isArray(given)) {
      const items = given.map((item, index) => walkAll(itemSchemas(rules, index), item, depth))
      return items.some((item, index) => item !== given[index]) ? items : given
    }
    const kept: [string, Json][] = []
    let isSame = true
    for (const [key, entry] of Object.entries(given)) {
      const schemas = rules.flatMap((rule) => propertyOf(rule, key))
      if (entry === null && isAbsent(rules, key, schemas, depth)) isSame = false
      else {
        const changed = walkAll(schemas, entry, depth)
        if (changed !== entry) isSame = false
        kept.push([key, changed])
      }
    }
    return isSame ? given : Object.fromEntries(kept)
  }

  const walkAll = (schemas: readonly Json[], given: Json, depth: number) =>
    schemas.reduce((changed: Json, schema) => walk(schema, changed, depth + 1), given)

  const isAbsent = (rules: readonly JsonObject[], key: string, schemas: readonly Json[], depth: number) =>
    schemas.length > 0 &&
    !rules.some(({ required }) => Array.isArray(required) && required.includes(key)) &&
    !schemas.every((schema) => allowsNull(root, schema, depth + 1))

  return walk(root, value, 0) as T // only properties are left out
}

function hasNull(value: Json, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return value === null
  return depth <= maxDepth && Object.values(value).some((entry) => hasNull(entry, depth + 1))
}

/** The schema itself, where its reference leads, and the schemas of which all or some hold. */
function schemasOf(root: JsonObject, schema: Json | undefined, depth: number): JsonObject[] {
  const found: JsonObject[] = []
  const open: { readonly schema: Json | undefined; readonly left: number }[] = [
    { schema, left: maxDepth - depth },
  ]
  for (let next = open.pop(); next && found.length < 100; next = open.pop()) {
    const { schema: one, left } = next
    if (!isJsonObject(one) || left <= 0) continue
    found.push(one)
    const { $ref, allOf, anyOf, oneOf } = one
    const others = [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []))
    for (const other of [...others, resolve(root, $ref)]) open.push({ schema: other, left: left - 1 })
  }
  return found
}

function resolve(root: JsonObject, ref: Json | undefined): Json | undefined {
  if (ref === '#') return root
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined
  let place: Json | undefined = root
  for (const part of ref.slice(2).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    place = isJsonObject(place) && Object.hasOwn(place, name) ? place[name] : undefined
  }
  return place
}

const propertyOf = ({ properties }: JsonObject, key: string): Json[] =>
  isJsonObject(properties) && Object.hasOwn(properties, key) ? [properties[key] ?? true] : []

const itemSchemas = (rules: readonly JsonObject[], index: number): Json[] =>
  rules.flatMap(({ items, prefixItems }): Json[] => {
    const own = Array.isArray(prefixItems) ? prefixItems[index] : undefined
    if (own !== undefined) return [own]
    return items === undefined || Array.isArray(items) ? [] : [items]
  })

/** Whether a schema lets `null` pass, as far as its types, its values and its alternatives say. */
function allowsNull(root: JsonObject, schema: Json | undefined, depth: number): boolean {
  if (!isJsonObject(schema)) return schema !== false
  if (depth > maxDepth) return true
  const { type, nullable, $ref, allOf, anyOf, oneOf } = schema
  const allows = (one: Json) => allowsNull(root, one, depth + 1)
  if (nullable === true) return true
  if (type !== undefined && ![type].flat().includes('null')) return false
  if ('const' in schema && schema['const'] !== null) return false
  if (Array.isArray(schema['enum']) && !schema['enum'].includes(null)) return false
  if ($ref !== undefined && !allowsNull(root, resolve(root, $ref), depth + 1)) return false
  if (Array.isArray(allOf) && !allOf.every(allows)) return false
  return [anyOf, oneOf].every((list) => !Array.isArray(list) || list.some(allows))
}

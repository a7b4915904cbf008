import { isJsonObject } from '../json/json-object.ts'
import type { JsonObject, Json } from '@homeward/contract/agent-platform'
import { readPattern } from './read-pattern.ts'

/** A schema without the rules that cannot be checked. */
interface RelaxedSchema {
  readonly schema: JsonObject
  /** Keywords that were left out, such as `pattern`. */
  readonly skippedRanges: ReadonlySet<string>
}

const types: ReadonlySet<unknown> = new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'object',
  'array',
  'null',
])
/** What these hold is a value, not a schema. */
const values: ReadonlySet<string> = new Set(['const', 'default', 'example', 'examples', 'enum'])
const schemas = 'additionalItems additionalProperties contains else if items not propertyNames then'
const oneSchema: ReadonlySet<string> = new Set(`${schemas} unevaluatedItems unevaluatedProperties`.split(' '))
const schemaLists: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const schemaMaps: ReadonlySet<string> = new Set(
  '$defs definitions dependentSchemas patternProperties properties'.split(' '),
)
const isCount = (value: Json) => Number.isInteger(value) && Number(value) >= 0
const isText = (value: Json) => typeof value === 'string'
const isTexts = (value: Json) =>
  Array.isArray(value) && new Set(value).size === value.length && value.every(isText)
const isNever = () => false

/** Values that a keyword may have; others leave it out. */
const valid: Readonly<Record<string, (value: Json) => boolean>> = {
  ...each(
    'maxLength minLength maxItems minItems maxProperties minProperties maxContains minContains',
    isCount,
  ),
  ...each('maximum minimum exclusiveMaximum exclusiveMinimum', (value) => Number.isFinite(value)),
  ...each('$id $anchor $dynamicAnchor $comment format contentEncoding contentMediaType', isText),
  ...each('$dynamicRef $recursiveRef', isText),
  // of other dialects
  ...each('id $async divisibleBy extends disallow', isNever),
  type: (value) =>
    (Array.isArray(value) ? isTexts(value) && value.length > 0 : true) &&
    [value].flat().every((one) => types.has(one)),
  enum: (value) => Array.isArray(value) && value.length > 0,
  multipleOf: (value) => Number.isFinite(value) && Number(value) > 0,
  required: isTexts,
  uniqueItems: (value) => typeof value === 'boolean',
  dependentRequired: (value) => isJsonObject(value) && Object.values(value).every(isTexts),
}

function each(names: string, check: (value: Json) => boolean) {
  return Object.fromEntries(names.split(' ').map((name) => [name, check]))
}

/**
 * Leaves out of a schema the rules that nobody can check: keywords of other dialects, values that a keyword cannot have,
 * patterns that are not of JavaScript, references that lead nowhere. What is left allows at least what the author's
 * schema allows.
 *
 * @param isRecent Whether it is read as draft 2019-09 or later.
 */
export function relaxSchema(root: JsonObject, isRecent: boolean): RelaxedSchema {
  const skippedRanges = new Set<string>()
  const anchors = new Set<string>()
  collectAnchors(root, anchors)

  function relax(given: Json): Json {
    if (typeof given === 'boolean') return given
    if (!isJsonObject(given)) return leave('schema', true)
    const schema: Record<string, Json> = {}
    for (const [key, value] of Object.entries(given)) {
      const kept = relaxKeyword(key, value)
      if (kept !== undefined) schema[key] = kept
      // a bound of draft 4 is put into words of today below, and an id says nothing
      else if (key !== 'id' && !(key.startsWith('exclusive') && typeof value === 'boolean')) leave(key, true)
    }
    return mend(given, schema)
  }

  function leave(key: string, instead: Json): Json {
    skippedRanges.add(key)
    return instead
  }

  /** @returns undefined for one that is left out */
  function relaxKeyword(key: string, value: Json): Json | undefined {
    if (values.has(key) && key !== 'enum') return value
    if (key === 'pattern') return readPattern(value) === undefined ? undefined : value
    if (key === '$ref')
      return typeof value === 'string' && leadsSomewhere(root, value, anchors) ? value : undefined
    if (key === 'items' && Array.isArray(value)) return isRecent ? undefined : value.map(relax)
    if (schemaLists.has(key)) return Array.isArray(value) && value.length > 0 ? value.map(relax) : undefined
    if (schemaMaps.has(key)) return isJsonObject(value) ? relaxMap(key, value) : undefined
    if (key === 'dependencies')
      return isJsonObject(value) ? mapValues(value, (one) => (isTexts(one) ? one : relax(one))) : undefined
    if (oneSchema.has(key))
      return isJsonObject(value) || typeof value === 'boolean' ? relax(value) : undefined
    const check = Object.hasOwn(valid, key) ? valid[key] : undefined
    if (check) return check(value) ? value : undefined
    // a keyword that says nothing to us may hold schemas that a reference leads to
    return isJsonObject(value) ? relax(value) : value
  }

  function relaxMap(key: string, value: JsonObject): JsonObject {
    const readable = Object.entries(value).filter(
      ([name]) => key !== 'patternProperties' || readPattern(name) !== undefined,
    )
    if (readable.length < Object.keys(value).length) leave(key, true)
    return Object.fromEntries(readable.map(([name, schema]) => [name, relax(schema)]))
  }

  /** Rules that would be stricter without the part that was left out are left out too. */
  function mend(given: JsonObject, schema: Record<string, Json>): JsonObject {
    const isLess = (key: string) => JSON.stringify(given[key]) !== JSON.stringify(schema[key])
    const drop = (...keys: readonly string[]) => {
      for (const key of keys) if (Reflect.deleteProperty(schema, key) && key in given) leave(key, true)
    }
    if ('not' in schema && isLess('not')) drop('not')
    if ('if' in given && isLess('if')) drop('if', 'then', 'else')
    if ('contains' in given && isLess('contains')) drop('maxContains')
    if ('patternProperties' in given && isLess('patternProperties'))
      drop('additionalProperties', 'unevaluatedProperties')
    if (
      ['$ref', 'anyOf', 'oneOf', 'allOf', 'items', 'prefixItems'].some((key) => key in given && isLess(key))
    )
      drop('unevaluatedProperties', 'unevaluatedItems')
    if (Array.isArray(given['items']) && isRecent) drop('additionalItems')
    if ('oneOf' in schema && isLess('oneOf') && !('anyOf' in schema)) schema['anyOf'] = schema['oneOf'] ?? []
    if ('oneOf' in schema && isLess('oneOf')) drop('oneOf')
    // OpenAPI 3.0, and draft 4
    if ('nullable' in given) mendNullable(given, schema)
    for (const [flag, bound] of exclusiveBounds)
      if (given[flag] === true && typeof schema[bound] === 'number') {
        schema[flag] = schema[bound]
        Reflect.deleteProperty(schema, bound)
      }
    return schema
  }

  return { schema: relax(root) as JsonObject, skippedRanges } // of an object comes an object
}

const exclusiveBounds = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const

/** Says `nullable` in the words of JSON Schema. */
function mendNullable({ nullable }: JsonObject, schema: Record<string, Json>): void {
  Reflect.deleteProperty(schema, 'nullable')
  if (nullable !== true) return
  const { type, enum: allowed } = schema
  if (type !== undefined) schema['type'] = [...new Set([type, 'null'].flat())]
  if (Array.isArray(allowed) && !allowed.includes(null)) schema['enum'] = [...allowed, null]
}

const mapValues = (object: JsonObject, change: (value: Json) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]))

function collectAnchors(value: Json, anchors: Set<string>): void {
  if (Array.isArray(value)) for (const one of value) collectAnchors(one, anchors)
  if (!isJsonObject(value)) return
  const { $id, $anchor } = value
  if (typeof $id === 'string') anchors.add($id)
  if (typeof $anchor === 'string') anchors.add(`#${$anchor}`)
  for (const one of Object.values(value)) collectAnchors(one, anchors)
}

/** Whether a reference leads to a schema in the document. */
function leadsSomewhere(root: JsonObject, ref: string, anchors: ReadonlySet<string>): boolean {
  if (ref === '#' || anchors.has(ref)) return true
  if (!ref.startsWith('#/')) return false
  let place: Json | undefined = root
  for (const part of ref.slice(2).split('/')) {
    const name = decodePart(part)
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, name)) return false
    place = Reflect.get(place, name) as Json // own property of a JSON value
  }
  return isJsonObject(place) || typeof place === 'boolean'
}

function decodePart(part: string): string {
  const plain = part.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}

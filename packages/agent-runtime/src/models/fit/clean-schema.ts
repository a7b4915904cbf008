import type { JSONSchema7 } from '@ai-sdk/provider'
import type { PropertyNames } from './property-names.ts'

/** What is known while the schema of a tool is fitted. */
export interface SchemaContext {
  readonly root: object
  readonly names: PropertyNames
  /** Schemas that references lead to, by what they refer to. */
  readonly definitions: Map<object, { readonly name: string; schema: JSONSchema7 }>
  /** Schemas looked at so far. */
  nodes: number
}

/** Beyond these a schema is replaced by one that allows everything: no model reads so much of it. */
export const maxNodes = 5000
const maxDepth = 50

const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])
const counts = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const
const numbers = ['minimum', 'maximum', 'multipleOf'] as const
const texts = ['title', 'description', 'format'] as const

type Fields = Record<string, unknown>

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Leaves of a schema what every provider accepts; see `toWireSchema`. */
export function cleanSchema(value: unknown, context: SchemaContext, depth = 0): JSONSchema7 {
  context.nodes += 1
  if (!isObject(value) || depth > maxDepth || context.nodes > maxNodes) return {}
  const reference = toReference(value, context, depth)
  if (reference) return reference
  const clean: Fields = {}
  for (const key of texts) if (typeof value[key] === 'string') clean[key] = value[key]
  for (const key of counts) if (isCount(value[key])) clean[key] = value[key]
  for (const key of numbers) if (Number.isFinite(value[key])) clean[key] = value[key]
  if (!(Number(clean['multipleOf'] ?? 1) > 0)) delete clean['multipleOf']
  if (value['uniqueItems'] === true) clean['uniqueItems'] = true
  if ('default' in value) clean['default'] = value['default']
  addBounds(clean, value)
  addPattern(clean, value)
  addValues(clean, value)
  addObject(clean, value, context, depth)
  addItems(clean, value, context, depth)
  addBranches(clean, value, context, depth)
  return clean
}

/** `exclusiveMinimum: true` of draft 4 is a number today. */
function addBounds(clean: Fields, value: Fields): void {
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (Number.isFinite(value[exclusive])) clean[exclusive] = value[exclusive]
    else if (value[exclusive] === true && bound in clean) {
      clean[exclusive] = clean[bound]
      delete clean[bound]
    }
  }
}

/** A pattern that is no regular expression of the standard would cost the request. */
function addPattern(clean: Fields, { pattern }: Fields): void {
  if (typeof pattern !== 'string') return
  try {
    void new RegExp(pattern, 'u')
    clean['pattern'] = pattern
  } catch {
    // left out: the model is told by the check of its arguments
  }
}

function addValues(clean: Fields, value: Fields): void {
  const given = Array.isArray(value['type']) ? value['type'] : [value['type']]
  const allowed = [...new Set(given.filter((type) => types.has(type as string)))]
  const isNullable = value['nullable'] === true && allowed.length > 0 && !allowed.includes('null')
  if (isNullable) allowed.push('null')
  if (allowed.length > 0) clean['type'] = allowed.length === 1 ? allowed[0] : allowed
  const values = 'const' in value ? [value['const']] : value['enum']
  if (!Array.isArray(values) || values.length === 0) return
  const distinct = new Map(values.map((each) => [JSON.stringify(each), each as unknown]))
  if (value['nullable'] === true) distinct.set('null', null)
  clean['enum'] = [...distinct.values()]
}

function addObject(clean: Fields, value: Fields, context: SchemaContext, depth: number): void {
  const { properties, required, additionalProperties: more } = value
  const isTyped = clean['type'] === 'object'
  if (!isObject(properties) && !isTyped) return
  const wire: Record<string, JSONSchema7> = {}
  for (const [name, schema] of Object.entries(isObject(properties) ? properties : {})) {
    if (schema === false) continue
    Object.defineProperty(wire, context.names.toWire(name), {
      value: cleanSchema(schema, context, depth + 1),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  clean['properties'] = wire
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
  const existing = [...new Set(names.map((name) => context.names.toWire(name)))].filter((name) =>
    Object.hasOwn(wire, name),
  )
  if (existing.length > 0) clean['required'] = existing
  if (typeof more === 'boolean') clean['additionalProperties'] = more
  else if (isObject(more)) clean['additionalProperties'] = cleanSchema(more, context, depth + 1)
}

/** OpenAI requires `items` of every list. Each place of a tuple becomes one of the kinds that an item may have. */
function addItems(clean: Fields, value: Fields, context: SchemaContext, depth: number): void {
  const { items, prefixItems } = value
  const places = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined
  if (places) {
    const kinds = places.map((place) => cleanSchema(place, context, depth + 1))
    clean['items'] = kinds.length > 0 ? { anyOf: kinds } : {}
  } else if (isObject(items)) clean['items'] = cleanSchema(items, context, depth + 1)
  else if ([clean['type']].flat().includes('array')) clean['items'] = {}
}

function addBranches(clean: Fields, value: Fields, context: SchemaContext, depth: number): void {
  for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) {
    const branches = value[keyword]
    if (!Array.isArray(branches)) continue
    const kept = branches.filter(isObject).map((branch) => cleanSchema(branch, context, depth + 1))
    // A branch that says nothing any more allows everything, and so does a choice with one.
    const says = kept.filter((branch) => Object.keys(branch).length > 0)
    if (says.length > 0 && (keyword === 'allOf' || says.length === kept.length)) clean[keyword] = says
  }
}

function toReference(value: Fields, context: SchemaContext, depth: number): JSONSchema7 | undefined {
  const target = referenceTarget(value, context.root)
  if (!target) return undefined
  let definition = context.definitions.get(target)
  if (!definition) {
    definition = { name: `d${context.definitions.size + 1}`, schema: {} }
    context.definitions.set(target, definition)
    definition.schema = cleanSchema(withoutReference(target), context, depth + 1)
  }
  return { $ref: `#/$defs/${definition.name}` }
}

/** What a chain of references at the top leads to. */
export function resolveReference(schema: object, root: object): Fields {
  let current = schema as Fields // schemas are objects with string keys
  for (let hops = 0; hops < 20; hops += 1) {
    const target = referenceTarget(current, root)
    if (!target) return current
    current = target
  }
  return {}
}

const withoutReference = (schema: Fields): Fields =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$ref'))

/** The schema that a local reference names; undefined when there is none, or it leads nowhere. */
function referenceTarget({ $ref }: Fields, root: object): Fields | undefined {
  if (typeof $ref !== 'string' || !$ref.startsWith('#')) return undefined
  let current: unknown = root
  for (const token of $ref.slice(1).split('/').slice(1)) {
    const key = decode(token)
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined
    current = (current as Fields)[key]
  }
  return isObject(current) ? current : undefined
}

function decode(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return token
  }
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0

/** Every property name of a schema, wherever it stands. */
export function propertyNamesIn(schema: object): Set<string> {
  const found = new Set<string>()
  const waiting: { readonly value: unknown; readonly depth: number }[] = [{ value: schema, depth: 0 }]
  for (let looked = 0; waiting.length > 0 && looked < 20 * maxNodes; looked += 1) {
    const { value, depth } = waiting.pop()!
    if (typeof value !== 'object' || value === null || depth > 2 * maxDepth) continue
    for (const [key, item] of Object.entries(value)) {
      if (key === 'properties' && isObject(item)) for (const name of Object.keys(item)) found.add(name)
      waiting.push({ value: item, depth: depth + 1 })
    }
  }
  return found
}

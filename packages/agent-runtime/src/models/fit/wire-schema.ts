import type { JSONSchema7 } from '@ai-sdk/provider'
import { createPropertyNames, type PropertyNames } from './property-names.ts'
import {
  cleanSchema,
  isObject,
  maxNodes,
  propertyNamesIn,
  resolveReference,
  type SchemaContext,
} from './clean-schema.ts'

/** Parameters of a tool as every provider accepts them. Arguments are still checked against the tool's own schema. */
interface WireSchema {
  readonly schema: JSONSchema7
  readonly names: PropertyNames
}

const known = new WeakMap<object, WireSchema>()

/**
 * Fits the parameters of a tool to what OpenAI, Anthropic and Google accept: an object with `properties` at the top and no
 * combinators there, keywords of JSON Schema 2020-12 with values of the right kind, lists with `items`, references that lead
 * somewhere, required properties that exist, and property names of letters, digits, `_`, `.` and `-`. What does not fit is left
 * out, because a provider refuses the whole request for one schema. The result is kept for as long as the schema is.
 */
export function toWireSchema(schema: object): WireSchema {
  const found = known.get(schema)
  if (found) return found
  const names = createPropertyNames(propertyNamesIn(schema))
  const context: SchemaContext = { root: schema, names, definitions: new Map(), nodes: 0 }
  const top = foldTop(schema, context, 0)
  const { properties = {}, required, description, additionalProperties } = cleanSchema(top, context)
  const definitions = Object.fromEntries(
    [...context.definitions.values()].map(({ name, schema }) => [name, schema]),
  )
  const fitted: WireSchema = {
    schema: {
      type: 'object',
      ...(description !== undefined && { description }),
      properties,
      ...(required && { required }),
      ...(additionalProperties !== undefined && { additionalProperties }),
      ...(context.definitions.size > 0 && { $defs: definitions }),
    },
    names,
  }
  known.set(schema, fitted)
  return fitted
}

type Fields = Record<string, unknown>

/** Takes the combinators at the top apart: what each branch knows of properties goes into one object. */
function foldTop(schema: object, context: SchemaContext, depth: number): Fields {
  context.nodes += 1
  // Branches that refer to themselves would multiply at every level.
  if (depth > 10 || context.nodes > maxNodes) return { properties: {} }
  const source = resolveReference(schema, context.root)
  const { properties, required } = source
  const folded: { properties: Fields; required: Set<unknown> } = {
    properties: isObject(properties) ? { ...properties } : {},
    required: new Set(Array.isArray(required) ? required : []),
  }
  for (const branch of branchesOf(source, 'allOf')) {
    const part = foldTop(branch, context, depth + 1)
    addProperties(folded.properties, part)
    for (const name of (part['required'] as unknown[] | undefined) ?? []) folded.required.add(name)
  }
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const parts = branchesOf(source, keyword).map((branch) => foldTop(branch, context, depth + 1))
    for (const part of parts) addProperties(folded.properties, part)
    for (const name of inAll(parts)) folded.required.add(name)
  }
  const { description, additionalProperties } = source
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    properties: folded.properties,
    required: [...folded.required],
    ...(typeof additionalProperties === 'boolean' && { additionalProperties }),
  }
}

const branchesOf = (schema: Fields, keyword: string): readonly object[] => {
  const branches = schema[keyword]
  return Array.isArray(branches) ? branches.filter(isObject) : []
}

/** A property that two branches describe may be either. */
function addProperties(properties: Fields, part: Fields): void {
  for (const [name, schema] of Object.entries(part['properties'] as Fields)) {
    const other = Object.hasOwn(properties, name) ? properties[name] : undefined
    const isSame = other === undefined || JSON.stringify(other) === JSON.stringify(schema)
    define(properties, name, isSame ? schema : { anyOf: [other, schema] })
  }
}

/** Names that every branch requires. */
function inAll(parts: readonly Fields[]): unknown[] {
  const [first, ...others] = parts.map((part) => (part['required'] as unknown[] | undefined) ?? [])
  return (first ?? []).filter((name) => others.every((names) => names.includes(name)))
}

/** Sets a property, also one named `__proto__`. */
function define(target: Fields, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
}

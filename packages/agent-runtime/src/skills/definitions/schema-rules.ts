import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { createReferences, type FollowReferences, unknownRules } from './schema-references.ts'

/** Every schema that says something about one place of a config: the schema itself, what it refers to, its branches. */
export interface Rules {
  readonly follow: FollowReferences
  readonly schemas: readonly JsonObject[]
}

/** A schema may refer to itself in ever new combinations; none that is meant needs as many. */
const maxSchemas = 1000

/** The rules of the config as a whole. */
export function rulesOf(schema: JsonObject): Rules {
  return expand(createReferences(schema), [schema])
}

/** The rules of a property. Patterns of names are not tried: each counts for every name. */
export function rulesOfProperty({ follow, schemas }: Rules, name: string): Rules {
  return expand(
    follow,
    schemas.flatMap((schema) => [
      own(schema['properties'], name),
      ...Object.values(toObject(schema['patternProperties'])),
      ...(isNamed(schema, name) ? [] : [schema['additionalProperties'], schema['unevaluatedProperties']]),
    ]),
  )
}

/** The rules of an entry of a list. */
export function rulesOfItem({ follow, schemas }: Rules, index: number): Rules {
  return expand(
    follow,
    schemas.flatMap((schema) => [
      Array.isArray(schema['items']) ? schema['items'][index] : schema['items'],
      toList(schema['prefixItems'])[index],
      schema['additionalItems'],
      schema['unevaluatedItems'],
      schema['contains'],
    ]),
  )
}

/** Whether what stands there is never shown: `format: password` or `writeOnly`. */
export function isSecret({ schemas }: Rules): boolean {
  return schemas.some((schema) => schema['format'] === 'password' || schema['writeOnly'] === true)
}

/** Names of the properties that are secret and that the schema names. */
export function secretNames(rules: Rules): string[] {
  const names = new Set(rules.schemas.flatMap((schema) => Object.keys(toObject(schema['properties']))))
  return [...names].filter((name) => isSecret(rulesOfProperty(rules, name)))
}

function expand(follow: FollowReferences, given: readonly (Json | undefined)[]): Rules {
  const found = new Set<JsonObject>()
  const waiting = [...given]
  while (waiting.length > 0 && found.size < maxSchemas) {
    const schema = toObject(waiting.pop())
    if (found.has(schema)) continue
    found.add(schema)
    waiting.push(
      ...follow(schema),
      ...['allOf', 'anyOf', 'oneOf'].flatMap((key) => toList(schema[key])),
      ...['if', 'then', 'else'].map((key) => schema[key]),
      ...['dependentSchemas', 'dependencies'].flatMap((key) => Object.values(toObject(schema[key]))),
    )
  }
  // what was not looked at may say that the place is secret
  if (waiting.length > 0) found.add(unknownRules)
  return { follow, schemas: [...found] }
}

function isNamed(schema: JsonObject, name: string): boolean {
  return Object.hasOwn(toObject(schema['properties']), name)
}

function own(value: Json | undefined, name: string): Json | undefined {
  const object = toObject(value)
  return Object.hasOwn(object, name) ? object[name] : undefined
}

const nothing: JsonObject = {}

function toObject(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : nothing
}

function toList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

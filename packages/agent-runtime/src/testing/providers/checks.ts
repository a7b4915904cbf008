import type { Json } from '@homeward/contract/agent-platform'
import { Refusal } from './mock-provider.ts'

/** An object of a request's body. */
export type Fields = { readonly [key: string]: Json }

export const isFields = (value: Json | undefined): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The objects of a list; refuses what is no list of objects. */
export function listOf(value: Json | undefined, where: string): readonly Fields[] {
  refuseIf(!Array.isArray(value), `${where}: Input should be a valid list`)
  return (value as readonly Json[]).map((item, index) => {
    refuseIf(!isFields(item), `${where}.${index}: Input should be an object`)
    return item as Fields
  })
}

export function refuseIf(isRefused: boolean, message: string): void {
  if (isRefused) throw new Refusal(message)
}

/** Pictures that every service with pictures reads. */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** Refuses what is not base64 of something. */
export function checkBase64(value: Json | undefined, where: string): void {
  const isBase64 =
    typeof value === 'string' &&
    value !== '' &&
    /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value)
  refuseIf(!isBase64, `${where}: Invalid base64 data`)
}

/** A value of a body as a message names it. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')

const combinators = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'if', '$ref'] as const

/** What all services want of a tool's parameters. */
export function checkParameters(schema: Json | undefined, where: string): void {
  refuseIf(!isFields(schema) || schema['type'] !== 'object', `${where}: schema must be of type "object"`)
  const top = schema as Fields
  refuseIf(!isFields(top['properties']), `${where}: object schema missing properties`)
  for (const keyword of combinators) {
    refuseIf(keyword in top, `${where}: schema must not have '${keyword}' at the top level`)
  }
  checkSchema(top, where, top)
}

const typeNames = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])
const kinds: Readonly<Record<string, string>> = {
  minLength: 'number',
  maxLength: 'number',
  minItems: 'number',
  maxItems: 'number',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'number',
  pattern: 'string',
  format: 'string',
  title: 'string',
  description: 'string',
  uniqueItems: 'boolean',
}

function checkSchema(schema: Json | undefined, where: string, root: Fields): void {
  if (typeof schema === 'boolean' || schema === undefined) return
  refuseIf(!isFields(schema), `${where}: JSON schema is invalid`)
  const fields = schema as Fields
  for (const [keyword, kind] of Object.entries(kinds)) {
    refuseIf(
      keyword in fields && typeof fields[keyword] !== kind,
      `${where}.${keyword}: JSON schema is invalid`,
    )
  }
  const types = [fields['type'] ?? []].flat()
  refuseIf(!types.every((type) => typeNames.has(type as string)), `${where}.type: JSON schema is invalid`)
  refuseIf(Array.isArray(fields['enum']) && fields['enum'].length === 0, `${where}.enum: must not be empty`)
  refuseIf(types.includes('array') && !('items' in fields), `${where}: array schema missing items`)
  checkPattern(fields['pattern'], where)
  checkReference(fields['$ref'], where, root)
  checkProperties(fields, where, root)
  checkSchema(fields['items'], `${where}.items`, root)
  if (isFields(fields['additionalProperties'])) checkSchema(fields['additionalProperties'], where, root)
  for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) {
    if (!(keyword in fields)) continue
    const branches = listOf(fields[keyword], `${where}.${keyword}`)
    refuseIf(branches.length === 0, `${where}.${keyword}: must not be empty`)
    for (const branch of branches) checkSchema(branch, `${where}.${keyword}`, root)
  }
}

function checkProperties(fields: Fields, where: string, root: Fields): void {
  const properties = isFields(fields['properties']) ? fields['properties'] : {}
  for (const [name, schema] of Object.entries(properties)) {
    refuseIf(!/^[a-zA-Z0-9_.-]{1,64}$/.test(name), `${where}.properties: Property keys should match pattern`)
    checkSchema(schema, `${where}.${name}`, root)
  }
  for (const name of Array.isArray(fields['required']) ? fields['required'] : []) {
    refuseIf(
      !Object.hasOwn(properties, textOf(name)),
      `${where}.required: property "${textOf(name)}" is not defined`,
    )
  }
}

function checkPattern(pattern: Json | undefined, where: string): void {
  if (typeof pattern !== 'string') return
  try {
    void new RegExp(pattern, 'u')
  } catch {
    throw new Refusal(`${where}.pattern: is not a "regex"`)
  }
}

function checkReference(reference: Json | undefined, where: string, root: Fields): void {
  if (reference === undefined) return
  const name =
    typeof reference === 'string' && reference.startsWith('#/$defs/') ? reference.slice(8) : undefined
  const definitions = root['$defs']
  const isKnown = name !== undefined && isFields(definitions) && Object.hasOwn(definitions, name)
  refuseIf(!isKnown, `${where}.$ref: "${textOf(reference)}" leads nowhere`)
}

/**
 * What services want of the schema of an answer: an object at the top, and no further properties in any object.
 *
 * @param isStrict - whether each property has to be required too, as in OpenAI's strict mode
 */
export function checkAnswerSchema(schema: Json | undefined, where: string, isStrict: boolean): void {
  refuseIf(!isFields(schema) || schema['type'] !== 'object', `${where}: schema must be of type "object"`)
  checkSchema(schema, where, schema as Fields)
  checkClosed(schema, where, isStrict)
}

function checkClosed(value: Json | undefined, where: string, isStrict: boolean): void {
  if (Array.isArray(value)) for (const item of value) checkClosed(item, where, isStrict)
  if (!isFields(value)) return
  if (isFields(value['properties'])) {
    const isClosed = value['additionalProperties'] === false
    refuseIf(!isClosed, `${where}: 'additionalProperties' is required to be supplied and to be false`)
    const required = Array.isArray(value['required']) ? value['required'] : []
    const missing = Object.keys(value['properties']).find((name) => !required.includes(name))
    refuseIf(isStrict && missing !== undefined, `${where}: 'required' must include '${textOf(missing)}'`)
  }
  for (const item of Object.values(value)) checkClosed(item, where, isStrict)
}

/** Names of tools that every service accepts. */
export function checkToolName(name: Json | undefined, where: string): void {
  refuseIf(
    typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name),
    `${where}.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`,
  )
}

import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { isJsonObject } from '../../json/json-object.ts'

const maxBytes = 65_536
const places = new Set(['path', 'query', 'header', 'body', 'row'])
const bodiless = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS'])

const ownHeaders =
  /^(host|content-length|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|authorization|cookie|idempotency-key|accept-encoding|proxy-.*)$/i

/**
 * A JSON Schema of a tool's arguments, from what skills write: a JSON Schema, a list of `{name, in, ...}` as in
 * OpenAPI, or an object of parameters by name. For HTTP tools every property says where it goes.
 *
 * @throws {Error} whose message says what is wrong.
 */
export function toToolParameters(given: unknown, http?: { method: string; path: string }): JsonObject {
  const schema = toSchema(toJson(given ?? {}))
  const properties = schema['properties'] ?? {}
  if (!isJsonObject(properties)) throw new Error('properties of its parameters must be an object')
  const read: JsonObject = {}
  for (const [name, property] of Object.entries(properties)) {
    if (!isJsonObject(property)) throw new Error(`its parameter "${name}" must be a schema`)
    // an assignment to it would set a prototype
    if (name === '__proto__') throw new Error('a parameter cannot be called "__proto__"')
    read[name] = http === undefined ? property : { ...property, in: placeOf(name, property, http) }
  }
  return { ...schema, type: 'object', properties: read }
}

/** Names of the places for parameters in a path: `{name}`, `{{name}}`, `:name`. `{{base}}` at its start is none. */
function pathPlaces(path: string): string[] {
  return [...path.replace(basePattern, '/').matchAll(placePattern)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  )
}

/** The base address at the start of a path. */
export const basePattern = /^\{\{\s*base\s*\}\}\/*/

/** One place in a path. A colon counts at the start of a segment only: `/v1/things:batch` has none. */
export const placePattern = /\{\{\s*([\w.-]+)\s*\}\}|\{([\w.-]+)\}|(?<=\/):([A-Za-z_]\w*)/g

/** Placeholder of the paths of `verify` and `undo` for the key of the call. */
export const keyPlace = 'idempotency_key'
/** Prefix of placeholders for a part of the result. */
export const resultPlace = 'result.'

/** Names of the places of the path of a `verify` or an `undo` that neither an argument nor the key fills. */
export function unknownPlaces(path: string, inputSchema: JsonObject): string[] {
  const { properties } = inputSchema
  const isKnown = (name: string) =>
    name === keyPlace || (isJsonObject(properties) && Object.hasOwn(properties, name))
  return pathPlaces(path).filter((name) => !isKnown(name))
}

/** What an HTTP tool takes that names no parameters: the places of its path, `query` and `body`. */
export function plainParameters(path: string): JsonObject {
  const places = pathPlaces(path)
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(places.map((name) => [name, { type: ['string', 'number'], in: 'path' }])),
      query: { type: 'object', description: 'Parameters of the query string.' },
      body: { description: 'JSON body of the request.' },
    },
    required: places,
    additionalProperties: false,
  }
}

/** Whether a model may choose a header: not what a connection is made of, nor what says who asks. */
function isOpenHeader(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name) && !ownHeaders.test(name)
}

function placeOf(name: string, property: JsonObject, http: { method: string; path: string }): string {
  const said = property['in']
  if (said !== undefined && (typeof said !== 'string' || !places.has(said))) {
    throw new Error(`its parameter "${name}" must be in path, query, header, body or row`)
  }
  const inPath = pathPlaces(http.path).includes(name)
  if (said === 'path' && !inPath) throw new Error(`its path has no placeholder for the parameter "${name}"`)
  if (said === 'header' && !isOpenHeader(name))
    throw new Error(`its parameter "${name}" must not be sent as this header`)
  if (typeof said === 'string') return said
  if (inPath) return 'path'
  return bodiless.has(http.method) ? 'query' : 'body'
}

function toSchema(given: Json): JsonObject {
  if (Array.isArray(given)) return listToSchema(given)
  if (!isJsonObject(given)) throw new Error('its parameters must be a JSON Schema of an object')
  const type = given['type']
  const isSchema = isJsonObject(given['properties']) || type === 'object' || Object.keys(given).length === 0
  if (isSchema) return given
  if (typeof type === 'string') throw new Error('its parameters must be a JSON Schema of type object')
  return listToSchema(
    Object.entries(given).map(([name, entry]) =>
      isJsonObject(entry) ? { name, ...entry } : { name, entry },
    ),
  )
}

function listToSchema(list: readonly Json[]): JsonObject {
  const properties = new Map<string, Json>()
  const required: string[] = []
  for (const entry of list) {
    if (!isJsonObject(entry) || typeof entry['name'] !== 'string' || 'entry' in entry) {
      throw new Error('each of its parameters must be an object with a name')
    }
    const { name, required: isRequired, schema, ...rest } = entry
    // "required: [a, b]" of an object's own schema is no mark of the parameter
    const own = typeof isRequired === 'boolean' || isRequired === undefined ? {} : { required: isRequired }
    properties.set(name, { ...(isJsonObject(schema) ? schema : {}), ...rest, ...own })
    if (isRequired === true || entry['in'] === 'path') required.push(name)
  }
  const schema = { type: 'object', properties: Object.fromEntries(properties) }
  return required.length > 0 ? { ...schema, required } : schema
}

/** Takes apart what YAML made, so that nothing but JSON stays: no dates, no cycles. @throws {Error} */
export function toJson(given: unknown, name = 'parameters'): Json {
  let text: string | undefined
  try {
    text = JSON.stringify(given)
  } catch {
    throw new Error(`its ${name} are not JSON`)
  }
  if (text === undefined || text.length > maxBytes)
    throw new Error(`its ${name} must have at most 64 KiB of JSON`)
  return JSON.parse(text) as Json // what stringify wrote
}

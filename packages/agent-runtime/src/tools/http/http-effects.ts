import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { isJsonObject } from '../../json/json-object.ts'
import { createSchemaCompiler } from '../../json-schema/schema-compiler.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { Verification } from '../../ports/tool.ts'
import type { HttpEffectRequest, HttpToolDefinition } from '../../skills/definitions/tool-definition.ts'
import { keyPlace, resultPlace, unknownPlaces } from '../../skills/definitions/tool-parameters.ts'
import type { ServiceReply } from './http-tool.ts'

/** A call of an HTTP tool, and how to reach its service. */
export interface HttpCall {
  readonly definition: HttpToolDefinition
  readonly args: JsonObject
  /** Key of the call. */
  readonly idempotencyKey: string
  /** Sends a request of the tool with these arguments. */
  send(definition: HttpToolDefinition, args: JsonObject): Promise<ServiceReply>
}

/**
 * Asks a service whether a call took effect. 404 and a body that does not match say that it did not. Any other error, such as
 * 401, 429 or 500, and a body that cannot be read as JSON, say nothing.
 */
export async function verifyCall(
  call: HttpCall,
  { when, ...request }: NonNullable<HttpToolDefinition['verify']>,
): Promise<Verification> {
  const reply = await sendAbout(call, request, {})
  if (reply.status === 404) return notHappened
  if (!reply.ok) return unknown
  const happened = { happened: true, result: reply } as const
  if (when === undefined) return happened
  if (reply.truncated || reply.note !== undefined || typeof reply.data === 'string') return unknown
  // most schemas of an object let null pass
  if (reply.data === null) return notHappened
  const schema = await createSchemaCompiler().compile(when)
  const findings = await schema.check(reply.data)
  if ('unknown' in findings || schema.unchecked !== undefined) return unknown
  return findings.length === 0 ? happened : notHappened
}

const unknown = { happened: 'unknown' } as const
const notHappened = { happened: false } as const

/**
 * Takes a call back. Sent again after a crash, a DELETE may find nothing: then the call is undone.
 *
 * @throws {RuntimeError} `run_error` if the service rejected the call itself, or rejects the undo
 */
export async function undoCall(
  call: HttpCall,
  request: NonNullable<HttpToolDefinition['undo']>,
  result: Json,
): Promise<ServiceReply> {
  if (isJsonObject(result) && result['ok'] === false)
    throw failed('the service rejected the call itself, so nothing was undone.')
  const reply = await sendAbout(call, request, placesOf(call.definition, request.path, result))
  const isGone = request.method === 'DELETE' && (reply.status === 404 || reply.status === 410)
  if (!reply.ok && !isGone) throw failed(`the service replied with ${reply.status}.`)
  return reply
}

const failed = (fact: string) => new RuntimeError('run_error', `Undoing the call failed: ${fact}`)

/** Sends a request whose path holds values. Headers and credentials are those of the tool. The request has an empty body. */
function sendAbout(
  { definition, args, idempotencyKey, send }: HttpCall,
  { method, path }: HttpEffectRequest,
  more: JsonObject,
): Promise<ServiceReply> {
  const { list: _, ...rest } = definition
  const values = { ...defaultsOf(definition), ...more, ...args, [keyPlace]: idempotencyKey }
  const properties = Object.fromEntries(Object.keys(values).map((name) => [name, { in: 'path' }]))
  const request = { ...rest, method, path, plain: false, inputSchema: { type: 'object', properties } }
  return send(request, values)
}

function defaultsOf({ inputSchema: { properties } }: HttpToolDefinition): JsonObject {
  const entries = isJsonObject(properties) ? Object.entries(properties) : []
  return Object.fromEntries(
    entries.flatMap(([name, property]): [string, Json][] => {
      const value = isJsonObject(property) ? property['default'] : undefined
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** The values of the places of a path that are parts of the result. A part that is missing is null, which no path may hold. */
function placesOf({ inputSchema }: HttpToolDefinition, path: string, result: Json): JsonObject {
  const names = unknownPlaces(path, inputSchema)
  return Object.fromEntries(names.map((name) => [name, valueAt(result, name.slice(resultPlace.length))]))
}

function valueAt(result: Json, path: string): Json {
  let value = result
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null
    value = (value as JsonObject)[key] ?? null // a list has its indexes as keys
  }
  return typeof value === 'object' ? null : value
}

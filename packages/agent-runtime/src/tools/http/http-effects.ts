import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { createSchemaCompiler } from '../../json-schema/schema-compiler.ts'
import type { EffectContext, Verification } from '../../ports/tool.ts'
import type { HttpEffectRequest, HttpToolDefinition } from '../../skills/definitions/tool-definition.ts'
import { keyPlace } from '../../skills/definitions/tool-parameters.ts'
import { isJsonObject } from '../../json/json-object.ts'
import type { LoadedSkill } from '../../skills/skill-library.ts'
import type { SkillToolContext } from '../skill-tool-context.ts'
import { callService } from './http-tool.ts'

/**
 * Asks a service whether a call took effect. 404 and a body that does not match say that it did not. Any other error, such as
 * 401, 429 or 500, and a body that cannot be read as JSON, say nothing.
 */
export async function verifyCall(
  definition: HttpToolDefinition,
  args: JsonObject,
  skill: LoadedSkill,
  context: SkillToolContext,
  about: EffectContext,
): Promise<Verification> {
  const { verify } = definition
  if (!verify) return unknown
  const asked = toRequest(definition, verify)
  const values = { ...withDefaults(definition, args), [keyPlace]: about.idempotencyKey }
  const reply = await callService(asked, values, skill, context, about)
  if (reply.status === 404) return notHappened
  if (!reply.ok) return unknown
  const happened = { happened: true, result: reply } as const
  if (verify.when === undefined) return happened
  if (reply.truncated || reply.note !== undefined || typeof reply.data === 'string') return unknown
  // most schemas of an object let null pass
  if (reply.data === null) return notHappened
  const schema = await createSchemaCompiler().compile(verify.when)
  const findings = await schema.check(reply.data)
  if ('unknown' in findings || schema.unchecked !== undefined) return unknown
  return findings.length === 0 ? happened : notHappened
}

const unknown = { happened: 'unknown' } as const
const notHappened = { happened: false } as const

/** A tool that sends this request: all values fill places of its path. Headers and credentials are those of the tool. */
function toRequest(definition: HttpToolDefinition, { method, path }: HttpEffectRequest): HttpToolDefinition {
  const { list: _, ...rest } = definition
  const names = [...Object.keys(propertiesOf(definition)), keyPlace]
  const properties = Object.fromEntries(names.map((name) => [name, { in: 'path' }]))
  return { ...rest, method, path, plain: false, inputSchema: { type: 'object', properties } }
}

function withDefaults(definition: HttpToolDefinition, args: JsonObject): JsonObject {
  const entries = Object.entries(propertiesOf(definition)).flatMap(([name, property]): [string, Json][] => {
    const value = isJsonObject(property) ? property['default'] : undefined
    return value === undefined ? [] : [[name, value]]
  })
  return { ...Object.fromEntries(entries), ...args }
}

function propertiesOf({ inputSchema }: HttpToolDefinition): JsonObject {
  const { properties } = inputSchema
  return isJsonObject(properties) ? properties : {}
}

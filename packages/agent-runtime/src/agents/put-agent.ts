import { isDeepStrictEqual } from 'node:util'
import { AgentInput, type Agent, type JsonObject } from '@homeward/contract/agent-platform'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { standardOf } from '../host-input/standard-schema.ts'
import { schemaRemedy, toJsonSchema } from '../host-input/to-json-schema.ts'
import { parseInput } from '../host-input/parse-input.ts'
import type { AgentCode } from '../ports/agent-code.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { AgentStore } from '../store/ports/agent-store.ts'
import { checkTools } from '../tools/check-tools.ts'
import { splitDefinition, type AgentDefinition } from './agent-definition.ts'
import { toAgent } from './to-agent.ts'

/** What an error about a definition begins with. */
export const putting = 'Putting an agent'

const maxTries = 3

/** Checks a definition. @throws {RuntimeError} `validation_error` */
export async function readDefinition(definition: AgentDefinition): Promise<{
  readonly id: string
  readonly code: AgentCode
  readonly fields: AgentInput
}> {
  const { input, code, outputSchema } = splitDefinition(definition)
  checkTools(putting, 'tools', code.tools)
  const output_schema = standardOf(outputSchema)
    ? await toJsonSchema(outputSchema as StandardSchemaV1, noSchema)
    : outputSchema
  // a schema that is no object is found below
  const given = {
    ...input,
    ...(output_schema !== undefined && { output_schema: output_schema as JsonObject }),
  }
  return { id: input.id, code, fields: parseInput(AgentInput, given, putting) }
}

const noSchema = (problem: string, cause?: unknown) =>
  new RuntimeError('validation_error', `${putting} failed: "output_schema" ${problem}. ${schemaRemedy}`, {
    cause,
  })

/**
 * Makes the stored agent the same as these fields, and writes nothing if it is (D28).
 *
 * @throws {RuntimeError} `conflict` if others create and delete it at the same time
 */
export async function putAgent(
  store: AgentStore,
  id: string,
  fields: AgentInput,
  timestamp: () => string,
  signal: AbortSignal | undefined,
): Promise<Agent> {
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const before = await store.findAgent(id, signal)
    const at = timestamp()
    const times = { created_at: before?.created_at ?? at, updated_at: at }
    const agent = toAgent(fields, { id, version: before?.version ?? 1, ...times })
    if (before && isDeepStrictEqual(toJson({ ...agent, updated_at: before.updated_at }), toJson(before)))
      return before
    const version = before
      ? await store.replaceAgent(agent, undefined, signal)
      : (await store.insertAgent(agent, undefined, signal)) && 1
    if (version) return { ...agent, version }
    // another process has created or deleted it since
  }
  throw new RuntimeError(
    'conflict',
    `${putting} failed: other requests keep creating and deleting "${id}". Try again.`,
    {
      retryable: true,
    },
  )
}

const toJson = (agent: Agent): unknown => JSON.parse(JSON.stringify(agent))

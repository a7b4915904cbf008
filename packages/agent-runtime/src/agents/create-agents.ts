import type { Agent, AgentInput, AgentPatch, ReportTarget } from '@homeward/contract/agent-platform'
import { createKeyedMutex } from '../concurrency/keyed-mutex.ts'
import { createSchemaCheck } from '../json-schema/schema-problem.ts'
import type { AgentStore, AgentVersionStore } from '../store/ports/agent-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { checkSchedule } from '../schedules/check-schedule.ts'
import type { AgentCode } from '../ports/agent-code.ts'
import type { AgentDefinition } from './agent-definition.ts'
import { createAgentVersions } from './agent-versions.ts'
import type { Agents } from './agents.ts'
import { assertSameId } from './assert-same-id.ts'
import { mergeAgent } from './merge-agent.ts'
import { putAgent, putting, readDefinition } from './put-agent.ts'
import { toAgent } from './to-agent.ts'

/** What {@link createAgents} is built from. */
interface AgentsOptions {
  readonly store: AgentStore
  /** Versions of all agents, also of those in files. */
  readonly versions: Pick<AgentVersionStore, 'listAgentVersions' | 'findAgentVersion'>
  /** Texts that must not stand in what versions changed. @default none */
  readonly secrets?: () => Promise<readonly string[]>
  /** Checks that a channel knows each conversation. @throws {RuntimeError} that begins with what was attempted */
  readonly checkReportTo?: (targets: readonly ReportTarget[], attempt: string) => Promise<void>
  readonly now: () => number
  readonly createId: () => string
  /** Where the code of agents is registered. @default nowhere */
  readonly code?: Map<string, AgentCode>
  /** Forgets what people decided about the agent's later tool calls. @default nothing is remembered */
  readonly forgetApprovals?: (agentId: string) => Promise<unknown>
}

/**
 * Changes an agent, after the changes before. `toFields` gives its new fields, or undefined to leave it as it is.
 *
 * @throws {RuntimeError} `not_found`; what `check` finds, which `toFields` may call.
 */
export type ChangeAgent = (
  id: string,
  attempt: string,
  signal: AbortSignal | undefined,
  toFields: (
    before: Agent,
    check: (fields: AgentPatch) => Promise<void>,
  ) => AgentInput | undefined | Promise<AgentInput | undefined>,
) => Promise<Agent>

/** Agents over a store (A3). */
export function createAgents(options: AgentsOptions): Agents {
  const { store, checkReportTo, now, createId, forgetApprovals } = options
  async function check(fields: AgentPatch, attempt: string): Promise<void> {
    await checkSchedule(fields, attempt)
    await checkSchemas(fields, attempt)
    const { report_to: targets } = fields
    if (targets && targets.length > 0) await checkReportTo?.(targets, attempt)
  }

  const schemaProblem = createSchemaCheck()
  async function checkSchemas({ output_schema, approvals }: AgentPatch, attempt: string): Promise<void> {
    const given = [
      ['output_schema', output_schema] as const,
      ...(approvals ?? []).map(({ when }, index) => [`approvals.${index}.when`, when] as const),
    ]
    for (const [field, schema] of given) {
      if (!schema) continue // absent, or cleared
      const problem = await schemaProblem(schema)
      if (problem !== undefined) {
        const text = `${attempt} failed: "${field}" is not a valid JSON Schema: ${problem}.`
        throw new RuntimeError('validation_error', text)
      }
    }
  }

  const timestamp = () => new Date(now()).toISOString()
  /** Changes of one agent go one after the other: each merges into what the one before has left. */
  const inTurn = createKeyedMutex()

  const notFound = (attempt: string, id: string) =>
    new RuntimeError(
      'not_found',
      `${attempt} failed: no agent has the id "${id.slice(0, 100)}". List the agents to find it.`,
    )

  const change: ChangeAgent = (id, attempt, signal, toFields) =>
    inTurn(id, async () => {
      const before = await get(id, attempt, signal)
      const fields = await toFields(before, (own) => check(own, attempt))
      if (!fields) return before
      const agent = toAgent(fields, { ...before, updated_at: timestamp() })
      const version = await store.replaceAgent(agent, undefined, signal)
      if (version === undefined) throw notFound(attempt, id)
      return { ...agent, version }
    })

  async function get(id: string, attempt: string, signal?: AbortSignal): Promise<Agent> {
    const agent = await store.findAgent(id, signal)
    if (agent) return agent
    throw notFound(attempt, id)
  }

  return {
    templates: async () => [...(await import('./agent-templates.ts')).agentTemplates],
    list: (signal) => store.listAgents(signal),
    find: (id, signal) => store.findAgent(id, signal),

    get: (id, signal) => get(id, 'Getting an agent', signal),
    ...createAgentVersions({ ...options, assertExists: get, change }),

    async create(given, signal) {
      const { id = newId(createId), ...fields } = given
      await check(fields, 'Creating an agent')
      const at = timestamp()
      const agent = toAgent(fields, { id, version: 1, created_at: at, updated_at: at })
      if (await store.insertAgent(agent, undefined, signal)) return agent
      throw new RuntimeError(
        'conflict',
        `Creating an agent failed: an agent with the id "${id}" already exists. Update it with PUT.`,
      )
    },

    async update(id, given, signal) {
      const { id: named, ...patch } = given
      assertSameId(named, id, 'Changing an agent')
      await check(patch, 'Changing an agent')
      return change(id, 'Changing an agent', signal, (before) => mergeAgent(before, patch))
    },

    async put(definition, signal) {
      const { id, code, fields } = await readDefinition(definition as AgentDefinition) // what its tools get, only the app knows
      await check(fields, putting)
      options.code?.set(id, code)
      return inTurn(id, () => putAgent(store, id, fields, timestamp, signal))
    },

    codeTools: async (id) => options.code?.get(id)?.tools.map((tool) => tool.id) ?? [],

    async delete(id, signal) {
      // first: a new agent with this id must not find them
      await forgetApprovals?.(id)
      const deleted = await inTurn(id, () => store.deleteAgent(id, undefined, signal))
      if (!deleted) throw notFound('Deleting an agent', id)
      options.code?.delete(id)
    },
  }
}

/** Short enough to be typed, long enough to be unique. */
function newId(createId: () => string): string {
  return `agent-${createId()
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, 12)
    .toLowerCase()}`
}

import type { Agent, Json, JsonObject, RunEvent } from '@homeward/contract/agent-platform'
import { createTestStore } from '../../testing/create-test-store.ts'
import { fitModel } from '../../models/fit/fit-model.ts'
import { hostRules } from '../../models/fit/wire-rules.ts'
import type { Models } from '../../models/models.ts'
import type { Model } from '../../ports/model.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import type { Tool, ToolContext } from '../../ports/tool.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { createScriptedModel, type ScriptedResponse } from '../../testing/scripted-model.ts'
import { createRuns, type NumberedRunEvent, type Runs, type RunsOptions } from '../create-runs.ts'

/** An agent with what a test says about it. */
export const agentOf = (fields: Partial<Agent> = {}): Agent => ({
  id: 'helper',
  model: 'scripted/main',
  skills: [],
  schedule_enabled: false,
  version: 1,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  ...fields,
})

/** A tool that answers with what `call` gives. */
export function toolOf(
  id: string,
  call: (args: JsonObject, context: ToolContext) => unknown,
  fields: Partial<Tool> = {},
): Tool {
  return {
    id,
    description: `The tool ${id}.`,
    inputSchema: { type: 'object' },
    effects: 'read',
    idempotent: true,
    returnsUntrustedContent: false,
    // a host's tool may give anything, whatever its type says
    execute: async (args, context) => (await call(args, context)) as Json,
    ...fields,
  }
}

/** Models by their whole name; an unknown one is not configured. */
export const modelsOf = (models: Readonly<Record<string, Model>>): Models => ({
  async resolve(name) {
    const model = models[name]
    if (!model)
      throw new RuntimeError('model_not_configured', `Choosing the model failed: there is no ${name}`)
    return { model: fitModel(model, hostRules(name.split('/')[0] ?? name)), name }
  },
})

/** What {@link createKit} may be given. */
export interface KitOptions extends Partial<Omit<RunsOptions, 'store' | 'agents' | 'models' | 'tools'>> {
  readonly steps?: readonly ScriptedResponse[]
  readonly models?: Models
  readonly agents?: readonly Agent[]
  readonly tools?: readonly Tool[] | ((agent: Agent) => readonly Tool[])
  /** Ids of tools that prompts do not hold. */
  readonly deferred?: ReadonlySet<string>
  readonly instructions?: string
  readonly store?: RuntimeStore
}

/** Runs over a store in memory and a scripted model named `scripted/main`. */
export function createKit(options: KitOptions = {}) {
  const { steps = [], agents = [agentOf()], tools = [], instructions = '', deferred, ...rest } = options
  const { store = createTestStore(), models: given, ...others } = rest
  const model = createScriptedModel(steps)
  const warnings: string[] = []
  let ids = 0
  const runs: Runs = createRuns({
    workspace: async (agentId) => `/workspaces/${agentId}`,
    logger: { warn: (text) => void warnings.push(text), error: (text) => void warnings.push(text) },
    createId: () => `id-${(ids += 1)}`,
    random: () => 0,
    ...others,
    store,
    agents: { find: async (id) => agents.find((agent) => agent.id === id) },
    models: given ?? modelsOf({ 'scripted/main': model }),
    tools: {
      forRun: async (agent) => ({
        instructions,
        tools: typeof tools === 'function' ? tools(agent) : tools,
        ...(deferred && { deferred }),
      }),
    },
  })
  return {
    runs,
    store,
    model,
    warnings,
    /** Runs a task to where it stops. */
    async run(task = 'Do it', fields: Partial<Parameters<Runs['start']>[0]> = {}) {
      const handle = await runs.start({ agent_id: agents[0]?.id ?? 'helper', task, ...fields })
      return handle.result
    },
    /** All events of a run that has ended. */
    events: (runId: string, sinceSeq = 0) => Array.fromAsync(runs.events(runId, sinceSeq)),
  }
}

/** Names of events, with the text of what the assistant said. */
export const namesOf = (events: readonly NumberedRunEvent[]) => events.map(({ event }) => event.event)

type EventData = { readonly [Name in RunEvent['event']]: Extract<RunEvent, { event: Name }>['data'] }

/** What the first event of each name says. */
export function firstOf(events: readonly NumberedRunEvent[]): Partial<EventData> {
  return Object.fromEntries(events.toReversed().map(({ event }) => [event.event, event.data]))
}

/** A promise and what settles it. */
export function createGate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { wait: () => promise, open: () => resolve() }
}

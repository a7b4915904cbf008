import { join } from 'node:path'
import { RunRequest } from '@homeward/contract/agent-platform'
import { chooseAgentStore } from '../agents/choose-agent-store.ts'
import { createAgents } from '../agents/create-agents.ts'
import { createConversations } from '../conversations/create-conversations.ts'
import { createDataHome, type DataHome } from './data-home.ts'
import { createJournaledStore } from '../journal/create-journaled-store.ts'
import { createLogs } from '../journal/create-logs.ts'
import { createRetention } from '../journal/create-retention.ts'
import type { EventBus } from '../journal/runtime-events.ts'
import { createMemories } from '../memory/create-memories.ts'
import { createEmbedder, type Embedder } from '../memory/embedder.ts'
import { createModels } from '../models/create-models.ts'
import { createLeaseKeeper } from '../leases/create-lease-keeper.ts'
import { parseInput } from '../host-input/parse-input.ts'
import type { Logger } from '../ports/logger.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { RuntimeOptions } from './runtime-options.ts'
import { createRuntimeWork } from './runtime-work.ts'
import { createRuns } from '../runs/create-runs.ts'
import type { Runs } from '../runs/runs.ts'
import { createSummarize } from '../runs/turns/create-summarize.ts'
import type { RunsOptions } from '../runs/runs-options.ts'
import { createSecrets, createSecretsIn } from '../settings/create-secrets.ts'
import { createSettings } from '../settings/create-settings.ts'
import { openSkillLibrary } from '../skills/open-skill-library.ts'
import type { SkillLibrary } from '../skills/skill-library.ts'
import { withDataHome } from '../skills/with-data-home.ts'
import type { AgentTools } from '../tools/agent-tools.ts'
import type { RunAgent } from '../tools/built-in/run-agent-tool.ts'
import { builtInToolIds } from '../ports/built-in-tool-ids.ts'
import { createAgentTools } from '../tools/create-agent-tools.ts'
import { createWorkspaces } from '../tools/workspace/create-workspaces.ts'
import { createUsages } from '../usage/create-usages.ts'
import { reasonOf } from '../ports/reason-of.ts'

/** What the parts of a runtime are made of besides the host's options. */
export interface PartsContext {
  readonly options: RuntimeOptions
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly logger: Logger
  readonly bus: EventBus
  readonly now: () => number
  readonly createId: () => string
}

/** Everything behind a runtime. */
export type RuntimeParts = Awaited<ReturnType<typeof openRuntimeParts>>

/** Puts the parts of a runtime together. Files are opened here, and nothing runs yet. */
export async function openRuntimeParts(context: PartsContext) {
  const { options, environment, logger, bus, now, createId } = context
  const home = createDataHome(options.home)
  const file = options.home === undefined ? undefined : join(home.path, 'config.json')
  const settings = createSettings({ file, environment, logger })
  const secrets = createSecrets(settings, environment)
  const secretsIn = createSecretsIn(environment)
  const store = createJournaledStore({
    store: options.store ?? (await openStore(options, home)),
    bus,
    // A secret cannot come out before somebody has read it: the journal need not look at the file for each event.
    secrets: () => secretsIn(settings.lastRead()),
  })
  const logs = createLogs({ store, logger })
  const retention = createRetention({ store, retention: options.retention, logger, now })
  retention.start()
  const agents = createAgents({
    store: chooseAgentStore({ database: store, settings, home: () => home.path, logger }),
    now,
    createId,
  })
  const { embeddingModel } = options
  const embedder = embeddingModel && createEmbedder(embeddingModel, logger)
  const around = { store, settings, home, embedder }
  const { skills, tools } = createSkillsAndTools(context, around, (call) => runAgent(call))
  const leases = createLeaseKeeper({
    store,
    owner: createId(),
    logger,
    now,
    ...optional(options, ['leaseMs']),
  })
  const runsOptions: RunsOptions = {
    ...optional(options, ['historyTokens', 'compaction', 'retry', 'estimateTokens', 'random']),
    ...optional(options, ['prices', 'closeGraceMs']),
    store,
    leases,
    driveGraph: (graphWork) => work.driveGraph(graphWork),
    agents,
    models: createModels({
      settings,
      environment,
      ...(options.models && { providers: options.models }),
      ...optional(options, ['fetch']),
    }),
    tools,
    // tools bound what they give; around that stand names and sizes, such as those of a file that was read
    ...(options.maxResultBytes !== undefined && { maxResultChars: options.maxResultBytes + 40_000 }),
    workspace: createWorkspaces(home.path),
    secrets,
    logger,
    now,
    createId,
  }
  const runs = createRuns(runsOptions)
  const runAgent = createRunAgent(runs)
  const work = createRuntimeWork({ options, store, settings, agents, runs, leases, logger, now, createId })

  return {
    store,
    settings,
    agents,
    skills,
    runs,
    work,
    logs,
    usage: createUsages({ store, prices: options.prices, now }),
    conversations: createConversations({ store, now, createId, summarize: createSummarize(runsOptions) }),
    memory: createMemories({ store, now, createId, embedder }),
    /** A host's own code may pass anything; the REST interface has checked already. */
    parseRequest: (request: RunRequest) => parseInput(RunRequest, request, 'Running an agent'),
    /** Workers and runs first: what they still write needs the rest. */
    async close() {
      await closeInTurn([
        () => work.close(),
        () => runs.close(),
        async () => leases.close(),
        async () => void (await Promise.allSettled([logs.close(), tools.close(), retention.close()])),
        () => store.close(),
        () => home.close(),
      ])
    },
  }
}

/** Closes one after the other, all of them. @throws what failed first */
async function closeInTurn(parts: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = []
  for (const close of parts) await close().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

/** Runs an agent for another one. The same call joins the same run, also after a crash. */
const createRunAgent =
  (runs: Runs): RunAgent =>
  async ({ agentId, task, userId, depth, tainted, idempotencyKey, parentRunId, signal }) => {
    const request = { agent_id: agentId, task, idempotency_key: idempotencyKey }
    const { result } = await runs.start(userId === undefined ? request : { ...request, user_id: userId }, {
      depth,
      tainted,
      parentRunId,
      signal,
    })
    return result
  }

async function openStore(options: RuntimeOptions, home: DataHome): Promise<RuntimeStore> {
  if (options.home === undefined) {
    const { createInMemoryStore } = await import('../in-memory/create-in-memory-store.ts')
    return createInMemoryStore()
  }
  const { createSqliteStore } = await import('../store/sqlite/create-sqlite-store.ts')
  home.prepare()
  return createSqliteStore({ path: join(home.path, 'agents.db') })
}

interface Surroundings {
  readonly store: RuntimeStore
  readonly settings: ReturnType<typeof createSettings>
  readonly home: DataHome
  readonly embedder: Embedder | undefined
}

/** Skills show which of their tools are off, and tools come from skills: each knows the other. */
function createSkillsAndTools(
  { options, environment, logger, now, createId }: PartsContext,
  { store, settings, home, embedder }: Surroundings,
  runAgent: RunAgent,
): { readonly skills: SkillLibrary; readonly tools: AgentTools } {
  const { tools: own = [], toolSources = [] } = options
  const library = openSkillLibrary({
    home: home.path,
    settings,
    environment,
    seedFolder: options.seedFolder,
    reservedToolIds: builtInToolIds,
    disabledTools: (installed, configs) => tools.disabledTools(installed, configs),
    baseHost: (skill) => tools.baseHost(skill),
    programs: () => tools.programs(),
    async onChange(skillId, change) {
      const event = { type: 'skill.changed', timestamp: new Date(now()).toISOString() } as const
      try {
        await store.appendEvents([{ ...event, data: { skill_id: skillId, change } }])
      } catch (error) {
        // the skill has changed all the same
        logger.error('A change of a skill could not be written into the journal.', {
          skillId,
          reason: reasonOf(error),
        })
      }
    },
    fetch: options.fetch,
    now,
  })
  const tools = createAgentTools({
    ...optional(options, [
      'mcpServers',
      'skillBase',
      'platformOrigins',
      'sandbox',
      'execLimits',
      'maxResultBytes',
      'maxAgentDepth',
      'workspaceLimits',
      'fetch',
      'resolveHost',
    ]),
    home: home.path,
    skills: library,
    settings,
    environment,
    memory: store,
    ...(embedder && { embedder }),
    runAgent,
    sources: own.length > 0 ? [{ toolsFor: async () => own }, ...toolSources] : toolSources,
    logger,
    now,
    createId,
  })
  return { skills: withDataHome(library, home), tools }
}

/** Those of the options that the host has set. */
function optional<Key extends keyof RuntimeOptions>(
  options: RuntimeOptions,
  keys: readonly Key[],
): { [Each in Key]?: NonNullable<RuntimeOptions[Each]> } {
  const found = keys.flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]]]))
  return Object.fromEntries(found) as { [Each in Key]?: NonNullable<RuntimeOptions[Each]> } // of those keys only
}

import { join } from 'node:path'
import { chooseAgentStore } from '../agents/choose-agent-store.ts'
import { createAgents } from '../agents/create-agents.ts'
import { createAudit } from '../audit/create-audit.ts'
import { createConversations } from '../conversations/create-conversations.ts'
import { createFiles } from '../files/files.ts'
import { createJournaledStore } from '../journal/create-journaled-store.ts'
import { createLogs } from '../journal/create-logs.ts'
import { createRetention, inMemoryRetention } from '../journal/create-retention.ts'
import type { EventBus } from '../journal/runtime-events.ts'
import { createLeaseKeeper } from '../leases/create-lease-keeper.ts'
import { createMemories } from '../memory/create-memories.ts'
import { createEmbedder } from '../memory/embedder.ts'
import { createModelCatalog, type ModelCatalogOptions } from '../models/create-model-catalog.ts'
import { once } from '../concurrency/once.ts'
import { createModels } from '../models/create-models.ts'
import type { AgentCode } from '../ports/agent-code.ts'
import { tracingOf } from '../ports/instrumentation.ts'
import type { Logger } from '../ports/logger.ts'
import { createRuns } from '../runs/create-runs.ts'
import type { DriveGraph } from '../runs/graphs/graph-driver.ts'
import type { RunsOptions } from '../runs/runs-options.ts'
import { createContextWindows } from '../runs/window/context-windows.ts'
import { createSummarize } from '../runs/create-summarize.ts'
import { createSecrets, createSecretsIn } from '../settings/create-secrets.ts'
import { createSettings, type OpenSettings } from '../settings/create-settings.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { RunAgent } from '../tools/built-in/run-agent-tool.ts'
import { createWorkspaces } from '../tools/workspace/create-workspaces.ts'
import { createTokens } from '../tokens/create-tokens.ts'
import type { PriceOf } from '../budgets/prices.ts'
import { createPriceBook } from '../usage/price-book.ts'
import { createPriceOf } from '../budgets/prices.ts'
import { createUsageReports } from '../usage/create-usages.ts'
import { createBackgroundWork } from './background-work.ts'
import { createKnowledgeWork, createWhatIfWork } from './lazy-work.ts'
import { createDataHome, type DataHome } from './data-home.ts'
import { givenOptions } from './given-options.ts'
import { loadWithHostChecks } from './host-checks.ts'
import type { RuntimeOptions } from './runtime-options.ts'
import type { LoadService, RuntimeServices } from './services.ts'
import { openSkillsAndTools } from './skills-and-tools.ts'
import type { Runs } from '../runs/runs.ts'
import type { RuntimeSettings } from '../settings/runtime-settings.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'

/** What a runtime is made of besides the host's options. */
export interface OpenRuntimeOptions {
  readonly options: RuntimeOptions
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly logger: Logger
  readonly bus: EventBus
  readonly now: () => number
  readonly createId: () => string
}

/** A runtime whose files are open. */
export interface OpenRuntime {
  /** Services for a host's own code. */
  readonly hostService: LoadService
  /** The same services for a caller that has parsed what it passes. */
  readonly service: LoadService
  /** Goes on with what was left, and begins to work in the background. */
  start(): Promise<void>
  close(): Promise<void>
}

/** Lets runs go on that wait for what a person does at an MCP server. */
const whenPersonIsDone = (runs: () => Pick<Runs, 'loggedIn' | 'elicited'>) => ({
  onLogin: (server: string, userId: string) => runs().loggedIn(server, userId),
  onElicited: (server: string, id: string) => runs().elicited(server, id),
})

/** Puts a runtime together. Files are opened here, and nothing runs yet. */
export async function openRuntime(context: OpenRuntimeOptions): Promise<OpenRuntime> {
  const { options, environment, logger, bus, now, createId } = context
  const home = createDataHome(options.home)
  const { settings, secrets, store } = await openStorage(context, home)
  const logs = createLogs({ store, logger })
  const retention = startRetention(context, store)
  const code = new Map<string, AgentCode>()
  const agents = createAgents({
    code,
    store: chooseAgentStore({ database: store, settings, home: () => home.path, logger }),
    versions: store,
    secrets,
    checkReportTo: async (targets, attempt) => (await work.channels()).checkReportTo(targets, attempt),
    now,
    createId,
    forgetApprovals: (agentId) => store.forgetRememberedCalls({ agentId }),
  })
  const embedder = options.embeddingModel && createEmbedder(options.embeddingModel, logger)

  const { collections, ...reading } = createKnowledgeWork({ options, store, embedder, logger, now, createId })

  // A tool runs agents, and runs have tools; a run works on a graph, and a graph is made of runs.
  const runAgent = createLaterCall<Parameters<RunAgent>, Awaited<ReturnType<RunAgent>>>('run_agent')
  const driveGraph = createLaterCall<Parameters<DriveGraph>, Awaited<ReturnType<DriveGraph>>>('a graph')
  const around = { options, environment, home, store, settings, embedder, logger, now, createId, code }
  const { skills, tools, mcp, logins } = openSkillsAndTools({
    ...around,
    collections,
    runAgent: runAgent.call,
    sendMessage: async (...given) => (await work.channels()).send(...given),
    ...whenPersonIsDone(() => runs),
  })
  const leases = createLeases(context, store)
  const modelsOptions = toModelsOptions(context, settings)
  const workspace = createWorkspaces(home.path)
  const windows = openWindows(settings)
  const models = createModels(modelsOptions)
  const { priceOf, usage, prices } = openUsage(store, settings, options, now)
  const runsOptions: RunsOptions = {
    ...runsOptionsOf(context, priceOf),
    choices: { ...givenOptions(options, ['modelFor', 'skillsFor']), codeOf: (id) => code.get(id) },
    windows,
    store,
    leases,
    driveGraph: driveGraph.call,
    announceTask: (task) => work.announce(task),
    agents,
    models,
    tools,
    logins,
    workspace,
    secrets,
    logger,
    now,
    createId,
  }
  const runs = createRuns(runsOptions)
  const transcriber = openTranscriber(modelsOptions)
  const parts = { options, store, settings, agents, workspace, runs, models, transcriber, leases }
  const work = createBackgroundWork({ ...parts, tracing: tracingOf(bus.emitter), logger, now, createId })
  runAgent.provide(createRunAgent(runs))
  driveGraph.provide(work.driveGraph)

  const memory = createMemories({ store, now, createId, embedder })
  const chats = { summarize: createSummarize(runsOptions), cancelRun: runs.cancel, store, now, createId }
  const conversations = createConversations(chats)
  const { webhooks, ...delivery } = createWebhookWork({ options, store, settings, logger, now, createId })
  const catalog = createModelCatalog({ ...modelsOptions, onList: windows.note })
  const usual = { agents, runs, conversations, memory, settings, models: catalog, logs, usage, prices }
  const responses = openResponses(store, now)
  const feedback = openFeedback(store, now)
  const { whatIfs, ...playing } = createWhatIfWork(context, runsOptions, store)
  const others = { ...work, collections, skills, mcp, webhooks, responses, feedback, whatIfs }
  const service = createLoadService({ ...usual, ...createRecords(store, now, createId) }, others)
  return {
    service,
    hostService: loadWithHostChecks(service),
    start: () => work.start().then(delivery.start).then(reading.start).then(playing.start),
    /** Workers and runs first: what they still write needs the rest. */
    async close() {
      await closeInTurn([
        () => work.close(),
        async () => void (await Promise.allSettled([delivery.close(), reading.close(), playing.close()])),
        () => runs.close(),
        async () => leases.close(),
        async () => void (await Promise.allSettled([logs.close(), tools.close(), retention.close()])),
        () => store.close(),
        () => home.close(),
      ])
    },
  }
}

/** Leases of this process. */
const createLeases = ({ options, logger, now, createId }: OpenRuntimeOptions, store: RuntimeStore) =>
  createLeaseKeeper({ store, owner: createId(), logger, now, ...givenOptions(options, ['leaseMs']) })

/** Removes what is old, from now on. */
function startRetention({ options, logger, now }: OpenRuntimeOptions, store: RuntimeStore) {
  const own = isInMemory(options) ? { ...inMemoryRetention, ...options.retention } : options.retention
  const retention = createRetention({ store, retention: own, logger, now })
  retention.start()
  return retention
}

/** Loads what writes down spoken messages when it is needed first. */
const openTranscriber = (options: ModelCatalogOptions) =>
  once(async () => {
    const { createTranscriber } = await import('../models/transcriber.ts')
    return createTranscriber(options)
  })

/** What model calls have used, and what that costs. */
function openUsage(store: RuntimeStore, settings: OpenSettings, options: RuntimeOptions, now: () => number) {
  const priceOf = createPriceOf(settings.prices, options.prices)
  const prices = createPriceBook(settings.prices, options.prices)
  return { priceOf, prices, usage: createUsageReports({ store, now }) }
}

/** Stored responses, loaded when they are needed first. */
const openResponses = (store: RuntimeStore, now: () => number) =>
  once(async () => {
    const { createResponses } = await import('../conversations/responses.ts')
    return createResponses(store, now)
  })

/** Feedback on runs, loaded when it is needed first. */
const openFeedback = (store: RuntimeStore, now: () => number) =>
  once(async () => {
    const { createFeedback } = await import('../feedback/create-feedback.ts')
    return createFeedback(store, now)
  })

/** Files, who may call, and what they did. */
const createRecords = (store: RuntimeStore, now: () => number, createId: () => string) => ({
  files: createFiles(store),
  tokens: createTokens({ store, now, createId }),
  audit: createAudit(store),
})

/** What the host says about runs. */
const runsOptionsOf = ({ options, bus }: OpenRuntimeOptions, priceOf: PriceOf) => ({
  priceOf,
  onModelCall: bus.modelCallEnded,
  tracing: tracingOf(bus.emitter),
  ...givenOptions(options, ['historyTokens', 'compaction', 'retry', 'estimateTokens', 'random']),
  ...givenOptions(options, ['closeGraceMs', 'workspaceLimits', 'contextFor', 'guards']),
  // tools bound what they give; around that stand names and sizes, such as those of a file that was read
  ...(options.maxResultBytes !== undefined && { maxResultChars: options.maxResultBytes + 40_000 }),
})

/** Context windows; those of models that are not known otherwise are a setting. */
const openWindows = (settings: OpenSettings) =>
  createContextWindows({
    async configured() {
      const { context_window_tokens: tokens } = await settings.read()
      return tokens === undefined ? undefined : Number(tokens)
    },
  })

/** Opens the settings, and the store that takes their secrets out of what it writes down. */
async function openStorage({ options, environment, logger, bus }: OpenRuntimeOptions, home: DataHome) {
  const file = options.home === undefined ? undefined : join(home.path, 'config.json')
  const settings = createSettings({
    file,
    environment,
    logger,
    minApiTokenLength: options.minApiTokenLength,
  })
  const secretsIn = createSecretsIn(environment)
  const store = createJournaledStore({
    store: options.store ?? (await openStore(options, home)),
    bus,
    // A secret cannot come out before somebody has read it: the journal need not look at the file for each event.
    secrets: () => secretsIn(settings.lastRead(), settings.modelProviders.lastRead().secrets),
  })
  return { settings, secrets: createSecrets(settings, environment), store }
}

const toModelsOptions = (
  { options, environment }: OpenRuntimeOptions,
  settings: OpenSettings,
): ModelCatalogOptions => ({
  settings,
  configured: settings.modelProviders,
  environment,
  ...(options.models && { providers: options.models }),
  ...givenOptions(options, ['fetch']),
})

type Loaders = { readonly [Name in keyof RuntimeServices]: () => Promise<RuntimeServices[Name]> }

/** Some services are there, the others are loaded when they are used. */
function createLoadService<Ready extends keyof RuntimeServices>(
  ready: Pick<RuntimeServices, Ready>,
  others: Omit<Loaders, Ready>,
): LoadService {
  const services: Partial<RuntimeServices> = ready
  const loaders: Partial<Loaders> = others
  return async (name) => (services[name] ?? (await loaders[name]?.())) as never // every name is in one of the two
}

/** Closes one after the other, all of them. @throws what failed first */
async function closeInTurn(parts: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = []
  for (const close of parts) await close().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

/** Whether what is kept is gone with the process, and only this runtime knows of it. */
const isInMemory = ({ store, home }: RuntimeOptions) => store === undefined && home === undefined

async function openStore(options: RuntimeOptions, home: DataHome): Promise<RuntimeStore> {
  const { createSqliteStore } = await import('../store/sqlite/create-sqlite-store.ts')
  if (isInMemory(options)) return createSqliteStore({ path: ':memory:' })
  home.prepare()
  return createSqliteStore({ path: join(home.path, 'agents.db') })
}

/** A function that some parts call and a part that is made after them provides. */
interface LaterCall<Given extends readonly unknown[], Result> {
  readonly call: (...given: Given) => Promise<Result>
  /** Says what answers: once, before the first call. */
  provide(answer: (...given: Given) => Promise<Result>): void
}

/** Joins two parts that need each other: the first is given `call`, the second is given to `provide`. */
function createLaterCall<Given extends readonly unknown[], Result>(name: string): LaterCall<Given, Result> {
  let provided: ((...given: Given) => Promise<Result>) | undefined
  return {
    async call(...given) {
      if (!provided) throw new Error(`Opening the runtime failed: ${name} was called before it was provided.`)
      return provided(...given)
    },
    provide(answer) {
      provided = answer
    },
  }
}

/** Runs an agent for another one. The same call joins the same run, also after a crash. */
const createRunAgent =
  (runs: Runs): RunAgent =>
  async ({ agentId, task, userId, metadata, idempotencyKey, signal, background, ...given }) => {
    const request = {
      agent_id: agentId,
      task,
      idempotency_key: idempotencyKey,
      ...(userId !== undefined && { user_id: userId }),
      ...(metadata && { metadata }),
    }
    const options = { source: 'agent', depth: given.depth, tainted: given.tainted } as const
    const { parentRunId } = given
    if (background) {
      const { runId } = await runs.start(request, { ...options, parentRunId, background })
      return { run_id: runId, status: 'running' }
    }
    return (await runs.start(request, { ...options, parentRunId, signal })).result
  }

/** Webhooks of a runtime, loaded when they are needed first. */
interface WebhookWork {
  readonly webhooks: () => Promise<Webhooks>
  /** Begins to deliver. */
  readonly start: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Creates them. */
function createWebhookWork(parts: {
  readonly options: RuntimeOptions
  readonly store: RuntimeStore
  readonly settings: RuntimeSettings
  readonly logger: Logger
  readonly now: () => number
  readonly createId: () => string
}): WebhookWork {
  const { options, ...rest } = parts
  let isOpen = false
  const opened = once(async () => {
    const { openWebhooks } = await import('../webhooks/open-webhooks.ts')
    isOpen = true
    const { random = Math.random, resolveHost } = options
    return openWebhooks({ ...rest, random, resolveHost })
  })
  return {
    webhooks: async () => (await opened()).webhooks,
    start: async () => (await opened()).courier.start(),
    async close() {
      if (isOpen) await (await opened()).courier.close()
    },
  }
}

import { createByteGate, type ByteGate } from '../concurrency/byte-gate.ts'
import type { Agent } from '@homeward/contract/agent-platform'
import { toPriceOf, type PriceOf, type Prices } from '../budgets/prices.ts'
import { createLeaseKeeper, type LeaseKeeper } from '../leases/create-lease-keeper.ts'
import type { Models } from '../models/models.ts'
import type { AgentVersionStore } from '../store/ports/agent-store.ts'
import type { BudgetStore } from '../store/ports/budget-store.ts'
import type { ConversationStore } from '../store/ports/conversation-store.ts'
import type { FileStore } from '../store/ports/file-store.ts'
import type { Guards } from '../ports/guard.ts'
import type { UserLogins } from '../ports/user-logins.ts'
import type { Tracing } from '../ports/instrumentation.ts'
import { guardedLogger, silentLogger, type Logger } from '../ports/logger.ts'
import type { RunStore } from '../store/ports/run-store.ts'
import type { SignalStore } from '../store/ports/signal-store.ts'
import type { RunInputStore } from '../store/ports/run-input-store.ts'
import type { NewTask } from '../store/ports/task-store.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { WorkspaceLimits } from '../tools/workspace/workspace.ts'
import type { AgentTools } from '../tools/agent-tools.ts'
import { createArgumentChecks, type ArgumentChecks } from './calls/check-arguments.ts'
import { createRunWatchers, type RunWatchers } from './events/event-log.ts'
import { createLiveRuns, type LiveRuns } from './live-runs.ts'
import type { EndedRun } from './runs.ts'
import type { ContextFor, RunChoices } from './setup.ts'
import type { DriveGraph } from './graphs/graph-driver.ts'
import { createRedactors, type Redactor } from '../secrets/redact.ts'
import type { ModelCallEnd } from '../journal/runtime-events.ts'
import { createReasoningLog, type ReasoningLog } from './events/reasoning-log.ts'
import { createDetachedWork, type DetachedWork } from './calls/detached-work.ts'
import { createContextWindows, type ContextWindows } from './window/context-windows.ts'
import { countedTokens } from './loop/answer.ts'
import { estimateTokens } from '../conversations/estimate-tokens.ts'

/** What runs need of a store. */
type RunsStore = RunStore &
  RunInputStore &
  SignalStore &
  ConversationStore &
  BudgetStore &
  FileStore &
  Pick<AgentVersionStore, 'listAgentVersions' | 'findAgentVersion'> &
  Pick<RuntimeStore, 'subscribe' | 'isDurable' | 'findChat'>

/** What `createRuns` is built from. */
export interface RunsOptions {
  readonly store: RunsStore
  /** Leases of this process; whoever gives them closes them. @default its own */
  readonly leases?: LeaseKeeper
  /** Does the work of graphs' runs. @default none: graphs cannot be run */
  readonly driveGraph?: DriveGraph
  /** Tells the workers of a task that is in the queue. @default they look for it */
  readonly announceTask?: (task: NewTask) => Promise<void>
  /** Prices of models by `provider/model-id`. Budgets in money need them. @default none */
  readonly prices?: Prices
  /** Gives prices that may change, in place of `prices`. @default looks them up in `prices` */
  readonly priceOf?: PriceOf
  /** Milliseconds that tools may go on when the runs close, over a durable store. @default 2000 */
  readonly closeGraceMs?: number
  /** Where agents are looked up, in the database or in files. */
  readonly agents: { find(id: string, signal?: AbortSignal): Promise<Agent | undefined> }
  readonly models: Models
  readonly tools: Pick<AgentTools, 'forRun'>
  /** Logins of users to MCP servers. @default none: no run waits for one */
  readonly logins?: UserLogins
  /** Builds what tools and instructions get for a run. @default nothing: `context` is undefined */
  readonly contextFor?: ContextFor
  /** Choose what a run has in place of what its agent has. @default none do */
  readonly choices?: RunChoices
  /** Checks what goes in and comes out of runs. @default none */
  readonly guards?: Guards
  /** Absolute path of an agent's workspace folder, or of its folder for a user, which it makes when it is missing. */
  readonly workspace: (agentId: string, userId?: string) => Promise<string>
  /** How much a workspace may hold. @default as `openWorkspace` says */
  readonly workspaceLimits?: Partial<WorkspaceLimits>
  /** Texts that must not come out: they are taken out of results, errors, events and the journal. @default none */
  readonly secrets?: () => Promise<readonly string[]>
  /** @default silent */
  readonly logger?: Logger
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number
  /** @default crypto.randomUUID */
  readonly createId?: () => string
  /** A number from 0 to 1, for the jitter of retries. @default Math.random */
  readonly random?: () => number
  /** Tokens of a text; too many is safe, too few is not. @default three characters a token, fewer in CJK text */
  readonly estimateTokens?: (text: string) => number
  /** Tokens that earlier messages of a conversation may take. @default 32000 */
  readonly historyTokens?: number
  /** What is known about context windows; whoever gives them may share them. @default its own */
  readonly windows?: ContextWindows
  /** Whether messages that do not fit any more are summed up by the agent's model. @default true */
  readonly compaction?: boolean
  /** Largest result of a tool call, in characters of JSON. The rest is cut off, and the result says so. @default 300000 */
  readonly maxResultChars?: number
  /** Gets each call of a model when it ends, also those that fail. Must not throw. @default nobody does */
  readonly onModelCall?: (call: ModelCallEnd) => void
  /** Runs work inside of spans, if it was registered. @default none */
  readonly tracing?: Tracing
  /** Retries of a model call before its first token. */
  readonly retry?: {
    /** Retries of each model. @default 2 */
    readonly attempts?: number
    /** Pause before the first retry, in milliseconds; it doubles. @default 500 */
    readonly baseMs?: number
    /** Longest pause, in milliseconds. A provider that asks for a longer one is given up. @default 30000 */
    readonly maxMs?: number
  }
}

/** {@link RunsOptions} with their defaults. */
export interface RunsContext {
  readonly detached: DetachedWork
  readonly store: RunsStore
  readonly leases: LeaseKeeper
  readonly driveGraph: DriveGraph | undefined
  readonly announceTask: RunsOptions['announceTask']
  readonly priceOf: PriceOf
  readonly closeGraceMs: number
  readonly agents: RunsOptions['agents']
  readonly models: Models
  readonly tools: RunsOptions['tools']
  readonly logins: UserLogins | undefined
  readonly contextFor: ContextFor | undefined
  readonly choices: RunChoices
  readonly guards: Guards & Required<Pick<Guards, 'timeoutMs'>>
  readonly workspace: RunsOptions['workspace']
  readonly workspaceLimits: Partial<WorkspaceLimits>
  /** Takes the secrets of this moment out of what leaves a run. */
  readonly redactor: () => Promise<Redactor>
  readonly logger: Logger
  readonly now: () => number
  /** The time as ISO 8601 text. */
  readonly timestamp: () => string
  readonly createId: () => string
  readonly random: () => number
  readonly estimateTokens: (text: string) => number
  readonly historyTokens: number
  readonly windows: ContextWindows
  /** Most bytes of files in addition to those of the task, by model, where a provider rejected more. */
  readonly fileLimits: Map<string, number>
  /** Bounds the files of all calls that are being sent: each is held several times. */
  readonly fileGate: ByteGate
  readonly compaction: boolean
  readonly maxResultChars: number
  readonly onModelCall: ((call: ModelCallEnd) => void) | undefined
  readonly tracing: Tracing
  readonly retry: { readonly attempts: number; readonly baseMs: number; readonly maxMs: number }
  /** Warnings of providers that were logged, by agent and model. */
  readonly loggedWarnings: Set<string>
  readonly reasoning: ReasoningLog
  readonly checks: ArgumentChecks
  readonly watchers: RunWatchers
  /** The runs of this process. */
  readonly live: LiveRuns
  /** Aborts when the runtime closes. */
  readonly closing: AbortController
  readonly hooks: RunHooks
}

/** What others want to hear of runs. */
interface RunHooks {
  onEnded?: (run: EndedRun) => void
  /** A wait of this process is over at this time, in milliseconds since the epoch. */
  onDue?: (dueMs: number) => void
  /** A run may wait that was to go on: the store failed at the wrong moment. */
  hasMissed?: boolean
}

/** Takes about a gigabyte of memory. */
const maxSentBytes = 192 * 1024 * 1024

export function toRunsContext(options: RunsOptions): RunsContext {
  const { now = Date.now, retry = {}, secrets = async () => [] } = options
  const redactorOf = createRedactors()
  const logger = guardedLogger(options.logger ?? silentLogger)
  const leases = options.leases ?? createLeaseKeeper({ store: options.store, now, ...loggerOf(options) })
  const watchers = createRunWatchers()
  return {
    detached: createDetachedWork(),
    store: options.store,
    leases,
    watchers,
    live: createLiveRuns(watchers, { leases, logger }),
    checks: createArgumentChecks(),
    closing: new AbortController(),
    hooks: {},
    driveGraph: options.driveGraph,
    announceTask: options.announceTask,
    priceOf: options.priceOf ?? toPriceOf(options.prices ?? {}),
    closeGraceMs: options.closeGraceMs ?? 2000,
    agents: options.agents,
    models: options.models,
    tools: options.tools,
    logins: options.logins,
    contextFor: options.contextFor,
    choices: options.choices ?? {},
    guards: { ...options.guards, timeoutMs: options.guards?.timeoutMs ?? 10_000 },
    workspace: options.workspace,
    workspaceLimits: options.workspaceLimits ?? {},
    redactor: async () => redactorOf(await secrets()),
    logger,
    now,
    timestamp: createTimestamp(now),
    createId: options.createId ?? (() => crypto.randomUUID()),
    random: options.random ?? Math.random,
    estimateTokens: toEstimate(options.estimateTokens),
    historyTokens: options.historyTokens ?? 32_000,
    windows: options.windows ?? createContextWindows(),
    compaction: options.compaction ?? true,
    maxResultChars: options.maxResultChars ?? 300_000,
    onModelCall: options.onModelCall,
    tracing: options.tracing ?? { current: undefined, now },
    retry: { attempts: retry.attempts ?? 2, baseMs: retry.baseMs ?? 500, maxMs: retry.maxMs ?? 30_000 },
    loggedWarnings: new Set(),
    fileLimits: new Map(),
    fileGate: createByteGate(maxSentBytes),
    reasoning: createReasoningLog(),
  }
}

/** Many things happen in one millisecond: its text is made once. */
function createTimestamp(now: () => number): () => string {
  let knownMs = NaN
  let text = ''
  return () => {
    const ms = now()
    if (ms !== knownMs) text = new Date((knownMs = ms)).toISOString()
    return text
  }
}

/** What a host's own estimate gives may be a fraction, or nothing that can be counted with. */
function toEstimate(own: RunsOptions['estimateTokens']): RunsContext['estimateTokens'] {
  return own ? (text) => countedTokens(own(text)) ?? estimateTokens(text) : estimateTokens
}

const loggerOf = ({ logger }: RunsOptions) => (logger ? { logger } : undefined)

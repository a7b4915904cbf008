import type { FetchOption } from '@homeward/kit/http'
import type { Prices } from '../budgets/prices.ts'
import type { Channel } from '../ports/channel.ts'
import type { RetentionOptions } from '../journal/create-retention.ts'
import type { EmbeddingModel, ModelProvider } from '../ports/model.ts'
import type { Guards } from '../ports/guard.ts'
import type { Logger } from '../ports/logger.ts'
import type { RunContext, RunIdentity } from '../ports/run-context.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { TaskQueue } from '../tasks/task-queue.ts'
import type { Tool, ToolSource } from '../ports/tool.ts'
import type { RunsOptions } from '../runs/runs-options.ts'
import type { ExecLimits } from '../tools/exec/exec-limits.ts'
import type { SandboxMode } from '../tools/exec/sandbox.ts'
import type { ResolveHost } from '@homeward/kit/node'
import type { McpServerConfig } from '../tools/mcp/mcp-server-config.ts'
import type { WorkspaceLimits } from '../tools/workspace/workspace.ts'

/** Options of {@link createRuntime}. All are optional. */
export interface RuntimeOptions<Context = unknown> {
  /**
   * Data home: the folder of `config.json`, `agents.db`, `skills/`, `configs/`, `workspaces/` and `user-workspaces/`,
   * readable only by the current user. Created when something is stored.
   *
   * @default no folder: data is in memory, and workspaces and skills use a temporary folder that `close()` removes
   */
  readonly home?: string
  /** Store of agents, runs, conversations, memories and the journal. @default SQLite in `home`, or memory */
  readonly store?: RuntimeStore
  /** Your app's models by the name of their provider: `{ local: (id) => model }` provides `local/<id>`. */
  readonly models?: Readonly<Record<string, ModelProvider>>
  /**
   * Embedding model for searching memories by words and by meaning. Memories with vectors of another model are found
   * only by their words.
   *
   * @default search only by words
   */
  readonly embeddingModel?: EmbeddingModel
  /**
   * Returns more tools for a run, in addition to all others. As with `contextFor`, each process that resumes the run
   * calls it again, and it must return the same tools.
   *
   * @default no further tools
   */
  toolsFor?(
    run: RunContext<Context>,
    signal: AbortSignal,
  ): readonly Tool<Context>[] | Promise<readonly Tool<Context>[]>
  /**
   * Chooses the model of a run: `provider/model-id`, or undefined for the agent's own.
   *
   * Called once before the run starts; the choice is stored with the run. The agent's `model_settings` apply if the
   * provider is the same. If it fails or takes longer than 30 seconds, the run does not start.
   *
   * @default the agent's model
   */
  modelFor?(run: RunContext<Context>, signal: AbortSignal): string | undefined | Promise<string | undefined>
  /**
   * Chooses the skills of a run by id or name instead of the agent's; undefined for the agent's own. Called once,
   * like `modelFor`.
   *
   * @default the agent's skills
   */
  skillsFor?(
    run: RunContext<Context>,
    signal: AbortSignal,
  ): readonly string[] | undefined | Promise<readonly string[] | undefined>
  /** MCP servers that agents can select in `mcp_servers`. Only operators can add more. @default no servers */
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>>
  /**
   * Builds the `context` value of a run for tools and instructions, such as the database handles of a tenant, from
   * the stored identifiers of the run.
   *
   * Called before the run starts, and again in each process that resumes it, so it must return an equivalent value
   * each time. It may be called for a run that is then not created, such as a duplicate, so it must only read.
   *
   * `metadata` and `userId` come from the caller that started the run. Trust them as much as you trust the callers of
   * your server.
   *
   * If it fails or takes longer than 30 seconds, the run does not start; a run that was to be resumed fails with
   * `run_error`. Callers receive the message of a thrown `RuntimeError`. Messages of other errors are only logged.
   *
   * @default `context` is undefined
   */
  contextFor?(run: RunIdentity, signal: AbortSignal): Context | Promise<Context>
  /** Your app's own tools for every agent, for example from `defineTool`. @default no tools */
  readonly tools?: readonly Tool<Context>[]
  /** Sources of more tools, called at the start of each run. @default no sources */
  readonly toolSources?: readonly ToolSource<Context>[]
  /**
   * Checks input, tool calls, tool results and output in every run, including runs of tasks, graphs, channels and
   * sub-agents.
   *
   * @default no guards
   */
  readonly guards?: Guards<Context>
  /** Whether programs of skills run in a sandbox. `"auto"`: if the system supports one. @default "auto" */
  readonly sandbox?: SandboxMode
  /** Limits for programs of skills, enforced on Linux. */
  readonly execLimits?: ExecLimits
  /** Base address for skills without one, for all of them or by skill id. @default no base address */
  readonly skillBase?: string | Readonly<Record<string, string>>
  /** Folder with skills that `skills.installSystem()` copies. @default no folder */
  readonly seedFolder?: string
  /**
   * Addresses of this platform itself, which skills cannot call. If an address has a path, only the paths below it
   * are blocked.
   *
   * @default no addresses
   */
  readonly platformOrigins?: () => readonly string[]
  /** Size limits for the workspace of an agent. */
  readonly workspaceLimits?: Partial<WorkspaceLimits>
  /** Maximum depth of agents that call agents, not counting the first. @default 3 */
  readonly maxAgentDepth?: number
  /** Maximum size of a tool result in bytes. Larger results are cut and marked. @default 262144 */
  readonly maxResultBytes?: number
  /**
   * Maximum number of tokens for earlier messages of a conversation, and at most half of the free context window.
   *
   * @default 32000
   */
  readonly historyTokens?: number
  /** Whether the agent's model summarizes messages that no longer fit. @default true */
  readonly compaction?: boolean
  /** Retries of a model call before its first token. */
  readonly retry?: NonNullable<RunsOptions['retry']>
  /**
   * Prices by `provider/model-id`. They override the built-in catalog.
   *
   * @default the catalog, and what `prices.save()` stored
   */
  readonly prices?: Prices
  /** Workers that run tasks in this process. */
  readonly workers?: {
    /** Maximum number of parallel tasks; 0 for no tasks. @default 4 */
    readonly concurrency?: number
    /** Maximum number of parallel tasks of one agent or graph, in all processes together. @default 2 */
    readonly perAgent?: number
  }
  /** Notifies workers of tasks. @default the store itself */
  readonly queue?: TaskQueue
  /** Whether this process runs schedules. @default true, once `start()` was called */
  readonly schedules?: boolean
  /** Your own messaging channels, in addition to those of the settings. @default no own channels */
  readonly channels?: readonly Channel[]
  /** IANA time zone for schedules without one. @default the system's */
  readonly timezone?: string
  /**
   * Time in milliseconds, at least 100, after which another process takes over the work of a dead process. A process
   * that hangs longer loses its work.
   *
   * @default 20000
   */
  readonly leaseMs?: number
  /** Time for running tools to finish when the runtime closes, in milliseconds. @default 2000 */
  readonly closeGraceMs?: number
  /**
   * Minimum length of an `api_token` in the settings, in characters. Use 16 for a server that other machines can
   * reach.
   *
   * @default 1
   */
  readonly minApiTokenLength?: number
  /** Storage times of the journal, the steps of runs and the runs themselves, in any store. */
  readonly retention?: RetentionOptions
  /** Estimates the number of tokens of a text. @default an estimate on the high side */
  readonly estimateTokens?: (text: string) => number
  /**
   * A `fetch` function, or an ofetch instance, for model providers, messaging platforms, stores and MCP servers. The
   * interceptors of an instance run for each request.
   *
   * @default the global `fetch`
   */
  readonly fetch?: FetchOption
  /** Resolves host names for HTTP tools, webhooks and identity providers of MCP servers. @default dns.lookup */
  readonly resolveHost?: ResolveHost
  /** Environment variables: provider keys, settings, and variables of skills. @default process.env */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Receives problems that no caller sees. Never receives secrets. @default no logging */
  readonly logger?: Logger
  /** Returns the milliseconds since the epoch. @default Date.now */
  readonly now?: () => number
  /** Creates ids. @default crypto.randomUUID */
  readonly createId?: () => string
  /** Returns random numbers in [0, 1), only for jitter. @default Math.random */
  readonly random?: () => number
}

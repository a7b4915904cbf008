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

/** How a runtime is put together. All of it may be left out. */
export interface RuntimeOptions<Context = unknown> {
  /**
   * Data home: the folder of `config.json`, `agents.db`, `skills/`, `configs/`, `workspaces/` and `user-workspaces/`, which only this user can
   * read. Created when something is stored.
   *
   * @default none: everything is in SQLite's memory, and what needs a folder (workspaces, skills) gets a temporary one that
   * `close()` removes
   */
  readonly home?: string
  /** Store of agents, runs, conversations, memories and the journal. @default SQLite in `home`, or memory */
  readonly store?: RuntimeStore
  /** Your app's models by the name of their provider: `{ local: (id) => model }` provides `local/<id>`. */
  readonly models?: Readonly<Record<string, ModelProvider>>
  /**
   * Model for a hybrid search in memories, by words and by meaning. Memories with vectors of another model are found by
   * their words.
   *
   * @default by words only
   */
  readonly embeddingModel?: EmbeddingModel
  /**
   * Gives more tools for a run, in addition to all others. Like `contextFor` it is called again in each process that resumes the run,
   * and must give the same tools. @default none
   */
  toolsFor?(
    run: RunContext<Context>,
    signal: AbortSignal,
  ): readonly Tool<Context>[] | Promise<readonly Tool<Context>[]>
  /**
   * Chooses the model of a run: `provider/model-id`, or undefined for the agent's own. It is asked once, before the run starts, and
   * the choice is stored with the run. The agent's `model_settings` apply if the provider is the same. It has 30 seconds; if it
   * fails, the run does not start. @default the agent's model
   */
  modelFor?(run: RunContext<Context>, signal: AbortSignal): string | undefined | Promise<string | undefined>
  /**
   * Chooses the skills of a run, by id or name, in place of the agent's; undefined for the agent's own. It is asked once, like
   * `modelFor`. @default the agent's skills
   */
  skillsFor?(
    run: RunContext<Context>,
    signal: AbortSignal,
  ): readonly string[] | undefined | Promise<readonly string[] | undefined>
  /** MCP servers that agents may name in `mcp_servers`. Adding one is the operator's act. @default none */
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>>
  /**
   * Builds the value that tools and instructions get as `context`, such as the database handles of a tenant, from the stored
   * identifiers of a run. It is called before the run starts, and again in each process that resumes the run, so it must give an
   * equivalent value each time. It may be called for a run that is then not made, such as a duplicate, so it must only read.
   *
   * `metadata` and `userId` come from whoever started the run. Trust them as much as you trust the callers of your server.
   *
   * It has 30 seconds. If it fails, the run does not start; a run that was to be resumed fails with `run_error`. Callers get the message
   * of a `RuntimeError` that it throws. The message of another error is only logged.
   *
   * @default none: `context` is undefined
   */
  contextFor?(run: RunIdentity, signal: AbortSignal): Context | Promise<Context>
  /** Your app's own tools, for every agent. `defineTool` makes them of schemas. @default none */
  readonly tools?: readonly Tool<Context>[]
  /** Where more tools come from, asked at the start of each run. @default none */
  readonly toolSources?: readonly ToolSource<Context>[]
  /**
   * Checks of input, tool calls, tool results and output in every run, including runs of tasks, graphs, channels and
   * sub-agents.
   *
   * @default none
   */
  readonly guards?: Guards<Context>
  /** Whether programs of skills are fenced in: where the system can, always or not at all, or never. @default "auto" */
  readonly sandbox?: SandboxMode
  /** Limits for the programs of skills. Enforced on Linux. */
  readonly execLimits?: ExecLimits
  /** Base address of skills without one, for all of them or by skill id. @default none */
  readonly skillBase?: string | Readonly<Record<string, string>>
  /** Folder with skills that `skills.installSystem()` copies. @default none */
  readonly seedFolder?: string
  /**
   * Addresses under which the platform itself answers: skills cannot act on them (A17). If one has a path, only what is below
   * the path is the platform. @default none
   */
  readonly platformOrigins?: () => readonly string[]
  /** How much the workspace of an agent may hold. */
  readonly workspaceLimits?: Partial<WorkspaceLimits>
  /** Agents above one another at most, the first one not counted. @default 3 */
  readonly maxAgentDepth?: number
  /** Largest result of a tool in bytes; more is cut and marked. @default 262144 */
  readonly maxResultBytes?: number
  /** Tokens that earlier messages of a conversation may take, at most half of the free context window. @default 32000 */
  readonly historyTokens?: number
  /** Whether messages that do not fit any more are summed up by the agent's model (A12). @default true */
  readonly compaction?: boolean
  /** Retries of a model call before its first token (A21). */
  readonly retry?: NonNullable<RunsOptions['retry']>
  /**
   * Prices by `provider/model-id`. They override the built-in catalog.
   *
   * @default the catalog, and what `prices.save()` stored
   */
  readonly prices?: Prices
  /** Workers that carry out tasks in this process (A7). */
  readonly workers?: {
    /** Tasks at the same time; 0 for none. @default 4 */
    readonly concurrency?: number
    /** Tasks of one agent or graph at the same time, in all processes together. @default 2 */
    readonly perAgent?: number
  }
  /** How workers are notified of tasks. @default from the store itself */
  readonly queue?: TaskQueue
  /** Whether this process fires schedules (A9). @default true, once `start()` was called */
  readonly schedules?: boolean
  /** Your own messaging channels, in addition to those of the settings. @default none */
  readonly channels?: readonly Channel[]
  /** IANA time zone of schedules without one. @default the system's */
  readonly timezone?: string
  /**
   * Milliseconds after which another process resumes the work of a process that is gone. A process that hangs for longer
   * loses its work. At least 100. @default 20000
   */
  readonly leaseMs?: number
  /** Milliseconds that tools may continue when the runtime closes, before they are stopped. @default 2000 */
  readonly closeGraceMs?: number
  /** Shortest `api_token` that the settings accept, in characters. A server that others can reach sets 16. @default 1 */
  readonly minApiTokenLength?: number
  /** How long the journal, the steps of runs and the runs themselves are stored, in any store. */
  readonly retention?: RetentionOptions
  /** Tokens of a text. @default an estimate that is rather too high */
  readonly estimateTokens?: (text: string) => number
  /**
   * `fetch`, or an instance of ofetch, for calls to model providers, messaging platforms, stores and MCP servers.
   * Interceptors of the instance run for each request. @default the global `fetch`
   */
  readonly fetch?: FetchOption
  /** Resolves host names of HTTP tools, webhooks and identity providers of MCP servers. @default dns.lookup */
  readonly resolveHost?: ResolveHost
  /** Environment variables: provider keys, settings, what skills need. @default process.env */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Told what no caller gets to see. Gets no secrets. @default silent */
  readonly logger?: Logger
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number
  /** @default crypto.randomUUID */
  readonly createId?: () => string
  /** Numbers in [0, 1), for spreading only. @default Math.random */
  readonly random?: () => number
}

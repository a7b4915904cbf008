import type { Agent, JsonObject } from '@homeward/contract/agent-platform'
import type { once } from '../concurrency/once.ts'
import type { Embedder } from '../memory/embedder.ts'
import { checkTools } from './check-tools.ts'
import { type Logger, silentLogger } from '../ports/logger.ts'
import { shownId } from '../store/own-conversation.ts'
import type { MemoryStore } from '../store/ports/memory-store.ts'
import type { RunContext } from '../ports/run-context.ts'
import type { Tool, ToolSource } from '../ports/tool.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { RuntimeSettings } from '../settings/runtime-settings.ts'
import type { InstalledSkills } from '../skills/create-installed-skills.ts'
import type { DisabledTool, LoadedSkill } from '../skills/skill-library.ts'
import type { AgentTools, AgentToolset } from './agent-tools.ts'
import { withBoundResult } from './bound-result.ts'
import { createBuiltInTools } from './built-in/built-in-tools.ts'
import type { SearchedCollections } from './built-in/search-documents-tool.ts'
import type { RunAgent } from './built-in/run-agent-tool.ts'
import type { AgentMessages } from './built-in/send-message-tool.ts'
import { deferTools, maxToolsAtHand } from './deferred/defer-tools.ts'
import type { ExecLimits } from './exec/exec-limits.ts'
import type { SandboxMode } from './exec/sandbox.ts'
import type { ResolveHost } from '@homeward/kit/node'
import { createHttpClient } from './http/http-client.ts'
import type { McpServers } from './mcp/create-mcp-servers.ts'
import { createSkillContexts } from './skill-contexts.ts'
import { toAllowedHosts } from './web/allowed-hosts.ts'
import type { WorkspaceLimits } from './workspace/workspace.ts'
import type { ToolDefinition } from '../skills/definitions/tool-definition.ts'
import { createExecTool } from './exec/exec-tool.ts'
import { createHttpTool } from './http/http-tool.ts'
import type { SkillToolContext } from './skill-tool-context.ts'

/** Largest result of a tool, in bytes, where nothing else is said. */
export const defaultResultBytes = 262_144

type OnceMcp = ReturnType<typeof once<{ readonly servers: McpServers }>>

/** Settings of {@link createAgentTools}. */
export interface AgentToolsOptions {
  /** Absolute path of the data home. */
  readonly home: string
  readonly skills: Pick<InstalledSkills, 'snapshot' | 'config'>
  readonly settings: Pick<RuntimeSettings, 'read'>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly memory: Pick<MemoryStore, 'writeMemory' | 'searchMemories'>
  /** Where the host has an embedding model. */
  readonly embedder?: Embedder
  /** Collections of documents. @default `search_documents` is not offered */
  readonly collections?: () => Promise<SearchedCollections>
  /** Runs another agent. Without it there is no `run_agent`. */
  readonly runAgent?: RunAgent
  /** Sends messages to chats. Without it there is no `send_message`. */
  readonly messages?: AgentMessages
  /** Tools of the host's own, for every agent. */
  readonly sources?: readonly ToolSource[]
  /** MCP servers that agents may name in `mcp_servers`, opened when they are needed. */
  readonly mcp?: OnceMcp
  /** Base address of skills that name none, for all of them or by skill id. */
  readonly skillBase?: string | Readonly<Record<string, string>>
  /** Addresses under which the platform itself answers; asked for at each run. */
  readonly platformOrigins?: () => readonly string[]
  /** Whether programs of skills are fenced in. @default 'auto' */
  readonly sandbox?: SandboxMode
  /** What programs of skills may take of the machine. */
  readonly execLimits?: ExecLimits
  /** Largest result of a tool in bytes; more is cut and marked. @default 262144 */
  readonly maxResultBytes?: number
  /** Agents above one another at most, the first one not counted. @default 3 */
  readonly maxAgentDepth?: number
  readonly workspaceLimits?: Partial<WorkspaceLimits>
  readonly logger?: Logger
  /** Clock, in milliseconds since 1970. @default Date.now */
  readonly now?: () => number
  /** @default crypto.randomUUID */
  readonly createId?: () => string
  /** How host names become addresses. @default dns.lookup */
  readonly resolveHost?: ResolveHost
}

/**
 * Makes the tools of agents: the built-in ones, those of their skills, of MCP servers and of the host.
 *
 * @example
 * const tools = createAgentTools({ home, skills, settings, environment: process.env, memory: store })
 * const { tools: offered, instructions } = await tools.forRun(agent, signal)
 */
export function createAgentTools(options: AgentToolsOptions): AgentTools {
  const { sources = [], logger = silentLogger, maxResultBytes = defaultResultBytes } = options
  const http = createHttpClient(options.resolveHost)
  const { contextsOf, findSandbox, programs } = createSkillContexts({ ...options, maxResultBytes, http })
  const builtInTools = createBuiltInTools({ ...options, maxResultBytes, http })

  const hostTools = createHostTools(sources, maxResultBytes)

  const skillTools = async ({ skills: found, configs }: AgentSkills): Promise<Tool[]> => {
    if (found.size === 0) return []
    const skills = [...found.values()]
    const contexts = await contextsOf(skills, configs)
    return skills.flatMap((skill) => {
      const context = contexts.get(skill.id)
      if (context === undefined) return []
      return skill.tools
        .filter((definition) => whyOff(definition, context) === undefined)
        .map((definition) => toTool(definition, skill, context))
    })
  }

  const mcpTools = async (
    agent: Agent,
    signal: AbortSignal,
    userId?: string,
  ): ReturnType<McpServers['toolsFor']> => {
    const { mcp_servers: names = [] } = agent
    if (names.length === 0) return { tools: [], missing: [] }
    if (options.mcp === undefined) return { tools: [], missing: [...names] }
    const { servers } = await options.mcp()
    return await servers.toolsFor(names, signal, userId)
  }

  return {
    async forRun(agent, signal, run) {
      signal.throwIfAborted()
      const ownSkills = await skillsOf(agent, options.skills, logger)
      const { skills, missing } = ownSkills
      const [settings, ofSkills, ofHost, ofMcp, chat, documents] = await Promise.all([
        options.settings.read(),
        skillTools(ownSkills),
        hostTools({ ...run, conversationId: shownId(run.conversationId) }, signal),
        mcpTools(agent, signal, run.userId),
        options.messages?.findChat(run.conversationId),
        openCollections(agent, options),
      ])
      const { web_fetch_hosts: named } = settings
      const hosts = named === undefined ? undefined : toAllowedHosts(named, options.platformOrigins?.() ?? [])
      const own = [...builtInTools({ agent, skills, hosts, chat }), ...documents.tools]
      const all = [...own, ...ofHost, ...ofSkills, ...ofMcp.tools]
      const narrowed = narrow(agent, withoutClashes(all, agent, logger))
      const canOpen = narrowed.some((tool) => tool.id === 'read_skill')
      const groups = [
        { tools: ofMcp.tools, from: `the MCP servers ${agent.mcp_servers?.join(', ')}` },
        { tools: ofSkills, from: `the skills ${agent.skills.join(', ')}` },
        { tools: ofHost, from: 'the app' },
      ]
      return {
        ...(await offer(agent, narrowed, groups)),
        instructions: skillInstructions({ skills, missing, missingServers: ofMcp.missing, canOpen }),
        ...(ofMcp.logins && { logins: ofMcp.logins }),
        ...(documents.missing && { missingCollections: documents.missing }),
      }
    },
    async disabledTools(skills, configs) {
      const contexts = await contextsOf(skills, configs)
      const disabled = skills.map((skill): [string, DisabledTool[]] => {
        const context = contexts.get(skill.id)
        const off = skill.tools.flatMap((definition) => {
          const reason = context && whyOff(definition, context)
          return reason === undefined ? [] : [{ id: definition.id, reason }]
        })
        return [skill.id, off]
      })
      return new Map(disabled.filter(([, off]) => off.length > 0))
    },
    async baseHost(skill) {
      if (!skill.tools.some(needsBase)) return undefined
      const base = (await contextsOf([skill])).get(skill.id)?.base
      return base && 'url' in base ? base.url.host : null
    },
    programs,
    async sandbox() {
      const result = await findSandbox()
      return result.sandbox === undefined
        ? { kind: 'none', reason: result.reason }
        : { kind: result.sandbox.kind }
    },
    async close() {
      const mcp = await options.mcp?.begun()
      await Promise.all([mcp?.servers.close(), programs()])
    },
  }
}

/** Skills of one agent, by their ids. */
interface AgentSkills {
  readonly skills: Map<string, LoadedSkill>
  readonly configs: Map<string, JsonObject>
  /** Names of those that cannot be used. */
  readonly missing: string[]
}

/** Skills that the agent names, by their id or their name. One whose config cannot be read is off, as a broken one is. */
async function skillsOf(
  agent: Agent,
  library: AgentToolsOptions['skills'],
  logger: Logger,
): Promise<AgentSkills> {
  const skills = new Map<string, LoadedSkill>()
  const configs = new Map<string, JsonObject>()
  const missing: string[] = []
  if (agent.skills.length === 0) return { skills, configs, missing } // looking at every skill there is costs a run something
  const snapshot = await library.snapshot()
  for (const name of agent.skills) {
    const skill =
      snapshot.skills.get(name) ?? [...snapshot.skills.values()].find((candidate) => candidate.name === name)
    const config = skill && (await configOf(skill, library, logger))
    if (skill === undefined || config === undefined) {
      missing.push(name)
      continue
    }
    skills.set(skill.id, skill)
    configs.set(skill.id, config)
  }
  return { skills, configs, missing }
}

async function configOf(
  { id }: LoadedSkill,
  library: AgentToolsOptions['skills'],
  logger: Logger,
): Promise<JsonObject | undefined> {
  try {
    return await library.config(id)
  } catch (error) {
    if (!RuntimeError.is(error)) throw error
    logger.warn('Loading a skill failed', { skill: id, reason: error.message })
    return undefined
  }
}

/** Gives the tools of the host, checked and bounded. Most hosts give the same ones to every run. */
function createHostTools(sources: readonly ToolSource[], maxResultBytes: number) {
  const bounded = new WeakMap<Tool, Tool>()

  async function toolsOf(source: ToolSource, run: RunContext, signal: AbortSignal): Promise<Tool[]> {
    const given = await source.toolsFor(run.agentId, signal, run)
    // a host without types may give anything
    const isChecked = Array.isArray(given) && given.every((tool: Tool) => bounded.has(tool))
    if (!isChecked) checkTools('Getting the tools of the app', 'tools', given)
    return given.map((tool: Tool) => {
      const known = bounded.get(tool) ?? withBoundResult(tool, maxResultBytes)
      bounded.set(tool, known)
      return known
    })
  }

  return async (run: RunContext, signal: AbortSignal) =>
    (await Promise.all(sources.map((source) => toolsOf(source, run, signal)))).flat()
}

/** The first of two tools with one id stays: neither what is built in nor a tool of the app can be replaced by a skill. */
function withoutClashes(tools: readonly Tool[], agent: Agent, logger: Logger): Tool[] {
  const byId = new Map<string, Tool>()
  for (const tool of tools) {
    if (byId.has(tool.id))
      logger.warn('Two tools have the same id. The second one is disabled.', {
        tool: tool.id,
        agent: agent.id,
      })
    else byId.set(tool.id, tool)
  }
  return [...byId.values()]
}

const ownFields: ReadonlySet<string> = new Set(['ask_user', 'search_documents', 'run_code'])

/**
 * `agent.tools` narrows and never adds. An empty list is one that nobody filled in: it narrows nothing. `ask_user` and
 * `search_documents` have fields of their own.
 */
function narrow({ tools: names = [] }: Agent, tools: readonly Tool[]): Tool[] {
  return names.length === 0 ? [...tools] : tools.filter(({ id }) => ownFields.has(id) || names.includes(id))
}

/** Tools of an agent in its prompt. The tool for programs is loaded for agents that have it. */
async function offer(
  agent: Agent,
  tools: readonly Tool[],
  groups: Parameters<typeof deferTools>[2],
): Promise<Pick<AgentToolset, 'tools' | 'deferred'>> {
  const offered = tools.length > maxToolsAtHand ? deferTools(agent, tools, groups) : { tools }
  if (!agent.code) return offered
  const { createRunCodeTool } = await import('./code/run-code-tool.ts')
  const { deferred } = offered
  return { ...offered, tools: [...offered.tools, createRunCodeTool(offered.tools, deferred)] }
}

const maxDescription = 1024

/** The tool that searches the collections of an agent, loaded for agents that have some; and those that do not exist. */
async function openCollections(
  { collections: ids = [] }: Agent,
  { collections, maxResultBytes = defaultResultBytes }: AgentToolsOptions,
): Promise<{ readonly tools: readonly Tool[]; readonly missing?: readonly string[] }> {
  if (ids.length === 0 || !collections) return { tools: [] }
  const { createSearchDocumentsTool } = await import('./built-in/search-documents-tool.ts')
  const service = await collections()
  const found = await Promise.all(ids.map((id) => service.find(id)))
  const known = found.filter((each) => each !== undefined)
  return {
    tools: known.length > 0 ? [createSearchDocumentsTool(service, known, maxResultBytes)] : [],
    ...(known.length < ids.length && { missing: ids.filter((_, index) => !found[index]) }),
  }
}

/** What the system prompt says about an agent's skills: only what is needed to know when to open one (A15). */
function skillInstructions(parts: {
  readonly skills: ReadonlyMap<string, LoadedSkill>
  /** Skills that the agent names and nobody installed. */
  readonly missing: readonly string[]
  /** MCP servers that cannot be reached. */
  readonly missingServers: readonly string[]
  /** Whether the model can call `read_skill`. */
  readonly canOpen: boolean
}): string {
  const { skills, missing, missingServers, canOpen } = parts
  const lines: string[] = []
  if (skills.size > 0) {
    const how = canOpen ? ' Open one with read_skill before you use it the first time.' : ''
    lines.push(`You have these skills.${how}`)
    for (const skill of skills.values()) lines.push(`- ${titleOf(skill)}: ${oneLine(skill.description)}`)
  }
  if (missing.length > 0) lines.push(`Skills that are not available now: ${missing.join(', ')}.`)
  if (missingServers.length > 0)
    lines.push(`Tool servers that are not available now: ${missingServers.join(', ')}.`)
  return lines.join('\n')
}

function titleOf({ id, name }: LoadedSkill): string {
  return name === id ? id : `${id} (${oneLine(name).slice(0, 200)})`
}

/** A description keeps to its line: it cannot add a line of its own to the prompt. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, maxDescription)
}

/** Makes a tool of a skill's definition: what the model calls by its id. */
export function toTool(definition: ToolDefinition, skill: LoadedSkill, context: SkillToolContext): Tool {
  return definition.type === 'http'
    ? createHttpTool(definition, skill, context)
    : createExecTool(definition, skill, context)
}

/** Why a tool is off; undefined for one that can be used. */
export function whyOff(
  definition: ToolDefinition,
  { base, sandbox, sandboxMode }: Pick<SkillToolContext, 'base' | 'sandbox' | 'sandboxMode'>,
): string | undefined {
  if (definition.type === 'exec' && sandboxMode === 'require' && sandbox.sandbox === undefined) {
    return `the operator requires a sandbox, but no sandbox is available: ${sandbox.reason}`
  }
  return 'off' in base && needsBase(definition) ? base.off : undefined
}

/** Whether a tool goes to its skill's base address (A17): HTTP tools do, and programs that are told it. */
function needsBase(definition: ToolDefinition): boolean {
  if (definition.type === 'http') return true
  return definition.args.some((arg) => /\{\{\s*base\s*\}\}/.test(arg)) && !hasParameter(definition, 'base')
}

function hasParameter({ inputSchema }: ToolDefinition, name: string): boolean {
  const { properties } = inputSchema
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, name)
}

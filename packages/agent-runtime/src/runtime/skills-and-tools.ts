import { once } from '../concurrency/once.ts'
import type { Knowledge } from '../knowledge/knowledge.ts'
import type { Embedder } from '../memory/embedder.ts'
import type { AgentCode } from '../ports/agent-code.ts'
import { reservedToolIds } from '../ports/built-in-tool-ids.ts'
import type { Logger } from '../ports/logger.ts'
import { reasonOf } from '../ports/reason-of.ts'
import type { ToolSource } from '../ports/tool.ts'
import type { UserLogins } from '../ports/user-logins.ts'
import type { RuntimeSettings } from '../settings/runtime-settings.ts'
import type { InstalledSkills } from '../skills/create-installed-skills.ts'
import type { SkillLibrary } from '../skills/skill-library.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { AgentTools } from '../tools/agent-tools.ts'
import type { RunAgent } from '../tools/built-in/run-agent-tool.ts'
import type { AgentMessages } from '../tools/built-in/send-message-tool.ts'
import { createAgentTools, defaultResultBytes } from '../tools/create-agent-tools.ts'
import type { McpCatalog } from '../tools/mcp/mcp-catalog.ts'
import type { DataHome } from './data-home.ts'
import { givenOptions } from './given-options.ts'
import type { RuntimeOptions } from './runtime-options.ts'

/** What {@link openSkillsAndTools} is built from. */
interface SkillsAndToolsOptions {
  readonly options: RuntimeOptions
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly home: DataHome
  readonly store: RuntimeStore
  readonly settings: RuntimeSettings
  readonly embedder: Embedder | undefined
  readonly collections: () => Promise<Knowledge>
  readonly runAgent: RunAgent
  /** What agents that are defined in code have. */
  readonly code: ReadonlyMap<string, AgentCode>
  readonly sendMessage: AgentMessages['send']
  /** Lets runs go on that wait for the login of a user. */
  readonly onLogin: (server: string, userId: string) => Promise<void>
  /** Lets runs go on that wait for what an MCP server says is done. */
  readonly onElicited: (server: string, id: string) => Promise<void>
  readonly logger: Logger
  readonly now: () => number
  readonly createId: () => string
}

/** The tools of agents, and the library of skills. */
interface SkillsAndTools {
  readonly tools: AgentTools
  /** Loaded by the first call that needs it. */
  readonly skills: () => Promise<SkillLibrary>
  /** Loaded by the first call that needs it. */
  readonly mcp: () => Promise<McpCatalog>
  readonly logins: UserLogins
}

/**
 * First the skills that are installed, then the tools, some of which come from skills, then the library, which shows the
 * tools of each skill. An agent without skills needs no YAML and no zip, so the reader and the library load when used.
 */
export function openSkillsAndTools(given: SkillsAndToolsOptions): SkillsAndTools {
  const { options, environment, home, store, settings, embedder, runAgent, logger, now, createId, code } =
    given

  const installed = once(async (): Promise<InstalledSkills> => {
    const { createInstalledSkills } = await import('../skills/create-installed-skills.ts')
    return createInstalledSkills({ home: home.path, reservedToolIds: reservedToolIds })
  })

  const mcp = once(async () => {
    const { openMcp } = await import('../tools/mcp/open-mcp.ts')
    return openMcp({
      home: options.home === undefined ? undefined : home.path,
      servers: options.mcpServers ?? {},
      environment,
      fetch: options.fetch,
      resolveHost: options.resolveHost,
      publicUrl: async () => (await settings.read()).public_url ?? options.platformOrigins?.()[0],
      onLogin: given.onLogin,
      onElicited: given.onElicited,
      now,
      logger,
      maxResultBytes: options.maxResultBytes ?? defaultResultBytes,
    })
  })
  const tools = createAgentTools({
    mcp,
    ...givenOptions(options, ['skillBase', 'platformOrigins', 'sandbox', 'execLimits']),
    ...givenOptions(options, ['maxResultBytes', 'maxAgentDepth', 'workspaceLimits', 'resolveHost']),
    home: home.path,
    skills: {
      snapshot: async () => (await installed()).snapshot(),
      config: async (skillId) => (await installed()).config(skillId),
    },
    settings,
    environment,
    memory: store,
    collections: given.collections,
    ...(embedder && { embedder }),
    runAgent,
    messages: { send: given.sendMessage, findChat: (id) => findChat(store, id) },
    sources: sourcesOf(options, code),
    logger,
    now,
    createId,
  })

  const skills = once(async () => {
    const { createSkillLibrary } = await import('../skills/create-skill-library.ts')
    return createSkillLibrary({
      installed: await installed(),
      tools,
      prepareHome: () => home.prepare(),
      settings,
      environment,
      seedFolder: options.seedFolder,
      onChange: (skillId, change) => noteChange({ store, logger, now }, skillId, change),
      fetch: options.fetch,
      now,
    })
  })
  const logins: UserLogins = {
    has: async (...asked) => (await mcp()).logins.has(...asked),
    begin: async (...asked) => (await mcp()).logins.begin(...asked),
  }
  return { tools, skills, mcp: async () => (await mcp()).catalog, logins }
}

/** Where the app's own tools come from. The first of two tools with one id stays: those of the agent itself. */
function sourcesOf(options: RuntimeOptions, code: ReadonlyMap<string, AgentCode>): readonly ToolSource[] {
  const { tools, toolSources = [] } = options
  return [
    { toolsFor: async (agentId) => code.get(agentId)?.tools ?? [] },
    ...(tools && tools.length > 0 ? [{ toolsFor: async () => tools }] : []),
    ...toolSources,
    ...(options.toolsFor
      ? [{ toolsFor: async (_, signal, run) => options.toolsFor?.(run, signal) ?? [] } satisfies ToolSource]
      : []),
  ]
}

/** A conversation of a chat begins with the name of its channel. */
async function findChat(store: RuntimeStore, conversationId: string) {
  const end = conversationId.indexOf(':')
  const chat = end === -1 ? undefined : await store.findChat(conversationId.slice(0, end), conversationId)
  return chat && { channel: chat.channel, conversation_id: chat.id }
}

async function noteChange(
  { store, logger, now }: Pick<SkillsAndToolsOptions, 'store' | 'logger' | 'now'>,
  skillId: string,
  change: string,
): Promise<void> {
  const event = { type: 'skill.changed', timestamp: new Date(now()).toISOString() } as const
  try {
    await store.appendEvents([{ ...event, data: { skill_id: skillId, change } }])
  } catch (error) {
    // the skill has changed all the same
    const reason = reasonOf(error)
    logger.error('Recording a change of a skill in the journal failed.', { skillId, reason })
  }
}

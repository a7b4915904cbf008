import type { Agent, ReportTarget } from '@homeward/contract/agent-platform'
import type { Embedder } from '../../memory/embedder.ts'
import type { MemoryStore } from '../../store/ports/memory-store.ts'
import type { Tool } from '../../ports/tool.ts'
import type { LoadedSkill } from '../../skills/skill-library.ts'
import type { WorkspaceLimits } from '../workspace/workspace.ts'
import { createFileTools } from './file-tools.ts'
import { createMemoryTools } from './memory-tools.ts'
import { createReadSkillTool } from './read-skill-tool.ts'
import { createRunAgentTool } from './run-agent-tool.ts'
import type { RunAgent } from './run-agent-tool.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { AllowedHosts } from '../web/allowed-hosts.ts'
import { createSendMessageTool, type AgentMessages } from './send-message-tool.ts'
import { createTimeTool } from './time-tool.ts'
import { createWebFetchTool } from './web-fetch-tool.ts'

const defaultAgentDepth = 3

/** What the built-in tools work with. */
export interface BuiltInToolOptions {
  readonly memory: Pick<MemoryStore, 'writeMemory' | 'searchMemories'>
  readonly embedder?: Embedder
  readonly runAgent?: RunAgent
  /** Sends messages to chats. Without it there is no `send_message`. */
  readonly messages?: AgentMessages
  readonly maxAgentDepth?: number
  readonly maxResultBytes: number
  /** For the tool that fetches web pages. */
  readonly http: HttpClient
  readonly workspaceLimits?: Partial<WorkspaceLimits>
  readonly now?: () => number
  readonly createId?: () => string
}

/** What the built-in tools of a run depend on. */
export interface BuiltInToolsOfRun {
  readonly agent: Agent
  readonly skills: ReadonlyMap<string, LoadedSkill>
  /** Where web pages may be fetched from. Undefined: there is no `web_fetch`. */
  readonly hosts: AllowedHosts | undefined
  /** Chat that the run answers in. */
  readonly chat: ReportTarget | undefined
}

/** Gives an agent with its skills the built-in tools. */
type BuiltInTools = (run: BuiltInToolsOfRun) => Tool[]

/** The built-in allowlist (A18). There is no shell in it. */
export function createBuiltInTools(options: BuiltInToolOptions): BuiltInTools {
  const {
    memory,
    embedder,
    runAgent,
    messages,
    maxResultBytes,
    http,
    maxAgentDepth = defaultAgentDepth,
  } = options
  const { now = Date.now, createId = () => crypto.randomUUID(), workspaceLimits = {} } = options
  const memoryOptions = { memory, now, maxResultBytes, ...(embedder && { embedder }) }
  const ofAll = [
    ...createMemoryTools(memoryOptions),
    ...createFileTools({ workspace: { ...workspaceLimits, createId }, maxResultBytes }),
  ]
  const last = runAgent === undefined ? [] : [createRunAgentTool(runAgent, maxAgentDepth, maxResultBytes)]
  const sendTools = (chats: readonly ReportTarget[]) =>
    messages && chats.length > 0 ? [createSendMessageTool(messages.send, chats)] : []
  return ({ agent, skills, hosts, chat }) => [
    createTimeTool(now, agent.timezone),
    ...ofAll,
    ...(skills.size > 0 ? [createReadSkillTool(skills, maxResultBytes)] : []),
    ...(hosts ? [createWebFetchTool(hosts, http, maxResultBytes)] : []),
    ...sendTools([...(agent.report_to ?? []), ...(chat ? [chat] : [])]),
    ...last,
  ]
}

import type { Agent, ReportTarget } from '@homeward/contract/agent-platform'
import type { Embedder } from '../../memory/embedder.ts'
import type { MemoryStore } from '../../store/ports/memory-store.ts'
import type { Tool } from '../../ports/tool.ts'
import type { LoadedSkill } from '../../skills/skill-library.ts'
import { type WorkspaceLimits, openWorkspace } from '../workspace/workspace.ts'
import { createFileTools } from './file-tools.ts'
import { askUserTool } from './ask-user-tool.ts'
import { createMemoryTools } from './memory-tools.ts'
import { createRunAgentTool, type RunAgent } from './run-agent-tool.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { AllowedHosts } from '../web/allowed-hosts.ts'
import { createSendMessageTool, type AgentMessages } from './send-message-tool.ts'
import { createWebFetchTool } from './web-fetch-tool.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { textOf } from './read-arguments.ts'
import { boundResult } from '../bound-result.ts'
import { boundText } from '../exec/bounded-output.ts'
import { skillFolder } from '../skill-folder.ts'

const defaultAgentDepth = 3

/** What the built-in tools work with. */
interface BuiltInToolOptions {
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
interface BuiltInToolsOfRun {
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
    ...(agent.ask_user ? [askUserTool] : []),
    ...last,
  ]
}

/** Tells the time. @param timeZone IANA zone that is meant when the model names none. */
function createTimeTool(now: () => number, timeZone = 'UTC'): Tool {
  return {
    id: 'time',
    description: `Tells the current date and time, in ${timeZone} unless another time zone is named.`,
    inputSchema: {
      type: 'object',
      properties: { timezone: { type: 'string', description: 'IANA time zone, such as Europe/Berlin.' } },
      additionalProperties: false,
    },
    effects: 'read',
    idempotent: true,
    returnsUntrustedContent: false,
    async execute(args) {
      const zone = textOf(args, 'timezone', timeZone)
      const at = new Date(now())
      return { utc: at.toISOString(), timezone: zone, local: localTime(at, zone) }
    },
  }
}

function localTime(at: Date, timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'long' }).format(at)
  } catch (cause) {
    const text = `Getting the time failed: ${JSON.stringify(timeZone.slice(0, 100))} is not an IANA time zone name. Use a name such as Europe/Berlin.`
    throw new RuntimeError('validation_error', text, { cause })
  }
}

const maxListed = 200

/** Opens a skill of the agent: its instructions, or one of its files (A15). */
export function createReadSkillTool(skills: ReadonlyMap<string, LoadedSkill>, maxResultBytes: number): Tool {
  return {
    id: 'read_skill',
    description: 'Opens one of your skills: gives its instructions and its files, or the text of one file.',
    inputSchema: {
      type: 'object',
      properties: {
        skill: { type: 'string', enum: [...skills.keys()] },
        file: { type: 'string', maxLength: 4096, description: 'Relative path of a file of the skill.' },
      },
      required: ['skill'],
      additionalProperties: false,
    },
    effects: 'read',
    idempotent: true,
    returnsUntrustedContent: false,
    async execute(args) {
      const name = textOf(args, 'skill')
      const skill = skills.get(name) ?? [...skills.values()].find((candidate) => candidate.name === name)
      if (skill === undefined) {
        const text = `Opening the skill ${JSON.stringify(name.slice(0, 100))} failed: this agent has no such skill.`
        throw new RuntimeError('not_found', text)
      }
      // the same care as for a workspace: an archive may have brought links
      const folder = openWorkspace(await skillFolder(skill))
      const file = textOf(args, 'file', '')
      if (file !== '') {
        const { bytes, size } = await folder.read(file, 0, maxResultBytes)
        const { text: content, truncated } = boundText(bytes, maxResultBytes, bytes.length < size)
        return { skill: skill.id, file, content, ...(truncated ? { truncated, size } : {}) }
      }
      const files = await folder.list('', true, maxListed)
      return {
        skill: skill.id,
        instructions: boundResult(skill.instructions, maxResultBytes),
        files: files.filter((entry) => entry.type === 'file').map((entry) => entry.path),
        tools: skill.tools.map((tool) => tool.id),
      }
    },
  }
}

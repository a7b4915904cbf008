import type { Agent } from '@homeward/contract/agent-platform'
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
import { createTimeTool } from './time-tool.ts'

const defaultAgentDepth = 3

/** What the built-in tools work with. */
export interface BuiltInToolOptions {
  readonly memory: Pick<MemoryStore, 'writeMemory' | 'searchMemories'>
  readonly embedder?: Embedder
  readonly runAgent?: RunAgent
  readonly maxAgentDepth?: number
  readonly maxResultBytes: number
  readonly workspaceLimits?: Partial<WorkspaceLimits>
  readonly now?: () => number
  readonly createId?: () => string
}

/** Gives an agent with its skills the built-in tools. */
type BuiltInTools = (agent: Agent, skills: ReadonlyMap<string, LoadedSkill>) => Tool[]

/** The built-in allowlist (A18). There is no shell in it. */
export function createBuiltInTools(options: BuiltInToolOptions): BuiltInTools {
  const { memory, embedder, runAgent, maxResultBytes, maxAgentDepth = defaultAgentDepth } = options
  const { now = Date.now, createId = () => crypto.randomUUID(), workspaceLimits = {} } = options
  const memoryOptions = { memory, now, maxResultBytes, ...(embedder && { embedder }) }
  const ofAll = [
    ...createMemoryTools(memoryOptions),
    ...createFileTools({ workspace: { ...workspaceLimits, createId }, maxResultBytes }),
  ]
  const last = runAgent === undefined ? [] : [createRunAgentTool(runAgent, maxAgentDepth, maxResultBytes)]
  return (agent, skills) => [
    createTimeTool(now, agent.timezone),
    ...ofAll,
    ...(skills.size > 0 ? [createReadSkillTool(skills, maxResultBytes)] : []),
    ...last,
  ]
}

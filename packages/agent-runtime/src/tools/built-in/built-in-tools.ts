import type { Agent } from '@homeward/contract/agent-platform'
import type { Embedder } from '../../memory/embedder.ts'
import type { MemoryStore } from '../../ports/memory-store.ts'
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

/** The built-in allowlist (A18). There is no shell in it. @param skills Those of the agent. */
export function createBuiltInTools(
  agent: Agent,
  skills: ReadonlyMap<string, LoadedSkill>,
  options: BuiltInToolOptions,
): Tool[] {
  const { memory, embedder, runAgent, maxResultBytes, maxAgentDepth = defaultAgentDepth } = options
  const { now = Date.now, createId = () => crypto.randomUUID(), workspaceLimits = {} } = options
  const memoryOptions = { memory, now, createId, maxResultBytes, ...(embedder && { embedder }) }
  return [
    createTimeTool(now, agent.timezone),
    ...createMemoryTools(memoryOptions),
    ...createFileTools({ workspace: { ...workspaceLimits, createId }, maxResultBytes }),
    ...(skills.size > 0 ? [createReadSkillTool(skills, maxResultBytes)] : []),
    ...(runAgent === undefined ? [] : [createRunAgentTool(runAgent, maxAgentDepth, maxResultBytes)]),
  ]
}

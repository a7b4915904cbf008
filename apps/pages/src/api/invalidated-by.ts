import type { AgentPlatformOperations } from '@homeward/contract/agent-platform'

type Id = keyof AgentPlatformOperations

const runs: readonly Id[] = ['listRuns', 'getRun']
// The list of tasks follows them by itself.
const tasks: readonly Id[] = ['getTask']

const byFamily: Readonly<Record<string, readonly Id[]>> = {
  task: tasks,
  agent: [...runs, ...tasks, 'listConversations', 'getConversation'],
  model: runs,
  graph: [...runs, ...tasks],
  tool: runs,
  approval: [...runs, ...tasks],
  schedule: ['listSchedules', ...tasks],
  channel: ['getChannelStatus', 'listChannelMessages', 'listChannelSenders', 'listConversations'],
  skill: ['listSkills', 'getSkill'],
}

/** Operations whose answers may be others after an event of this kind. */
export function invalidatedBy(type: string): readonly Id[] {
  return byFamily[type.slice(0, type.indexOf('.'))] ?? []
}

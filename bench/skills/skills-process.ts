import { createRuntime } from '@homeward/agent-runtime'
import { answerParent } from '../child.ts'

/** What the process that loads skills can be asked for. */
export type SkillsProcessCalls = typeof calls

const [home = ''] = process.argv.slice(2)
const runtime = createRuntime({ home, environment: {} })

// The database of an earlier process has the agents already.
for (const [id, skills] of [
  ['plain', []],
  ['skilled', ['skill-0007']],
] as const) {
  const agent = { id, model: 'test/echo', skills: [...skills] }
  await runtime.agents.create(agent).catch(() => runtime.agents.update(id, agent))
}

const calls = {
  /** Lists all skills: reads what is new, and looks at what is known. */
  async list(): Promise<{ ms: number; count: number }> {
    const startedAt = performance.now()
    const skills = await runtime.skills.list()
    return { ms: performance.now() - startedAt, count: skills.filter((skill) => !('error' in skill)).length }
  },

  /** Milliseconds of a run of an agent whose model just answers. */
  async run(agentId: 'plain' | 'skilled'): Promise<number> {
    const startedAt = performance.now()
    await runtime.run({ agent_id: agentId, task: 'Hello' })
    return performance.now() - startedAt
  },
}
answerParent(calls, () => runtime.close())

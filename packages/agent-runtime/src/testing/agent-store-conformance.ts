import type { Agent } from '@homeward/contract/agent-platform'
import type { AgentStore } from '../store/ports/agent-store.ts'
import type { StoreHarness } from './conformance-case.ts'
import type { ConformanceCase } from '@homeward/kit/testing'
import { agentOf } from './conformance-fixtures.ts'
import { definitionCases } from './definition-cases.ts'

/**
 * Conformance cases for an `AgentStore`, for any test runner.
 *
 * @example
 * for (const { name, run } of agentStoreConformance) it(name, () => run({ create: async () => ({ store: createMyStore() }) }))
 */
export const agentStoreConformance: readonly ConformanceCase<StoreHarness<AgentStore>>[] = definitionCases<
  AgentStore,
  Agent
>({
  decision: 'A3',
  one: 'an agent',
  many: 'agents',
  create: agentOf,
  withoutField(agent) {
    const { personality: _, ...rest } = agent
    return rest
  },
  spoil: ({ skills }) => void skills.push('another'),
  verbsOf: (store) => ({
    insert: (agent, signal) => store.insertAgent(agent, undefined, signal),
    replace: async (agent, signal) => (await store.replaceAgent(agent, undefined, signal)) !== undefined,
    remove: (id, signal) => store.deleteAgent(id, undefined, signal),
    // versions have cases of their own
    async find(id, signal) {
      const agent = await store.findAgent(id, signal)
      return agent && { ...agent, version: 1 }
    },
    list: async (signal) => (await store.listAgents(signal)).map((agent) => ({ ...agent, version: 1 })),
  }),
})

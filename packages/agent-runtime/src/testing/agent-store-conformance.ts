import type { AgentStore } from '../ports/agent-store.ts'
import type { ConformanceCase, StoreHarness } from './conformance-case.ts'
import { race, storeCase } from './conformance-case.ts'
import { expectAborts, expectSame } from './conformance-expect.ts'
import { agentOf, at, idsOf } from './conformance-fixtures.ts'

/**
 * Everything that an `AgentStore` promises, as cases for any test runner.
 *
 * @example
 * for (const { name, run } of agentStoreConformance) it(name, () => run({ create: async () => ({ store: createMyStore() }) }))
 */
export const agentStoreConformance: readonly ConformanceCase<StoreHarness<AgentStore>>[] = [
  storeCase('A3: gives an agent back as it was', async (store) => {
    expectSame(await store.insertAgent(agentOf('a1')), true, 'the insertion')
    expectSame(await store.findAgent('a1'), agentOf('a1'), 'the agent')
    expectSame(await store.findAgent('A1'), undefined, 'an agent under another spelling')
    expectSame(await store.listAgents(), [agentOf('a1')], 'the list')
  }),
  storeCase('A3: an id is given once, however many insertions race', async (store) => {
    const outcomes = await race((index) => store.insertAgent(agentOf('a1', { name: `n${index}` })))
    const winner = outcomes.indexOf(true)
    expectSame(outcomes.filter(Boolean).length, 1, 'how many insertions succeeded')
    expectSame((await store.findAgent('a1'))?.name, `n${winner}`, 'the agent that is kept')
    expectSame(await store.insertAgent(agentOf('a1', { name: 'late' })), false, 'a late insertion')
    expectSame((await store.findAgent('a1'))?.name, `n${winner}`, 'the agent after it')
  }),
  storeCase('A3: replaces an agent as a whole, and only one that is there', async (store) => {
    const { personality: _, ...plain } = agentOf('a1', { model: 'test/other', updated_at: at(5) })
    expectSame(await store.replaceAgent(plain), false, 'replacing none')
    expectSame(await store.listAgents(), [], 'the list after replacing none')
    await store.insertAgent(agentOf('a1'))
    await store.insertAgent(agentOf('a2'))
    expectSame(await store.replaceAgent(plain), true, 'replacing one')
    expectSame(await store.listAgents(), [plain, agentOf('a2')], 'the list')
  }),
  storeCase('A3: deletes an agent once, however many deletions race', async (store) => {
    await store.insertAgent(agentOf('a1'))
    await store.insertAgent(agentOf('a2'))
    const outcomes = await race(() => store.deleteAgent('a1'))
    expectSame(outcomes.filter(Boolean).length, 1, 'how many deletions succeeded')
    expectSame(await store.findAgent('a1'), undefined, 'the deleted agent')
    expectSame(idsOf(await store.listAgents()), ['a2'], 'the list')
    expectSame(await store.insertAgent(agentOf('a1')), true, 'a new agent under the id')
  }),
  storeCase('A3: lists agents oldest first, then by id', async (store) => {
    for (const [id, second] of [
      ['c', 1],
      ['b', 2],
      ['a', 2],
      ['d', 0],
    ] as const) {
      await store.insertAgent(agentOf(id, { created_at: at(second) }))
    }
    expectSame(idsOf(await store.listAgents()), ['d', 'c', 'a', 'b'], 'the order')
  }),
  storeCase('an agent does not change with the object it was given or gave', async (store) => {
    const given = agentOf('a1', { skills: ['one'] })
    await store.insertAgent(given)
    given.skills.push('two')
    const found = await store.findAgent('a1')
    found?.skills.push('three')
    expectSame((await store.findAgent('a1'))?.skills, ['one'], 'the skills')
  }),
  storeCase('verbs on agents give up when their signal has aborted', async (store) => {
    await store.insertAgent(agentOf('a1'))
    await expectAborts({
      insertAgent: (signal) => store.insertAgent(agentOf('a2'), signal),
      replaceAgent: (signal) => store.replaceAgent(agentOf('a1', { name: 'new' }), signal),
      deleteAgent: (signal) => store.deleteAgent('a1', signal),
      findAgent: (signal) => store.findAgent('a1', signal),
      listAgents: (signal) => store.listAgents(signal),
    })
    expectSame(await store.listAgents(), [agentOf('a1')], 'the list afterwards')
  }),
  storeCase('agents are still there when the storage is opened again', async (store, { reopen }) => {
    await store.insertAgent(agentOf('a1'))
    if (reopen === undefined) return
    expectSame(await (await reopen()).listAgents(), [agentOf('a1')], 'the list')
  }),
]

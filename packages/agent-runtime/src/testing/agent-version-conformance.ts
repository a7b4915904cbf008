import { type ConformanceCase, expectAborts, expectSame, race } from '@homeward/kit/testing'
import type { AgentStore, AgentVersionStore } from '../store/ports/agent-store.ts'
import { storeCase, type StoreHarness } from './conformance-case.ts'
import { agentOf, at, entryOf } from './conformance-fixtures.ts'

type VersionedStore = AgentStore & AgentVersionStore

const page = { limit: 10 }
const numbersOf = async (store: VersionedStore, id = 'a1', limit = 300) =>
  (await store.listAgentVersions(id, { limit })).rows.map(({ version }) => version)

/** Everything that an `AgentVersionStore` promises, as cases for any test runner. */
export const agentVersionConformance: readonly ConformanceCase<StoreHarness<VersionedStore>>[] = [
  storeCase('records a version with each change of an agent that changes something', async (store) => {
    await store.insertAgent(agentOf('a1', { name: 'one', version: 7 }), entryOf('e1', { actor: 'ann' }))
    expectSame(await store.replaceAgent(agentOf('a1', { name: 'two', updated_at: at(1) })), 2, 'a change')
    const same = agentOf('a1', { name: 'two', updated_at: at(2) })
    expectSame(await store.replaceAgent(same), 2, 'a change of nothing')
    const { name: _, ...unnamed } = same
    expectSame(await store.replaceAgent(unnamed, entryOf('e2', { actor: 'bob' })), 3, 'a field that is gone')
    expectSame((await store.findAgent('a1'))?.version, 3, 'the version of the agent')
    const { rows } = await store.listAgentVersions('a1', page)
    expectSame(
      rows.slice(0, 2),
      [
        { version: 3, created_at: at(2), actor: 'bob', changes: [{ field: 'name', before: 'two' }] },
        { version: 2, created_at: at(1), changes: [{ field: 'name', before: 'one', after: 'two' }] },
      ],
      'the newest versions',
    )
    expectSame(rows[2]?.actor, 'ann', 'who made the first version')
    expectSame(
      rows[2]?.changes.find(({ field }) => field === 'name'),
      { field: 'name', after: 'one' },
      'the first version',
    )
    expectSame((await store.findAgentVersion('a1', 1))?.name, 'one', 'the agent as it was')
    expectSame(await store.findAgentVersion('a1', 9), undefined, 'a version that does not exist')
  }),
  storeCase('counts every one of the changes that race', async (store) => {
    await store.insertAgent(agentOf('a1'))
    const versions = await race((index) => store.replaceAgent(agentOf('a1', { name: `n${index}` })))
    expectSame(new Set(versions).size, versions.length, 'how many versions there are')
    expectSame((await numbersOf(store)).length, versions.length + 1, 'the list')
  }),
  storeCase('lists versions by pages, and stores the newest 200', async (store) => {
    await store.insertAgent(agentOf('a1'))
    await Promise.all(
      Array.from({ length: 203 }, (_, index) => store.replaceAgent(agentOf('a1', { name: `n${index}` }))),
    )
    const first = await store.listAgentVersions('a1', { limit: 2 })
    expectSame(
      first.rows.map(({ version }) => version),
      [204, 203],
      'the first page',
    )
    const next = await store.listAgentVersions('a1', { limit: 1, cursor: first.nextCursor })
    expectSame(
      next.rows.map(({ version }) => version),
      [202],
      'the next page',
    )
    const all = await store.listAgentVersions('a1', { limit: 200 })
    expectSame(
      [all.rows.length, all.rows.at(-1)?.version, all.nextCursor],
      [200, 5, undefined],
      'all of them',
    )
    expectSame(all.rows.at(-1)?.changes.length, 1, 'what the oldest one changed')
    expectSame(await store.findAgentVersion('a1', 3), undefined, 'a version that is gone')
  }),
  storeCase('deletes versions with their agent, and begins again with a new one', async (store) => {
    await store.insertAgent(agentOf('a1'))
    await store.insertAgent(agentOf('a2'))
    await store.replaceAgent(agentOf('a1', { name: 'n' }))
    await store.deleteAgent('a1')
    expectSame([await numbersOf(store), await numbersOf(store, 'a2')], [[], [1]], 'the lists')
    await store.insertAgent(agentOf('a1'))
    expectSame(await numbersOf(store), [1], 'the versions of the new agent')
  }),
  storeCase('records agents that are stored elsewhere, however often they are read', async (store) => {
    const save = (changes: Parameters<typeof agentOf>[1], actor?: string) =>
      store.saveAgentVersion(agentOf('f1', changes), actor)
    expectSame(await save({}), 1, 'the first version')
    expectSame(
      await race(() => save({ name: 'n', updated_at: at(3) }, 'ann')),
      Array.from({ length: 8 }, () => 2),
      'a change',
    )
    expectSame(
      (await store.listAgentVersions('f1', { limit: 1 })).rows,
      [{ version: 2, created_at: at(3), actor: 'ann', changes: [{ field: 'name', after: 'n' }] }],
      'the newest version',
    )
    expectSame(await store.findAgent('f1'), undefined, 'the agent, which is elsewhere')
    await store.deleteAgentVersions('f1')
    expectSame(await numbersOf(store, 'f1'), [], 'the list after deleting them')
  }),
  storeCase('verbs on versions give up when their signal has aborted', async (store) => {
    await store.insertAgent(agentOf('a1'))
    await expectAborts({
      list: (signal) => store.listAgentVersions('a1', page, signal),
      find: (signal) => store.findAgentVersion('a1', 1, signal),
      save: (signal) => store.saveAgentVersion(agentOf('a1', { name: 'n' }), undefined, signal),
      delete: (signal) => store.deleteAgentVersions('a1', signal),
    })
    expectSame(await numbersOf(store), [1], 'the list afterwards')
  }),
]

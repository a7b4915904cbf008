import { createNodeFunctions } from './node-functions.ts'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestStore } from '../testing/create-test-store.ts'
import { withHostChecks } from '../runtime/host-checks.ts'
import type { NewJournalEvent } from '../store/ports/journal.ts'
import type { NewGraphRun } from '../store/ports/run-store.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { createSqliteStore } from '../store/sqlite/create-sqlite-store.ts'
import { createGraphs } from './create-graphs.ts'

let folder: string
const opened: RuntimeStore[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-graphs-'))
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()))
  await rm(folder, { recursive: true })
})

const stores: Record<string, () => RuntimeStore> = {
  memory: () => createTestStore(),
  'a database file': () => createSqliteStore({ path: join(folder, 'agents.db') }),
}

function open(createStore: () => RuntimeStore) {
  const store = createStore()
  opened.push(store)
  const started: { readonly run: NewGraphRun; readonly journal: readonly NewJournalEvent[] }[] = []
  let nowMs = Date.parse('2026-01-01T00:00:00Z')
  let joins: string | undefined
  const graphs = withHostChecks(
    'graphs',
    createGraphs({
      functions: createNodeFunctions(0),
      store,
      agents: { find: async (id) => (id === 'a' || id === 'b' ? {} : undefined) },
      runs: {
        find: async (id) => {
          const run = started[0]?.run
          return (
            run && {
              id,
              graph_id: run.graph.id,
              task: run.task,
              status: 'running',
              created_at: '',
              source: 'api' as const,
              waits: [],
              approvals: [],
            }
          )
        },
        async startGraph(run, journal) {
          started.push({ run, journal })
          return { runId: joins ?? run.id, result: new Promise(() => {}) }
        },
      },
      now: () => (nowMs += 1000),
      createId: () => crypto.randomUUID(),
    }),
  )
  return { store, graphs, started, join: (id: string) => void (joins = id) }
}

const nodes = [
  { id: 'x', agent: 'a' },
  { id: 'y', agent: 'b', input: 'See {{x}}' },
]
const edges = [{ from: 'x', to: 'y', when: { contains: 'yes' } }]

describe.each(Object.entries(stores))('graphs in %s', (_, createStore) => {
  it('A10: creates with an id of its own or the one it is given, and refuses one that is taken', async () => {
    const { graphs } = open(createStore)
    const first = await graphs.create({ id: 'g', nodes, edges, name: 'Mine' })
    const second = await graphs.create({ nodes: nodes.slice(0, 1) })
    expect(first).toEqual({
      id: 'g',
      name: 'Mine',
      nodes,
      edges,
      schedule_enabled: true,
      created_at: '2026-01-01T00:00:01.000Z',
      updated_at: '2026-01-01T00:00:01.000Z',
    })
    expect(second).toMatchObject({ id: expect.stringMatching(/^graph-[a-z0-9]{12}$/), edges: [] })
    await expect(graphs.create({ id: 'g', nodes, edges })).rejects.toMatchObject({ code: 'conflict' })
    expect(await graphs.list()).toEqual([first, second])
    expect(await graphs.get('g')).toEqual(first)
  })

  it('A10: a change merges, is checked as a whole, and clears with null', async () => {
    const { graphs } = open(createStore)
    const before = await graphs.create({ id: 'g', nodes, edges, name: 'Old', schedule: '0 9 * * *' })
    const after = await graphs.update('g', { name: null, schedule: '', description: 'New' })
    const { name: __, schedule: ___, ...kept } = before
    expect(after).toEqual({ ...kept, description: 'New', updated_at: after.updated_at })
    expect(after.updated_at > before.updated_at).toBe(true)
    await expect(graphs.update('g', { nodes: [{ id: 'x', agent: 'a' }] })).rejects.toMatchObject({
      code: 'validation_error',
      details: { problems: [{ path: 'edges.0.to', message: 'no node has the id "y"' }] },
    })
    expect(await graphs.get('g')).toEqual(after)
  })

  it.each([[null], [''], [[]]])(
    'A10: edges are cleared by %j as other fields are, nodes are not',
    async (none) => {
      const { graphs } = open(createStore)
      await graphs.create({ id: 'g', nodes: nodes.map(({ id, agent }) => ({ id, agent })), edges })
      expect((await graphs.update('g', { edges: none as null })).edges).toEqual([])
      const cleared = graphs.update('g', { nodes: none as never })
      await expect(cleared).rejects.toMatchObject({ message: expect.stringContaining('nodes') })
    },
  )

  it('A10: changes of one graph that race all take effect', async () => {
    const { graphs } = open(createStore)
    await graphs.create({ id: 'g', nodes, edges })
    await Promise.all([graphs.update('g', { name: 'N' }), graphs.update('g', { description: 'D' })])
    expect(await graphs.get('g')).toMatchObject({ name: 'N', description: 'D' })
  })

  it('A10: what is not there is not found', async () => {
    const { graphs } = open(createStore)
    await graphs.create({ id: 'g', nodes, edges })
    await graphs.delete('g')
    const missing = { code: 'not_found' }
    await expect(graphs.get('g')).rejects.toMatchObject(missing)
    await expect(graphs.delete('g')).rejects.toMatchObject(missing)
    await expect(graphs.update('g', {})).rejects.toMatchObject(missing)
    await expect(graphs.start({ graph_id: 'g', input: '' })).rejects.toMatchObject(missing)
    expect(await graphs.find('g')).toBeUndefined()
  })

  it.each([
    [{ nodes: [] }, 'nodes'],
    [{ nodes: [{ id: 'x y', agent: 'a' }] }, 'nodes.0.id'],
    [{ nodes, schedule: 'every day' }, 'schedule'],
    [{ nodes, timezone: 'Mars/Olympus' }, 'timezone'],
    [{ nodes, edges: [{ from: 'y', to: 'x' }, ...edges] }, 'must not form a cycle'],
    [{ nodes, edges: [{ from: 'x', to: 'y', when: { is: 'yes' } }] }, 'edges.0.when'],
  ])('A10: refuses %j', async (given, named) => {
    const { graphs } = open(createStore)
    // as a host without types may call it
    await expect(graphs.create(given as Parameters<typeof graphs.create>[0])).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining(named),
    })
  })

  it('A10: starts a run of the graph as it is, with its budget', async () => {
    const { graphs, started } = open(createStore)
    const graph = await graphs.create({ id: 'g', nodes, edges, budget: { max_tokens: 500, period: 'day' } })
    await graphs.start({
      graph_id: 'g',
      input: 'Go',
      user_id: 'u',
      budget: { max_tokens: 100 },
      idempotency_key: 'k',
    })
    const { id } = started[0]?.run ?? {}
    expect(started).toEqual([
      {
        run: {
          kind: 'graph',
          id,
          graph,
          task: 'Go',
          source: 'api',
          userId: 'u',
          idempotencyKey: 'k',
          depth: 0,
          tainted: false,
          accounts: [
            { key: 'graph:g:2026-01-01', maxTokens: 500 },
            { key: `run:${id}`, maxTokens: 100 },
          ],
          createdAt: '2026-01-01T00:00:02.000Z',
        },
        journal: [
          {
            type: 'graph.started',
            timestamp: '2026-01-01T00:00:02.000Z',
            runId: id,
            data: { graph_id: 'g', task: 'Go' },
          },
        ],
      },
    ])
  })

  it('A10: a key that belongs to another run is a conflict', async () => {
    const { graphs, join } = open(createStore)
    await graphs.create({ id: 'g', nodes, edges })
    const { runId } = await graphs.start({ graph_id: 'g', input: 'Go', idempotency_key: 'k' })
    join(runId)
    expect((await graphs.start({ graph_id: 'g', input: 'Go', idempotency_key: 'k' })).runId).toBe(runId)
    const other = graphs.start({ graph_id: 'g', input: 'Other', idempotency_key: 'k' })
    await expect(other).rejects.toMatchObject({ code: 'conflict' })
  })

  it('A10: who has the key of a run may join it after the graph was deleted', async () => {
    const { store, graphs, started, join } = open(createStore)
    await graphs.create({ id: 'g', nodes, edges })
    const request = { graph_id: 'g', input: 'Go', idempotency_key: 'k' }
    const { runId } = await graphs.start(request)
    const [first] = started
    if (first) await store.insertRun(first.run, { owner: 'me', until: '2026-01-02T00:00:00.000Z' }, [])
    await graphs.delete('g')
    join(runId)
    expect((await graphs.start(request)).runId).toBe(runId)
    const other = graphs.start({ ...request, idempotency_key: 'other' })
    await expect(other).rejects.toMatchObject({ code: 'not_found' })
  })
})

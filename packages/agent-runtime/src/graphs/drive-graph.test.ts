import { expect, it } from 'vitest'
import { RuntimeError } from '../ports/runtime-error.ts'
import { createGraphKit, graphOf } from './testing/graph-kit.ts'

const tasksOf = (kit: ReturnType<typeof createGraphKit>) =>
  Object.fromEntries(kit.attempts.map(({ node, task }) => [node, task]))

it('A10: passes outputs along the edges and gives the text of the only sink', async () => {
  const kit = createGraphKit({ graph: graphOf(['a', 'b', 'c'], ['a b', 'b c']), input: 'Hello' })
  const { result, isWaiting } = await kit.drive()
  expect(isWaiting).toBe(false)
  expect(tasksOf(kit)).toEqual({ a: 'Hello', b: 'a', c: 'b' })
  expect(result).toEqual({
    success: true,
    stop_reason: 'done',
    output: 'c',
    outputs: { a: 'a', b: 'b', c: 'c' },
    run_id: 'g1',
    graph_id: 'g',
    node_results: ['a', 'b', 'c'].map((id) => ({
      node_id: id,
      agent_id: 'a',
      success: true,
      status: 'completed',
      output: id,
      run_id: `run-${id}-1`,
      attempts: 1,
      started_at: '2026-01-01T00:00:00.000Z',
      finished_at: '2026-01-01T00:00:00.000Z',
    })),
    usage: { input_tokens: 30, output_tokens: 3 },
  })
})

it('A10: several sinks give their texts in the order of the nodes, and results come in that order too', async () => {
  const gate = Promise.withResolvers<void>()
  const kit = createGraphKit({
    graph: graphOf(['c', 'b', 'a'], ['a b', 'a c']),
    play: async ({ node }) => {
      if (node === 'c') await gate.promise
      if (node === 'b') gate.resolve()
      return { output: node }
    },
  })
  const { result } = await kit.drive()
  expect(result.output).toBe('c\n\nb')
  expect(result.node_results.map(({ node_id }) => node_id)).toEqual(['c', 'b', 'a'])
})

it('A10: a node begins as soon as those before it are done, whatever else still runs', async () => {
  const slow = Promise.withResolvers<void>()
  const kit = createGraphKit({
    graph: graphOf(['slow', 'fast', 'next'], ['fast next']),
    play: async ({ node }) => {
      if (node === 'slow') await slow.promise
      if (node === 'next') slow.resolve()
      return { output: node }
    },
  })
  expect((await kit.drive()).result.success).toBe(true)
})

it('A10: at most so many nodes run at the same time', async () => {
  let running = 0
  let most = 0
  const kit = createGraphKit({
    graph: graphOf(Array.from({ length: 20 }, (_, index) => `n${index}`)),
    play: async () => {
      most = Math.max(most, (running += 1))
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
      running -= 1
      return { output: 'x' }
    },
    options: { maxParallel: 3 },
  })
  expect((await kit.drive()).result.node_results).toHaveLength(20)
  expect(most).toBe(3)
})

it('A10: takes only edges whose condition holds, and joins what was taken', async () => {
  const graph = graphOf(
    ['ask', 'yes', 'no', 'after-no', 'end'],
    ['ask yes YES', 'ask no no!', 'no after-no', 'yes end', 'after-no end'],
  )
  const kit = createGraphKit({ graph, play: ({ node }) => ({ output: node === 'ask' ? 'Yes, do' : node }) })
  const { result } = await kit.drive()
  expect(result.node_results.map(({ status }) => status)).toEqual([
    'completed',
    'completed',
    'skipped',
    'skipped',
    'completed',
  ])
  expect(result).toMatchObject({
    success: true,
    output: 'end',
    outputs: { ask: 'Yes, do', yes: 'yes', end: 'end' },
  })
  expect(tasksOf(kit)['end']).toBe('yes')
})

it('A10: what is behind a node that failed is skipped; what is independent of it still runs', async () => {
  const graph = graphOf(
    ['bad', 'behind', 'far', 'other', 'join'],
    ['bad behind', 'behind far', 'other join', 'bad join'],
  )
  const kit = createGraphKit({
    graph,
    play: ({ node }) => (node === 'bad' ? { code: 'run_error' } : { output: node }),
  })
  const { result } = await kit.drive()
  expect(result.node_results.map(({ status }) => status)).toEqual([
    'failed',
    'skipped',
    'skipped',
    'completed',
    'skipped',
  ])
  expect(result).toMatchObject({ success: false, output: '', code: 'run_error', outputs: { other: 'other' } })
  expect(result.error).toBe('Running the graph failed: node "bad" failed: bad broke')
  expect(result.node_results[1]).toEqual({
    node_id: 'behind',
    agent_id: 'a',
    success: false,
    status: 'skipped',
    output: '',
    attempts: 0,
  })
})

it('A10: with `skip` a node behind it still runs when another edge leads there', async () => {
  const bad = { id: 'bad', agent: 'a', on_error: 'skip' } as const
  const graph = graphOf([bad, 'behind', 'other', 'join'], ['bad behind', 'other join', 'bad join'])
  const kit = createGraphKit({
    graph,
    play: ({ node }) => (node === 'bad' ? { code: 'run_error' } : { output: node }),
  })
  const { result } = await kit.drive()
  expect(result.node_results.map(({ status }) => status)).toEqual([
    'failed',
    'skipped',
    'completed',
    'completed',
  ])
  expect(tasksOf(kit)['join']).toBe('other')
  expect(result.success).toBe(false)
})

it('A10: with `continue` the nodes behind it are told of the failure', async () => {
  const bad = { id: 'bad', agent: 'a', on_error: 'continue' } as const
  const behind = { id: 'behind', agent: 'a', input: 'Got {{bad}}.' }
  const graph = graphOf([bad, behind, 'plain', 'no'], ['bad behind', 'bad plain', 'bad no fine'])
  const kit = createGraphKit({
    graph,
    play: ({ node }) => (node === 'bad' ? { code: 'run_error' } : { output: node }),
  })
  const { result } = await kit.drive()
  expect(tasksOf(kit)).toMatchObject({
    behind: 'Got (bad failed: bad broke).',
    plain: '(bad failed: bad broke)',
  })
  expect(result.node_results.map(({ status }) => status)).toEqual([
    'failed',
    'completed',
    'completed',
    'skipped',
  ])
  // one failed: the result says so, whatever the graph made of it
  expect(result).toMatchObject({ success: false, output: 'behind\n\nplain' })
})

it('A10: tries a node again as often as it says, each time with a run of its own', async () => {
  const kit = createGraphKit({
    graph: graphOf([
      { id: 'flaky', agent: 'a', retries: 2 },
      { id: 'bad', agent: 'a', retries: 1 },
    ]),
    play: ({ node, attempt }) =>
      node === 'bad' || attempt < 3 ? { code: 'model_error' } : { output: `after ${attempt}` },
  })
  const { result } = await kit.drive()
  expect(result.node_results).toMatchObject([
    { status: 'completed', output: 'after 3', attempts: 3, run_id: 'run-flaky-3' },
    { status: 'failed', attempts: 2, run_id: 'run-bad-2', code: 'model_error' },
  ])
  expect(result.usage).toEqual({ input_tokens: 50, output_tokens: 5 })
})

it.each(['effect_uncertain', 'cancelled', 'budget_exceeded'])(
  'A10: does not try again what ended with %s',
  async (code) => {
    const graph = graphOf([{ id: 'n', agent: 'a', retries: 5 }])
    const kit = createGraphKit({ graph, play: () => ({ code }) })
    expect((await kit.drive()).result).toMatchObject({ success: false, code })
    expect(kit.attempts).toHaveLength(1)
  },
)

it('A10: a node whose agent is gone fails, and the others run', async () => {
  const kit = createGraphKit({
    graph: graphOf([{ id: 'gone', agent: 'x', retries: 3 }, 'other']),
    refuse: ({ node }) =>
      node === 'gone' ? new RuntimeError('not_found', 'Starting a run: no agent') : undefined,
  })
  const { result } = await kit.drive()
  expect(result.node_results).toMatchObject([
    { status: 'failed', code: 'not_found', attempts: 1, error: 'Starting a run: no agent' },
    { status: 'completed' },
  ])
  expect(result.node_results[0]).not.toHaveProperty('run_id')
})

it.each(['closed', 'storage_error'] as const)(
  'A10: leaves the run alone when a start fails with %s',
  async (code) => {
    const refuse = () => new RuntimeError(code, 'Starting a run: not now')
    const kit = createGraphKit({ graph: graphOf(['a']), refuse })
    await expect(kit.drive()).rejects.toMatchObject({ code })
    expect(kit.listeners.size).toBe(0)
  },
)

it('A20: an output that may hold what a stranger wrote taints all behind it', async () => {
  const graph = graphOf(['read', 'clean', 'next', 'last'], ['read next', 'next last', 'clean last'])
  const kit = createGraphKit({
    graph,
    play: ({ node }) => ({ output: node, ...(node === 'read' && { tainted: true }) }),
  })
  await kit.drive()
  const tainted = kit.attempts.filter((attempt) => attempt.tainted).map(({ node }) => node)
  expect(tainted.toSorted()).toEqual(['last', 'next'])
})

it('A10: secrets are taken out of what a node answers before anybody gets it', async () => {
  const graph = graphOf(['a', 'b'], ['a b'])
  const kit = createGraphKit({ graph, play: () => ({ output: 'it is s3cr3t-value' }) })
  const { result } = await kit.drive()
  expect(JSON.stringify([result, kit.kept, kit.attempts])).not.toContain('s3cr3t')
})

it('A10: tells the stream of each node, in the order it happens', async () => {
  const kit = createGraphKit({ graph: graphOf(['a', 'b', 'c'], ['a b no', 'a c']) })
  await kit.drive()
  const told = kit.kept.map(({ event, data }) => [event, 'node_id' in data && data.node_id])
  expect(told).toEqual([
    ['node_start', 'a'],
    ['node_done', 'a'],
    ['node_done', 'b'],
    ['node_start', 'c'],
    ['node_done', 'c'],
  ])
})

import { afterEach, expect, it, vi } from 'vitest'
import { RuntimeError } from '../ports/runtime-error.ts'
import { createGraphKit, graphOf } from './testing/graph-kit.ts'

afterEach(() => vi.useRealTimers())

const cancelled = () => new RuntimeError('cancelled', 'Cancelling a run')

it('A10: waits for people once nothing else is left, and goes on when they have decided', async () => {
  const graph = graphOf(['ask', 'other', 'end'], ['ask end', 'other end'])
  const kit = createGraphKit({ graph, play: ({ node }) => ({ output: node, approval: node === 'ask' }) })
  const first = await kit.drive()
  expect(first.isWaiting).toBe(true)
  expect(first.result).toMatchObject({
    success: true,
    stop_reason: 'approval',
    waits: [{ id: 'approval-run-ask-1', kind: 'approval', status: 'open' }],
    outputs: { other: 'other' },
  })
  expect(first.result.node_results).toHaveLength(1)
  expect(await kit.drive()).toEqual(first) // woken for nothing
  await kit.approve('ask')
  const { result, isWaiting } = await kit.drive()
  expect([isWaiting, result.success, result.output]).toEqual([false, true, 'end'])
  expect(kit.attempts).toHaveLength(3)
  const asked = kit.kept.filter(({ event }) => event === 'approval')
  expect(asked).toEqual([
    { event: 'approval', data: { id: 'approval-run-ask-1', tool: 'send', args: {}, run_id: 'run-ask-1' } },
  ])
})

it('A10: goes on at once with a node that was approved while others ran', async () => {
  const slow = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const kit = createGraphKit({
    graph: graphOf(['ask', 'slow', 'end'], ['ask end']),
    play: async ({ node }) => {
      if (node === 'slow') await slow.promise
      if (node === 'end') slow.resolve()
      return { output: node, approval: node === 'ask' }
    },
  })
  const driven = kit.drive({ afterSave: () => kit.statusOf('ask') === 'waiting' && asked.resolve() })
  await asked.promise
  await kit.approve('ask')
  const { result, isWaiting } = await driven
  expect([isWaiting, result.success]).toEqual([false, true])
})

it('A20: asks for the second approval of a node too, while others run and when nothing else does', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const slow = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const kit = createGraphKit({
    graph: graphOf(['ask', 'slow']),
    play: async ({ node }) => {
      if (node === 'slow') await slow.promise
      return { output: node, approval: node === 'ask' }
    },
  })
  const driven = kit.drive({ afterSave: () => kit.statusOf('ask') === 'waiting' && asked.resolve() })
  await asked.promise
  kit.askAgain('ask', 'second')
  await vi.advanceTimersByTimeAsync(2000)
  slow.resolve()
  expect((await driven).isWaiting).toBe(true)
  kit.askAgain('ask', 'third')
  expect((await kit.drive()).isWaiting).toBe(true)
  const events = kit.kept.flatMap((event) => (event.event === 'approval' ? [event.data.id] : []))
  expect(events).toEqual(['approval-run-ask-1', 'second', 'third'])
})

it('A10: notices soon that a node was approved and ended in another process', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const slow = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const kit = createGraphKit({
    graph: graphOf(['ask', 'slow', 'end'], ['ask end']),
    play: async ({ node }) => {
      if (node === 'slow') await slow.promise
      if (node === 'end') slow.resolve()
      return { output: node, approval: node === 'ask' }
    },
  })
  const driven = kit.drive({ afterSave: () => kit.statusOf('ask') === 'waiting' && asked.resolve() })
  await asked.promise
  kit.listeners.clear()
  await kit.approve('ask')
  await vi.advanceTimersByTimeAsync(2000)
  expect((await driven).result.success).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

it('A10: a graph that is cancelled cancels its nodes, waits for them and begins no other', async () => {
  const controller = new AbortController()
  const never = new Promise<never>(() => {})
  const kit = createGraphKit({
    graph: graphOf([{ id: 'hangs', agent: 'a', retries: 3 }, 'done', 'next', 'asks'], ['hangs next']),
    play: ({ node }) => (node === 'hangs' ? never : { output: node, approval: node === 'asks' }),
  })
  const driven = kit.drive({
    signal: controller.signal,
    afterSave: () => kit.statusOf('asks') === 'waiting' && controller.abort(cancelled()),
  })
  const { result, isWaiting } = await driven
  expect(isWaiting).toBe(false)
  expect(result).toMatchObject({ success: false, code: 'cancelled' })
  expect(result.node_results.map(({ status }) => status)).toEqual([
    'failed',
    'completed',
    'skipped',
    'failed',
  ])
  expect(kit.cancelled).toEqual(expect.arrayContaining(['run-asks-1', 'run-hangs-1']))
  expect(kit.statusOf('done')).toBe('completed')
  expect(kit.attempts.filter(({ node }) => node === 'hangs')).toHaveLength(1)
  expect(kit.listeners.size).toBe(0)
})

it('A10: a graph that is cancelled does not begin what waits for a place', async () => {
  const controller = new AbortController()
  const kit = createGraphKit({
    graph: graphOf(['hangs', 'other']),
    play: () => new Promise<never>(() => {}),
    options: { maxParallel: 1 },
  })
  const { result } = await kit.drive({
    signal: controller.signal,
    afterSave: () => controller.abort(cancelled()),
  })
  expect(result.node_results.map(({ status }) => status)).toEqual(['failed', 'skipped'])
  expect(kit.attempts).toHaveLength(1)
})

it('A10: a run that begins while the graph is cancelled is cancelled too', async () => {
  const controller = new AbortController()
  const kit = createGraphKit({
    graph: graphOf(['late']),
    play: () => new Promise<never>(() => {}),
    async refuse() {
      controller.abort(cancelled())
      for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
      return undefined
    },
  })
  const { result } = await kit.drive({ signal: controller.signal })
  expect(result).toMatchObject({ code: 'cancelled', node_results: [{ code: 'cancelled' }] })
  expect(kit.statusOf('late')).toBe('cancelled')
})

it('A10: a graph that is cancelled tries nothing again', async () => {
  const controller = new AbortController()
  const kit = createGraphKit({
    graph: graphOf([{ id: 'bad', agent: 'a', retries: 3 }]),
    play() {
      controller.abort(cancelled())
      return { code: 'model_error' }
    },
  })
  await kit.drive({ signal: controller.signal })
  expect(kit.attempts).toHaveLength(1)
})

it('A10: a graph that waits can be cancelled', async () => {
  const kit = createGraphKit({
    graph: graphOf(['ask', 'next'], ['ask next']),
    play: ({ node }) => ({ output: node, approval: node === 'ask' }),
  })
  await kit.drive()
  const { result } = await kit.drive({ signal: AbortSignal.abort(cancelled()) })
  expect(result).toMatchObject({
    code: 'cancelled',
    node_results: [{ code: 'cancelled' }, { status: 'skipped' }],
  })
  expect(kit.statusOf('ask')).toBe('cancelled')
})

it('A10: leaves its nodes alone when the process lets go of the run', async () => {
  const controller = new AbortController()
  const reason = new RuntimeError('closed', 'The runtime was closed')
  const kit = createGraphKit({ graph: graphOf(['hangs']), play: () => new Promise<never>(() => {}) })
  const driven = kit.drive({ signal: controller.signal, afterSave: () => controller.abort(reason) })
  await expect(driven).rejects.toBe(reason)
  expect(kit.cancelled).toEqual([])
  expect(kit.statusOf('hangs')).toBe('running')
  expect(kit.listeners.size).toBe(0)
})

it('A10: who cancels when all has ended comes too late', async () => {
  const controller = new AbortController()
  const kit = createGraphKit({ graph: graphOf(['a']) })
  const { result } = await kit.drive({
    signal: controller.signal,
    afterSave: () => kit.kept.some(({ event }) => event === 'node_done') && controller.abort(cancelled()),
  })
  expect(result.success).toBe(true)
})

import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import type { GraphRunResult } from '@homeward/contract/agent-platform'
import { createRuntime, defineGraph, type NodeFunctionContext, type RuntimeOptions } from '../index.ts'
import { createTestStore } from '../testing/create-test-store.ts'
import { createScriptedModel } from '../testing/scripted-model.ts'

const statuses = ({ node_results: nodes }: GraphRunResult) =>
  Object.fromEntries(nodes.map(({ node_id: id, status }) => [id, status]))
const dataOf = ({ node_results: nodes }: GraphRunResult, id: string) =>
  nodes.find(({ node_id: each }) => each === id)?.data
const unquestioned = { environment: {} } as const satisfies RuntimeOptions

describe('functions as nodes', () => {
  it('get what the nodes before them gave, and give data and text to those after them', async () => {
    await using runtime = createRuntime(unquestioned)
    await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
    const seen: unknown[] = []
    await runtime.graphs.put({
      id: 'sum',
      nodes: [
        { id: 'read', run: ({ text }) => text.split(' ').map(Number) },
        { id: 'say', agent: 'parrot', input: 'Numbers: {{read}}' },
        {
          id: 'add',
          input: 'Add',
          run(input, context) {
            seen.push(input, context)
            return { sum: 6 }
          },
        },
      ],
      edges: [
        { from: 'read', to: 'say' },
        { from: 'say', to: 'add' },
      ],
    })
    const result = await runtime.graphs.run({
      graph_id: 'sum',
      input: '1 2 3',
      user_id: 'u',
      metadata: { a: 1 },
    })
    expect(result).toMatchObject({ success: true, output: '{"sum":6}' })
    expect(dataOf(result, 'add')).toEqual({ sum: 6 })
    const { run_id: runId } = result
    expect(seen).toEqual([
      {
        text: 'Add\n\nNumbers: [1,2,3]',
        graphInput: '1 2 3',
        nodes: { read: [1, 2, 3], say: 'Numbers: [1,2,3]' },
      },
      {
        runId,
        graphId: 'sum',
        nodeId: 'add',
        userId: 'u',
        metadata: { a: 1 },
        attempt: 1,
        wasInterrupted: false,
        idempotencyKey: `${runId}:add`,
        tainted: false,
        // oxlint-disable-next-line typescript/no-unsafe-assignment -- a matcher of vitest
        signal: expect.any(AbortSignal),
      },
    ])
    const events = await Array.fromAsync(runtime.runs.events(runId, 0))
    expect(events.map(({ event }) => event)).toContainEqual({
      event: 'node_start',
      data: { node_id: 'add', function: 'sum/add', attempt: 1 },
    })
  })

  it('are tried again after a failure, with the same key, and fail with their reason', async () => {
    await using runtime = createRuntime(unquestioned)
    const calls: Pick<NodeFunctionContext, 'attempt' | 'wasInterrupted' | 'idempotencyKey'>[] = []
    await runtime.graphs.put({
      id: 'g',
      nodes: [
        {
          id: 'pay',
          retries: 2,
          run(_, { attempt, wasInterrupted, idempotencyKey }) {
            calls.push({ attempt, wasInterrupted, idempotencyKey })
            throw new Error('the bank is closed')
          },
        },
        { id: 'slow', timeoutMs: 5, run: () => new Promise(() => {}) },
        { id: 'odd', run: () => () => 1 },
      ],
    })
    const result = await runtime.graphs.run({ graph_id: 'g', input: 'x' })
    expect(calls.map(({ attempt, wasInterrupted }) => [attempt, wasInterrupted])).toEqual([
      [1, false],
      [2, false],
      [3, false],
    ])
    expect(new Set(calls.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
    expect(result.node_results).toMatchObject([
      { status: 'failed', attempts: 3, error: 'the bank is closed', code: 'run_error' },
      { status: 'failed', error: 'it took longer than 5 ms', code: 'timeout' },
      { status: 'failed', code: 'run_error' },
    ])
  })

  it('stop with a canceled run', async () => {
    await using runtime = createRuntime(unquestioned)
    const begun = Promise.withResolvers<AbortSignal>()
    const work = (_: object, { signal }: NodeFunctionContext) => {
      begun.resolve(signal)
      return new Promise(() => {})
    }
    await runtime.graphs.put({ id: 'g', nodes: [{ id: 'wait', run: work }] })
    const { runId, result } = await runtime.graphs.start({ graph_id: 'g', input: 'x' })
    const signal = await begun.promise
    await runtime.runs.cancel(runId)
    expect(await result).toMatchObject({ success: false, code: 'cancelled' })
    expect(signal.aborted).toBe(true)
  })
})

describe('edges with a condition on data', () => {
  it('are taken if the data matches a schema, of zod or of JSON', async () => {
    await using runtime = createRuntime(unquestioned)
    const graph = defineGraph({
      id: 'triage',
      nodes: [
        { id: 'read', run: ({ text }) => ({ kind: text, amount: text === 'refund' ? 250 : 1 }) },
        { id: 'refund', run: () => 'refunded' },
        { id: 'large', run: () => 'asked' },
        { id: 'other', run: () => 'answered' },
      ],
      edges: [
        { from: 'read', to: 'refund', when: { data: z.object({ kind: z.literal('refund') }) } },
        { from: 'read', to: 'large', when: { data: { properties: { amount: { exclusiveMinimum: 100 } } } } },
        { from: 'read', to: 'other', when: { data: { not: { properties: { kind: { const: 'refund' } } } } } },
      ],
    })
    await runtime.graphs.put(graph)
    const run = async (input: string) => statuses(await runtime.graphs.run({ graph_id: 'triage', input }))
    expect(await run('refund')).toMatchObject({ refund: 'completed', large: 'completed', other: 'skipped' })
    expect(await run('thanks')).toMatchObject({ refund: 'skipped', large: 'skipped', other: 'completed' })
  })
})

describe('a node with map', () => {
  it('runs once for each item, no more at the same time than it may, and gives a list in order', async () => {
    await using runtime = createRuntime(unquestioned)
    let running = 0
    let most = 0
    await runtime.graphs.put({
      id: 'g',
      nodes: [
        { id: 'plan', run: () => ({ cities: ['a', 'b', 'c', 'd', 'e'] }) },
        {
          id: 'visit',
          map: { over: 'plan', path: '/cities', concurrency: 2 },
          input: 'Visit {{item}}',
          async run({ text, item, index = 0 }) {
            running += 1
            most = Math.max(most, running)
            await new Promise<void>((resolve) => setImmediate(resolve))
            running -= 1
            return `${text} ${JSON.stringify(item)} ${index}`
          },
        },
      ],
      edges: [{ from: 'plan', to: 'visit' }],
    })
    const result = await runtime.graphs.run({ graph_id: 'g', input: 'x' })
    expect(dataOf(result, 'visit')).toEqual(
      [...'abcde'].map((each, index) => `Visit ${each} "${each}" ${index}`),
    )
    expect(most).toBe(2)
    expect(Object.keys(result.outputs)).toEqual(['plan', 'visit'])
  })

  it('runs agents and graphs, over the input too, and fails with the item that failed', async () => {
    await using runtime = createRuntime(unquestioned)
    await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
    await runtime.graphs.put({
      id: 'inner',
      nodes: [
        {
          id: 'check',
          run({ text }) {
            if (text === 'bad') throw new Error('spoiled')
            return text.length
          },
        },
      ],
    })
    await runtime.graphs.put({
      id: 'outer',
      nodes: [
        { id: 'say', agent: 'parrot', input: 'Hello {{item}}', map: { over: 'input' } },
        { id: 'lengths', graph: 'inner', map: { over: 'say' } },
      ],
      edges: [{ from: 'say', to: 'lengths' }],
    })
    const good = await runtime.graphs.run({ graph_id: 'outer', input: '["Ann","Bo"]' })
    expect(dataOf(good, 'say')).toEqual(['Hello Ann', 'Hello Bo'])
    expect(dataOf(good, 'lengths')).toEqual([9, 8])
    await runtime.graphs.put({ id: 'strict', nodes: [{ id: 'all', graph: 'inner', map: { over: 'input' } }] })
    const bad = await runtime.graphs.run({ graph_id: 'strict', input: '["ok","bad"]' })
    expect(bad.node_results[0]?.error).toMatch(/item 1 failed: .*spoiled/)
    const none = await runtime.graphs.run({ graph_id: 'strict', input: 'no list' })
    expect(none.node_results[0]).toMatchObject({ status: 'failed', code: 'validation_error' })
  })

  it('waits for the people that its items wait for, and runs nothing twice', async () => {
    const made: string[] = []
    const answer = ({ prompt }: LanguageModelV4CallOptions) => {
      if (prompt.some(({ role }) => role === 'tool')) return { text: 'Sent.' }
      const item = JSON.stringify(prompt).includes('Do b') ? 'b' : 'a'
      return { toolCalls: [{ id: item, name: 'send', args: { item } }] }
    }
    const model = createScriptedModel([answer, answer, answer, answer])
    const models = { mine: () => model }
    const send = {
      id: 'send',
      description: 'Sends.',
      inputSchema: { type: 'object' },
      effects: 'write',
      idempotent: false,
      returnsUntrustedContent: false,
      execute: async (args: object) => {
        made.push(JSON.stringify(args))
        return null
      },
    } as const
    await using runtime = createRuntime({ ...unquestioned, models, tools: [send] })
    await runtime.agents.create({ id: 'sender', model: 'mine/m', approval_tools: ['send'] })
    await runtime.graphs.put({
      id: 'g',
      nodes: [{ id: 'all', agent: 'sender', input: 'Do {{item}}', map: { over: 'input' } }],
    })
    await runtime.graphs.put({ id: 'around', nodes: [{ id: 'inner', graph: 'g' }] })
    const { runId, result } = await runtime.graphs.start({ graph_id: 'around', input: '["a","b"]' })
    expect(await result).toMatchObject({ success: true, stop_reason: 'approval' })
    const { approvals = [] } = (await runtime.runs.find(runId)) ?? {}
    expect(approvals).toHaveLength(2)
    for (const { id, run_id } of approvals)
      await runtime.runs.decideApproval(run_id, id, { decision: 'approve' })
    await vi.waitFor(async () => expect((await runtime.runs.find(runId))?.status).toBe('completed'), {
      timeout: 15_000,
    })
    expect(made.toSorted()).toEqual(['{"item":"a"}', '{"item":"b"}'])
  })
})

describe('a graph that lives in code', () => {
  it('is created, is not written again without a change, and is changed with one', async () => {
    const store = createTestStore()
    const writes = [vi.spyOn(store, 'insertGraph'), vi.spyOn(store, 'replaceGraph')]
    await using runtime = createRuntime({ ...unquestioned, store })
    const nodes = [{ id: 'a', run: () => 1 }] as const
    const put = await runtime.graphs.put({ id: 'g', name: 'G', nodes })
    expect(put).toMatchObject({ id: 'g', nodes: [{ id: 'a', function: 'g/a' }], edges: [] })
    expect(await runtime.graphs.put({ id: 'g', name: 'G', nodes })).toEqual(put)
    expect(writes.map(({ mock }) => mock.calls.length)).toEqual([1, 0])
    expect(await runtime.graphs.put({ id: 'g', nodes })).not.toHaveProperty('name')
    expect(writes.map(({ mock }) => mock.calls.length)).toEqual([1, 1])
  })

  it('is rejected with the place of what is wrong', async () => {
    await using runtime = createRuntime(unquestioned)
    const put = (graph: object) => runtime.graphs.put({ id: 'g', ...graph } as never)
    await expect(put({ nodes: [{ id: 'a', run: 1 }] })).rejects.toThrow(
      /"run" of the node "a" must be a function/,
    )
    await expect(put({ nodes: [{ id: 'a', graph: 'none' }] })).rejects.toThrow(/no graph has the id "none"/)
    await expect(put({ nodes: [{ id: 'a', graph: 'g' }] })).rejects.toThrow(
      /"nodes.0.graph": a graph cannot run itself/,
    )
    await expect(put({ nodes: [{ id: 'a', run: () => 1, map: { over: 'b' } }] })).rejects.toThrow(
      /nodes.0.map.over/,
    )
    await expect(put({ nodes: [{ id: 'a' }] })).rejects.toThrow(/exactly one of/)
  })

  it('needs its functions where it runs and where it is saved', async () => {
    const store = createTestStore()
    const first = createRuntime({ ...unquestioned, store })
    await first.graphs.put({ id: 'g', nodes: [{ id: 'a', run: () => 1 }] })
    const other = createRuntime({ ...unquestioned, store })
    await expect(other.graphs.run({ graph_id: 'g', input: 'x' })).rejects.toThrow(
      /node "a" needs the function "g\/a", which is not registered on this server/,
    )
    await expect(other.graphs.create({ nodes: [{ id: 'a', function: 'g/a' }] })).rejects.toThrow(
      /is not registered/,
    )
    expect(await first.graphs.create({ nodes: [{ id: 'b', function: 'g/a' }] })).toBeDefined()
    await Promise.all([first.close(), other.close()])
  })

  it('cannot run itself without an end', async () => {
    await using runtime = createRuntime(unquestioned)
    await runtime.graphs.put({ id: 'a', nodes: [{ id: 'x', run: () => 1 }] })
    await runtime.graphs.put({ id: 'b', nodes: [{ id: 'x', graph: 'a' }] })
    await runtime.graphs.put({ id: 'a', nodes: [{ id: 'x', graph: 'b' }] })
    const { success, error } = await runtime.graphs.run({ graph_id: 'a', input: 'x' })
    expect(success).toBe(false)
    expect(error).toMatch(/at most 5 deep/)
  })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runEvents } from '@homeward/contract/agent-platform'
import { readEvents } from '@homeward/contract/events'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createScriptedModel, type ScriptedResponse } from '../testing/scripted-model.ts'
import { startPlatform, type TestPlatform, type TestPlatformOptions } from './testing/start-platform.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-graphs-'))
})
afterEach(() => rm(home, { recursive: true }))

/** A process over the data home, whose models play these scripts by the id of their agent. */
async function open(
  scripts: Readonly<Record<string, readonly ScriptedResponse[]>>,
  options: TestPlatformOptions = {},
) {
  const models = Object.fromEntries(
    Object.entries(scripts).map(([id, steps]) => [id, createScriptedModel(steps)]),
  )
  const platform = await startPlatform('over HTTP', {
    home,
    models: { mine: (id) => models[id] ?? createScriptedModel([]) },
    retry: { attempts: 0 },
    ...options,
  })
  return { platform, models }
}

/** Two nodes behind each other, whose agents have the nodes' ids. */
async function makeGraph(platform: TestPlatform, fields: object = {}): Promise<void> {
  const nodes = ['one', 'two'].map((id) => ({ id, agent: id }))
  for (const id of ['one', 'two']) {
    await platform.send('POST', '/api/agents', { body: { id, model: `mine/${id}` } })
  }
  const made = await platform.send('POST', '/api/graphs', {
    body: { id: 'g', nodes, edges: [{ from: 'one', to: 'two' }], ...fields },
  })
  expect(made.status).toBe(201)
}

const readAll = async (platform: TestPlatform, runId: string) => {
  const stream = await platform.fetch(`/api/runs/${runId}/events`)
  return Array.fromAsync(readEvents(stream.body!, runEvents))
}
const asks: ScriptedResponse = { toolCalls: [{ name: 'memory_write', args: { text: 'x' } }] }
const waitForYes = { approval_tools: ['memory_write'] }

it('A10: a graph that answers that it waits does wait, also behind nodes that have ended', async () => {
  const { platform } = await open({ one: [{ text: 'First.' }], two: [asks, { text: 'Second.' }] })
  await using _closed = platform
  await makeGraph(platform)
  await platform.send('PUT', '/api/agents/two', { body: waitForYes })
  const { stop_reason, run_id } = await platform.runtime.graphs.run({ graph_id: 'g', input: 'x' })
  expect(stop_reason).toBe('approval')
  for (let look = 0; look < 50; look += 1) {
    const run = await platform.runtime.runs.find(run_id)
    await new Promise(setImmediate)
    expect([run?.status, run?.approvals?.length], `look ${look}`).toEqual(['waiting', 1])
  }
})

it('A10: goes on with a graph after a restart, and makes no finished node again', async () => {
  const hold = Promise.withResolvers<void>()
  const { platform: before } = await open({
    one: [{ text: 'First.' }],
    two: [{ gate: async () => hold.resolve(), hang: true }],
  })
  await makeGraph(before)
  const { runId, result } = await before.runtime.graphs.start({ graph_id: 'g', input: 'x' })
  await hold.promise
  const closed = expect(result).rejects.toMatchObject({ code: 'closed' })
  await before[Symbol.asyncDispose]()
  await closed

  const after = await open({ two: [{ text: 'Second.' }] })
  await using platform = after.platform
  const events = await readAll(platform, runId)
  const outputs = { one: 'First.', two: 'Second.' }
  expect(events.at(-1)).toMatchObject({ event: 'done', data: { success: true, outputs } })
  expect(events.filter(({ event }) => event === 'node_start')).toHaveLength(2)
  expect(events.filter(({ event }) => event === 'node_done')).toHaveLength(2)
  expect(JSON.stringify(after.models['two']?.calls[0]?.prompt)).toContain('First.')
})

it('A10, A20: a graph that waits for a person goes on when they decide after a restart', async () => {
  const { platform: before } = await open({ one: [asks] })
  await makeGraph(before)
  await before.send('PUT', '/api/agents/one', { body: waitForYes })
  const { body } = await before.send('POST', '/api/graphs/run', { body: { graph_id: 'g', input: 'x' } })
  expect([body.success, body.stop_reason]).toEqual([true, 'approval'])
  await before[Symbol.asyncDispose]()

  const after = await open({ one: [{ text: 'Written.' }], two: [{ text: 'Seen.' }] })
  await using platform = after.platform
  const { body: shown } = await platform.send('GET', `/api/runs/${body.run_id}`)
  expect(shown.run).toMatchObject({ status: 'waiting', result: body })
  const stream = await platform.fetch(`/api/runs/${body.run_id}/events`)
  const names: string[] = []
  for await (const { event, data } of readEvents(stream.body!, runEvents)) {
    names.push(event)
    if (event !== 'approval') continue
    const path = `/api/runs/${data.run_id}/approvals/${data.id}`
    expect((await platform.send('POST', path, { body: { decision: 'approve' } })).status).toBe(200)
  }
  expect(names).toEqual([
    'start',
    'node_start',
    'wait',
    'approval',
    'wait_settled',
    'node_done',
    'node_start',
    'node_done',
    'done',
  ])
})

it('A10, A20: the stream of a graph asks for every approval of a node, also the second', async () => {
  const { platform: opened } = await open({ one: [asks, asks, { text: 'Done.' }], two: [{ text: 'Seen.' }] })
  await using platform = opened
  await makeGraph(platform)
  await platform.send('PUT', '/api/agents/one', { body: waitForYes })
  const { body } = await platform.send('POST', '/api/graphs/run', { body: { graph_id: 'g', input: 'x' } })
  const stream = await platform.fetch(`/api/runs/${body.run_id}/events`)
  let asked = 0
  for await (const { event, data } of readEvents(stream.body!, runEvents)) {
    if (event !== 'approval') continue
    asked += 1
    const path = `/api/runs/${data.run_id}/approvals/${data.id}`
    expect((await platform.send('POST', path, { body: { decision: 'approve' } })).status).toBe(200)
  }
  expect(asked).toBe(2)
})

it('A10: a graph that waits can be cancelled, with the node that waits', async () => {
  const { platform: opened } = await open({ one: [asks] })
  await using platform = opened
  await makeGraph(platform)
  await platform.send('PUT', '/api/agents/one', { body: waitForYes })
  const { body } = await platform.send('POST', '/api/graphs/run', { body: { graph_id: 'g', input: 'x' } })
  const { body: cancelled } = await platform.send('POST', `/api/runs/${body.run_id}/cancel`)
  expect(cancelled.run).toMatchObject({ status: 'cancelled', result: { success: false, code: 'cancelled' } })
  const statuses = cancelled.run.result.node_results.map(({ status }: { status: string }) => status)
  expect(statuses).toEqual(['failed', 'skipped'])
  const [child] = cancelled.run.result.node_results
  expect((await platform.send('GET', `/api/runs/${child.run_id}`)).body.run.status).toBe('cancelled')
  const events = await readAll(platform, body.run_id)
  expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'cancelled', run_id: body.run_id } })
})

it('A10: a person who says no lets the graph go on as well', async () => {
  const { platform: opened } = await open({ one: [asks, { text: 'Not written.' }], two: [{ text: 'Seen.' }] })
  await using platform = opened
  await makeGraph(platform)
  await platform.send('PUT', '/api/agents/one', { body: waitForYes })
  const { body } = await platform.send('POST', '/api/graphs/run', { body: { graph_id: 'g', input: 'x' } })
  const [{ id: child }] = (await platform.send('GET', '/api/runs?agent_id=one')).body.runs
  const [{ id }] = (await platform.send('GET', `/api/runs/${child}`)).body.run.approvals
  await platform.send('POST', `/api/runs/${child}/approvals/${id}`, { body: { decision: 'deny' } })
  const events = await readAll(platform, body.run_id)
  expect(events.at(-1)?.data).toMatchObject({ success: true, outputs: { one: 'Not written.', two: 'Seen.' } })
})

it('A10: all nodes of a graph share its budget', async () => {
  const usage = { input: 19_990, output: 9 }
  const { platform: opened, models } = await open({
    one: [{ text: 'First.', usage }],
    two: [{ text: 'Second.' }],
  })
  await using platform = opened
  await makeGraph(platform, { budget: { max_tokens: 20_000 } })
  const { body } = await platform.send('POST', '/api/graphs/run', { body: { graph_id: 'g', input: 'x' } })
  expect(body).toMatchObject({ success: false, code: 'budget_exceeded', outputs: { one: 'First.' } })
  expect(models['two']?.calls).toHaveLength(0)
})

it('A10, A14: the journal tells when a graph began and how it ended', async () => {
  const { platform: opened } = await open({ one: [{ text: 'First.' }], two: [{ text: 'Second.' }] })
  await using platform = opened
  await makeGraph(platform)
  const { body } = await platform.send('POST', '/api/graphs/run', { body: { graph_id: 'g', input: 'x' } })
  const { body: logs } = await platform.send('GET', `/api/logs?run_id=${body.run_id}`)
  expect(logs.events).toMatchObject([
    { type: 'graph.started', run_id: body.run_id, data: { graph_id: 'g', task: 'x' } },
    { type: 'graph.completed', run_id: body.run_id, data: { graph_id: 'g', success: true } },
  ])
})

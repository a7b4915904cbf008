import { describe, expect, it } from 'vitest'
import type { ScriptedResponse } from '../testing/scripted-model.ts'
import { startWithScripts, ways, type TestPlatform, type Way } from './testing/start-platform.ts'

const nodes = [
  { id: 'first', agent: 'first' },
  { id: 'second', agent: 'second', input: 'After {{first}}' },
  { id: 'third', agent: 'third', input: 'After {{second}}' },
]
const edges = [
  { from: 'first', to: 'second' },
  { from: 'second', to: 'third' },
]
const broken: ScriptedResponse = { error: new Error('the provider is down') }

/** A graph of three agents, of which the second fails at first. */
async function startGraph(way: Way, second: readonly ScriptedResponse[] = [broken, { text: 'Two.' }]) {
  const scripts = { first: [{ text: 'One.' }], second, third: [{ text: 'Three.' }] }
  const platform = await startWithScripts(way, scripts)
  await platform.send('POST', '/api/graphs', { body: { id: 'g', nodes, edges } })
  const { body: result } = await platform.send('POST', '/api/graphs/run', {
    body: { graph_id: 'g', input: 'Count', user_id: 'ann', metadata: { of: 1 } },
  })
  const rerun = (body: object, headers = {}, id = result.run_id) =>
    platform.send('POST', `/api/runs/${id}/rerun`, { body, headers })
  return Object.assign(platform, { failed: result.run_id as string, rerun })
}

async function ended({ send }: TestPlatform, id: string) {
  await send('GET', `/api/runs/${id}/events`)
  return (await send('GET', `/api/runs/${id}`)).body.run
}

const nodesOf = ({ result }: { result: { node_results: { node_id: string; output: string }[] } }) =>
  result.node_results.map(({ node_id: id, output }) => [id, output])

describe.each(ways)('rerunning a graph %s', (way) => {
  it('runs the failed node and those after it, with the results of the nodes before', async () => {
    await using platform = await startGraph(way)
    const { status, body } = await platform.rerun({ from: 'failed' })
    expect(status).toBe(202)
    expect(body.run).toMatchObject({
      graph_id: 'g',
      task: 'Count',
      user_id: 'ann',
      metadata: { of: 1 },
      source: 'rerun',
      rerun_of: platform.failed,
    })
    const run = await ended(platform, body.run.id)
    expect(run.status).toBe('completed')
    expect(nodesOf(run)).toEqual([
      ['first', 'One.'],
      ['second', 'Two.'],
      ['third', 'Three.'],
    ])
    const { runs } = (await platform.send('GET', `/api/runs?parent_run_id=${run.id}`)).body
    expect(runs.map(({ task }: { task: string }) => task).toSorted()).toEqual(['After One.', 'After Two.'])
    const { steps } = (await platform.send('GET', `/api/runs/${run.id}/steps`)).body
    expect(steps.map(({ id, reused }: { id: string; reused?: true }) => [id, reused])).toEqual([
      ['first', true],
      ['second', undefined],
      ['third', undefined],
    ])
    const { text } = await platform.send('GET', `/api/runs/${run.id}/events`)
    expect(text.match(/^event: start$/gm)).toHaveLength(1)
    expect(text.match(/"node_id":"first"/g)).toHaveLength(2)
  })

  it('gives the same run for the same key, and none for a key of another run', async () => {
    await using platform = await startGraph(way)
    const headers = { 'idempotency-key': 'k' }
    const first = await platform.rerun({ from: 'failed' }, headers)
    const again = await platform.rerun({ from: 'failed' }, headers)
    expect([again.status, again.body.run.id]).toEqual([200, first.body.run.id])
    expect((await platform.rerun({}, headers)).status).toBe(409)
    expect((await platform.rerun({ from: 'failed' }, headers, first.body.run.id)).status).toBe(409)
  })

  it('runs the whole graph again without "from", as the graph is now', async () => {
    await using platform = await startGraph(way)
    await platform.send('PUT', '/api/graphs/g', {
      body: { nodes: [{ id: 'echo', agent: 'echo' }], edges: [] },
    })
    const { body } = await platform.rerun({ task: 'Again' })
    const run = await ended(platform, body.run.id)
    expect(run).toMatchObject({ status: 'completed', task: 'Again', rerun_of: platform.failed })
    expect(nodesOf(run).map(([id]) => id)).toEqual(['echo'])
    const fromFailed = await platform.rerun({ from: 'failed' })
    expect(nodesOf(await ended(platform, fromFailed.body.run.id))).toHaveLength(3)
  })

  it('runs what came after a failed node again, although it had completed, and what is independent not', async () => {
    await using platform = await startGraph(way, [broken, broken, { text: 'Two.' }])
    const { send } = platform
    const tolerant = { ...nodes[1], on_error: 'continue' }
    const last = { id: 'last', agent: 'echo', input: 'After {{second}}' }
    await send('POST', '/api/graphs', {
      body: {
        id: 'tolerant',
        nodes: [{ ...nodes[0], agent: 'echo' }, tolerant, last, { id: 'apart', agent: 'echo' }],
        edges: [edges[0], { from: 'second', to: 'last' }],
      },
    })
    const first = await send('POST', '/api/graphs/run', { body: { graph_id: 'tolerant', input: 'Count' } })
    expect(first.body.outputs['last']).toContain('second failed')
    const { body } = await platform.rerun({ from: 'failed' }, {}, first.body.run_id)
    expect(await ended(platform, body.run.id)).toMatchObject({ status: 'completed' })
    const { runs } = (await send('GET', `/api/runs?parent_run_id=${body.run.id}`)).body
    expect(runs.map(({ task }: { task: string }) => task).toSorted()).toEqual(['After Count', 'After Two.'])
  })

  it('can fail again, and be run again from there', async () => {
    await using platform = await startGraph(way, [broken, broken, { text: 'Two.' }])
    const second = await ended(platform, (await platform.rerun({ from: 'failed' })).body.run.id)
    expect(second.status).toBe('failed')
    const { body } = await platform.rerun({ from: 'failed' }, {}, second.id)
    expect(nodesOf(await ended(platform, body.run.id))[0]).toEqual(['first', 'One.'])
  })

  it('says why a run cannot be started again', async () => {
    await using platform = await startGraph(way)
    const refusal = async (body: object, id?: string) => {
      const answer = await platform.rerun(body, {}, id)
      return [answer.status, answer.body.message]
    }
    const { body } = await platform.rerun({ from: 'failed' })
    const done = await ended(platform, body.run.id)
    expect(await refusal({ from: 'failed' }, done.id)).toEqual([
      409,
      'Running again failed: no node of the run failed. Omit "from" to run the whole graph again.',
    ])
    expect(await refusal({ from: 'failed', task: 'x' })).toEqual([
      400,
      'Running again failed: "from" excludes "task", because completed nodes keep their results. Omit one.',
    ])
    expect(await refusal({ from_step: 0 })).toEqual([
      400,
      'Running again failed: "from_step" works only for runs of agents. Use "from": "failed".',
    ])
    const ofAgent = await platform.send('POST', '/api/agents/run', { body: { agent_id: 'echo', task: 'Hi' } })
    expect(await refusal({ from: 'failed' }, ofAgent.body.run_id)).toEqual([
      400,
      'Running again failed: "from" works only for runs of graphs. Use "from_step".',
    ])
    expect((await refusal({ from: 'start' }))[0]).toBe(400)
  })
})

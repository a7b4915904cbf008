import { describe, expect, it } from 'vitest'
import type { ModelProvider } from '../ports/model.ts'
import type { Tool } from '../ports/tool.ts'
import { createScriptedModel, type ScriptedResponse } from '../testing/scripted-model.ts'
import { startPlatform, ways, type Way } from './testing/start-platform.ts'

/** An agent with a tool that pays, and what it has paid. */
async function startWith(way: Way, steps: readonly ScriptedResponse[]) {
  const model = createScriptedModel(steps)
  const mine: ModelProvider = () => model
  const paid: string[] = []
  const pay: Tool = {
    id: 'pay',
    description: 'Pays.',
    inputSchema: { type: 'object' },
    effects: 'external',
    idempotent: false,
    returnsUntrustedContent: false,
    execute: async ({ to }) => (typeof to === 'string' ? `paid ${to} ${paid.push(to)}` : null),
  }
  const platform = await startPlatform(way, { models: { mine }, tools: [pay], retry: { attempts: 0 } })
  await platform.send('POST', '/api/agents', { body: { id: 'a', model: 'mine/any' } })
  const ended = async (id: string) => {
    await platform.send('GET', `/api/runs/${id}/events`)
    return (await platform.send('GET', `/api/runs/${id}`)).body.run
  }
  return Object.assign(platform, { model, paid, ended })
}

const callsOf = (...to: string[]) => ({
  toolCalls: to.map((name, index) => ({ id: `c${index}`, name: 'pay', args: { to: name } })),
})

describe.each(ways)('rerunning %s', (way) => {
  it('runs a task again in a conversation of its own, once for each key', async () => {
    await using platform = await startWith(way, [
      { text: 'Hi.' },
      { text: 'One.' },
      { text: 'Two.' },
      { text: 'Three.' },
    ])
    const first = { agent_id: 'a', task: 'Hello', conversation_id: 'c', user_id: 'ann', metadata: { of: 1 } }
    await platform.send('POST', '/api/agents/run', { body: first })
    const { run_id: id } = (
      await platform.send('POST', '/api/agents/run', { body: { ...first, task: 'Count' } })
    ).body
    const again = () =>
      platform.send('POST', `/api/runs/${id}/rerun`, { body: {}, headers: { 'idempotency-key': 'k' } })
    const { status, body } = await again()
    expect(status).toBe(202)
    expect(body.run).toMatchObject({ task: 'Count', user_id: 'ann', metadata: { of: 1 }, rerun_of: id })
    expect(body.run.conversation_id).not.toBe('c')
    expect(await platform.ended(body.run.id)).toMatchObject({
      status: 'completed',
      result: { output: 'Two.' },
    })
    const texts = JSON.stringify(platform.model.calls[2]?.prompt)
    expect([texts.includes('Hi.'), texts.includes('One.')]).toEqual([true, false])
    const repeat = await again()
    expect([repeat.status, repeat.body.run.id]).toEqual([200, body.run.id])
    const other = await platform.send('POST', `/api/runs/${id}/rerun`, {
      body: { task: 'Sum', idempotency_key: 'k' },
    })
    expect(other.status).toBe(409)
    const changed = await platform.send('POST', `/api/runs/${id}/rerun`, { body: { task: 'Sum' } })
    expect(await platform.ended(changed.body.run.id)).toMatchObject({
      task: 'Sum',
      result: { output: 'Three.' },
    })
  })

  it('starts at a step, keeps what came before it, and repeats no effect before it', async () => {
    const steps = [
      callsOf('ann'),
      callsOf('bob', 'cid'),
      { text: 'Paid.' },
      { text: 'Still paid.' },
      { text: 'Again.' },
    ]
    await using platform = await startWith(way, steps)
    const { run_id: id } = (
      await platform.send('POST', '/api/agents/run', { body: { agent_id: 'a', task: 'Pay' } })
    ).body
    expect(platform.paid).toEqual(['ann', 'bob', 'cid'])
    const rerun = async (body: object) => platform.send('POST', `/api/runs/${id}/rerun`, { body })
    const last = await platform.ended((await rerun({ from_step: 5 })).body.run.id)
    expect(last.result).toMatchObject({ output: 'Still paid.', tool_calls: 0, turns: 1 })
    expect(platform.paid).toEqual(['ann', 'bob', 'cid'])
    const { steps: kept } = (await platform.send('GET', `/api/runs/${last.id}/steps`)).body
    expect(kept.map(({ reused }: { reused?: true }) => reused ?? false)).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
    ])
    expect(kept[5]).toMatchObject({ input: [{ role: 'tool' }], output: { content: 'Still paid.' } })
    // the second call of a turn: the first one keeps its result
    const { steps: shown } = (await platform.send('GET', `/api/runs/${id}/steps`)).body
    await platform.ended((await rerun({ from_step: shown[4].id })).body.run.id)
    expect(platform.paid).toEqual(['ann', 'bob', 'cid', 'cid'])
    const results = JSON.stringify(platform.model.calls[4]?.prompt)
    expect([results.includes('paid bob 2'), results.includes('paid cid 4')]).toEqual([true, true])
    expect((await rerun({ from_step: 6 })).status).toBe(400)
    expect((await platform.send('POST', '/api/runs/none/rerun', { body: {} })).status).toBe(404)
  })

  it('starts a graph again', async () => {
    await using platform = await startWith(way, [{ text: 'One.' }, { text: 'Two.' }])
    await platform.send('POST', '/api/graphs', { body: { id: 'g', nodes: [{ id: 'n', agent: 'a' }] } })
    const { run_id } = (
      await platform.send('POST', '/api/graphs/run', { body: { graph_id: 'g', input: 'Go' } })
    ).body
    const { status, body } = await platform.send('POST', `/api/runs/${run_id}/rerun`, { body: {} })
    expect(status).toBe(202)
    expect(await platform.ended(body.run.id)).toMatchObject({
      graph_id: 'g',
      task: 'Go',
      result: { output: 'Two.' },
    })
  })
})

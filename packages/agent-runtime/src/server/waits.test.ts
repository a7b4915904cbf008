import type { WaitAnswer } from '@homeward/contract/agent-platform'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createScriptedModel, type ScriptedResponse } from '../testing/scripted-model.ts'
import { startPlatform, ways, type Way } from './testing/start-platform.ts'

const pay = {
  id: 'pay',
  description: 'Pays.',
  inputSchema: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
  effects: 'external',
  idempotent: false,
  returnsUntrustedContent: false,
  execute: async (args: object) => args as { amount: number }, // its schema says so
} as const

const apiToken = 'correct-horse-battery-staple'
const admin = { authorization: `Bearer ${apiToken}` }
const asks = { toolCalls: [{ name: 'pay', args: { amount: 100 } }] }
const done = { text: 'Done.' }

async function start(way: Way, steps: readonly ScriptedResponse[]) {
  const model = createScriptedModel(steps)
  const platform = await startPlatform(way, {
    models: { mine: () => model },
    tools: [pay],
    auth: { kind: 'settings' },
    environment: { API_TOKEN: apiToken },
  })
  const send = (method: string, path: string, body?: object) =>
    platform.send(method, path, { headers: admin, ...(body && { body }) })
  await send('POST', '/api/agents', { id: 'a', model: 'mine/any', approval_tools: ['pay'] })
  await send('POST', '/api/agents', { id: 'b', model: 'mine/any', approval_tools: ['pay'], wait_timeout: 60 })
  return {
    send,
    platform,
    run: async (body: object = {}) =>
      (await send('POST', '/api/agents/run', { agent_id: 'a', task: 'Pay', ...body })).body,
    answer: (runId: string, waitId: string, body: WaitAnswer) =>
      send('POST', `/api/runs/${runId}/waits/${waitId}`, body),
    ended: async (id: string) => {
      await send('GET', `/api/runs/${id}/events`)
      return (await send('GET', `/api/runs/${id}`)).body.run
    },
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  }
}

describe.each(ways)('waits %s', (way) => {
  it('an approval is a wait too: with the same id, in the run, its result and the list', async () => {
    await using here = await start(way, [asks, done])
    const result = await here.run({ user_id: 'ann' })
    expect(result).toMatchObject({ success: true, stop_reason: 'approval' })
    const wait = {
      kind: 'approval',
      status: 'open',
      tool: 'pay',
      args: { amount: 100 },
      run_id: result.run_id,
    }
    expect(result.waits).toMatchObject([wait])
    const [{ id }] = result.approvals
    const { run } = (await here.send('GET', `/api/runs/${result.run_id}`)).body
    expect([run.waits[0].id, run.approvals[0].id, result.waits[0].id]).toEqual([id, id, id])
    const { body } = await here.send('GET', '/api/waits')
    expect(body).toEqual({ waits: [{ ...run.waits[0], agent_id: 'a', user_id: 'ann' }] })
    const { status, body: reply } = await here.answer(result.run_id, id, { data: { decision: 'approve' } })
    expect([status, reply]).toMatchObject([
      200,
      { ok: true, wait: { id, status: 'answered', data: { decision: 'approve' }, answered_by: 'local' } },
    ])
    const after = await here.ended(result.run_id)
    expect(after).toMatchObject({
      status: 'completed',
      waits: [{ id, status: 'answered' }],
      approvals: [{ id, status: 'approved', decided_by: 'local' }],
    })
    expect((await here.send('GET', '/api/waits')).body).toEqual({ waits: [] })
    expect((await here.send('GET', '/api/waits?status=answered&kind=approval')).body.waits).toHaveLength(1)
  })

  it('the same answer again is the same wait; another one is a conflict; of another run it is unknown', async () => {
    await using here = await start(way, [asks, done, asks])
    const first = await here.run()
    const [{ id }] = first.waits
    await here.answer(first.run_id, id, { data: { decision: 'deny', reason: 'No' } })
    await here.ended(first.run_id)
    const again = await here.answer(first.run_id, id, {
      data: { reason: 'No', decision: 'deny', args: null },
    })
    expect([again.status, again.body.wait.status]).toEqual([200, 'answered'])
    for (const other of [{ data: { decision: 'approve' } }, { data: 5 }, { decline: true } as const])
      expect((await here.answer(first.run_id, id, other)).status).toBe(409)
    const second = await here.run()
    for (const [run, wait] of [
      [second.run_id, id],
      [first.run_id, second.waits[0].id],
      ['nobody', id],
    ])
      expect((await here.answer(run, wait, { decline: true })).status).toBe(404)
  })

  it('rejects wrong answers, and the wait stays open; a decline is a denial', async () => {
    await using here = await start(way, [asks, done])
    const { run_id: runId, waits } = await here.run()
    const [{ id }] = waits
    const bad: object[] = [
      {},
      { data: null },
      { data: 'yes' },
      { data: { decision: 'maybe' } },
      { data: { decision: 'approve', args: { amount: 'x' } } },
      { data: { decision: 'approve' }, decline: true },
      { data: { decision: 'approve' }, reason: 'x' },
      { decline: false },
    ]
    for (const body of bad) {
      const { status, body: reply } = await here.answer(runId, id, body)
      expect([body, status, reply.code]).toEqual([body, 400, 'validation_error'])
    }
    expect((await here.send('GET', '/api/waits')).body.waits).toMatchObject([{ id, status: 'open' }])
    const declined = await here.answer(runId, id, { decline: true, reason: 'Too much' })
    expect(declined.body.wait).toMatchObject({ status: 'declined', answered_by: 'local' })
    expect((await here.answer(runId, id, { decline: true })).status).toBe(200)
    const after = await here.ended(runId)
    expect(after.approvals).toMatchObject([{ status: 'denied', reason: 'Too much' }])
    expect(after.result.steps[0].error).toMatch(/A person denied this call: Too much/)
  })

  it('tells of it in the stream, the journal and the audit, and names who decided', async () => {
    await using here = await start(way, [asks, done])
    const { run_id: runId, waits } = await here.run()
    const [{ id }] = waits
    const created = await here.send('POST', '/api/tokens', { name: 'ci', scopes: ['approve'] })
    const headers = { authorization: `Bearer ${created.body.secret as string}` }
    const body = { data: { decision: 'approve' } }
    const path = `/api/runs/${runId}/waits/${id}`
    const reply = await here.platform.send('POST', path, { headers, body })
    expect(reply.body.wait.answered_by).toBe('token:ci')
    const { text } = await here.send('GET', `/api/runs/${runId}/events`)
    expect(text.match(/^event: (?:approval|wait|wait_settled)$/gm)).toEqual([
      'event: wait',
      'event: approval',
      'event: wait_settled',
    ])
    const { events } = (await here.send('GET', `/api/logs?run_id=${runId}`)).body
    const types = (events as { type: string }[])
      .map(({ type }) => type)
      .filter((type) => /wait|approval/.test(type))
    expect(types).toEqual(['approval.requested', 'wait.opened', 'approval.resolved', 'wait.settled'])
    const [entry] = (await here.send('GET', '/api/audit?action=wait.settled')).body.entries
    expect(entry).toMatchObject({
      actor: 'token:ci',
      target: `${runId}/${id}`,
      details: { decision: 'approve' },
    })
  })

  it('cancels what is open with the run, and lists page by page', async () => {
    await using here = await start(way, [asks, asks, asks])
    const ids: string[] = []
    for (const agent_id of ['a', 'b', 'b']) ids.unshift((await here.run({ agent_id })).waits[0].id)
    const first = (await here.send('GET', '/api/waits?limit=2')).body
    const rest = (await here.send('GET', `/api/waits?limit=2&cursor=${first.next_cursor as string}`)).body
    const idsOf = (waits: { id: string }[]) => waits.map(({ id }) => id)
    expect([...idsOf(first.waits), ...idsOf(rest.waits)]).toEqual(ids)
    expect(rest.next_cursor).toBeUndefined()
    expect(idsOf((await here.send('GET', '/api/waits?agent_id=a')).body.waits)).toEqual(ids.slice(2))
    const [wait] = first.waits
    expect(Date.parse(wait.expires_at) - Date.parse(wait.created_at)).toBe(60_000)
    await here.send('POST', `/api/runs/${wait.run_id as string}/cancel`)
    const { run } = (await here.send('GET', `/api/runs/${wait.run_id as string}`)).body
    expect(run.waits).toMatchObject([{ id: wait.id, status: 'cancelled' }])
    expect(run.waits[0]).not.toHaveProperty('answered_by')
    expect((await here.answer(wait.run_id, wait.id, { decline: true })).status).toBe(409)
    const { text } = await here.send('GET', `/api/runs/${wait.run_id as string}/events`)
    expect(text).toContain('"status":"cancelled"')
  })
})

it('a wait has one answer, whatever is sent in whatever order', async () => {
  const answers: readonly WaitAnswer[] = [
    { data: { decision: 'approve' } },
    { data: { decision: 'deny', reason: 'x' } },
    { data: { reason: 'x', decision: 'deny' } },
    { data: { decision: 'respond', text: 'y' } },
    { decline: true },
    { decline: true, reason: 'z' },
  ]
  const classOf = (index: number) => [0, 1, 1, 2, 3, 3][index]
  const steps = Array.from(
    { length: 400 },
    () =>
      ({ prompt }: { prompt: readonly { role: string }[] }) =>
        prompt.some(({ role }) => role === 'tool') ? done : asks,
  )
  await using here = await start('in process', steps)
  const order = fc.array(fc.nat(answers.length - 1), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(order, fc.boolean(), async (indexes, atOnce) => {
      const { run_id: runId, waits } = await here.run()
      const { id } = waits[0]
      const send = (index: number) => here.answer(runId, id, answers[index]!)
      const replies = atOnce ? await Promise.all(indexes.map(send)) : []
      if (!atOnce) for (const index of indexes) replies.push(await send(index))
      const taken = indexes.filter((_, place) => replies[place]?.status === 200)
      expect(new Set(taken.map(classOf)).size).toBe(1)
      const winner = classOf(taken[0]!)
      expect(replies.map(({ status }) => status)).toEqual(
        indexes.map((index) => (classOf(index) === winner ? 200 : 409)),
      )
      const said = replies.filter(({ status }) => status === 200).map(({ body }) => JSON.stringify(body.wait))
      expect(new Set(said).size).toBe(1)
    }),
    { numRuns: 30 },
  )
})

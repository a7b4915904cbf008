import { describe, expect, it } from 'vitest'
import { createScriptedModel, type ScriptedResponse } from '../testing/scripted-model.ts'
import { startPlatform, ways, type Way } from './testing/start-platform.ts'

const tool = {
  id: 'pay',
  description: 'Pays.',
  inputSchema: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
  effects: 'external',
  idempotent: false,
  returnsUntrustedContent: false,
  execute: async (args: object) => args as { amount: number }, // its schema says so
} as const

const task = { agent_id: 'a', task: 'Pay' }
const pay = { toolCalls: [{ name: 'pay', args: { amount: 100 } }] }
const done = { text: 'Done.' }
const agentPath = '/api/agents/a'

async function startWith(way: Way, steps: readonly ScriptedResponse[]) {
  const model = createScriptedModel(steps)
  const platform = await startPlatform(way, { models: { mine: () => model }, tools: [tool] })
  const agent = { id: 'a', model: 'mine/any', approval_tools: ['pay'] }
  expect((await platform.send('POST', '/api/agents', { body: agent })).status).toBe(201)
  return {
    ...platform,
    async ask() {
      const { body } = await platform.send('POST', '/api/agents/run', { body: task })
      const decide = (decision: object) =>
        platform.send('POST', `/api/runs/${body.run_id}/approvals/${body.approvals[0].id}`, {
          body: decision,
        })
      // the stream ends after the last event of the run
      const ended = async () => {
        await platform.send('GET', `/api/runs/${body.run_id}/events`)
        return (await platform.send('GET', `/api/runs/${body.run_id}`)).body.run
      }
      return { body, decide, ended }
    },
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  }
}

describe.each(ways)('A20: approvals %s', (way) => {
  it('approves with changed arguments', async () => {
    await using platform = await startWith(way, [pay, done])
    const { decide, ended } = await platform.ask()
    expect((await decide({ decision: 'approve', args: { amount: 'x' } })).body).toMatchObject({
      code: 'validation_error',
    })
    const { body } = await decide({ decision: 'approve', args: { amount: 5 }, remember: null })
    expect(body.approval).toMatchObject({
      args: { amount: 100 },
      edited_args: { amount: 5 },
      status: 'approved',
    })
    expect((await ended()).result.steps).toEqual([
      { tool: 'pay', args: { amount: 5 }, result: { amount: 5 } },
    ])
  })

  it('responds in place of the tool', async () => {
    await using platform = await startWith(way, [pay, done])
    const { decide, ended } = await platform.ask()
    const { body } = await decide({ decision: 'respond', text: 'Paid in cash.' })
    expect(body.approval).toMatchObject({ status: 'responded', response: 'Paid in cash.' })
    expect((await ended()).result.steps).toMatchObject([{ result: 'Paid in cash.' }])
  })

  it.each([
    { decision: 'respond' },
    { decision: 'respond', text: '' },
    { decision: 'approve', text: 'x' },
    { decision: 'deny', args: {} },
    { decision: 'approve', args: [] },
    { decision: 'approve', remember: 'always' },
  ])('rejects %j, and the call still waits', async (decision) => {
    await using platform = await startWith(way, [pay])
    const { body, decide } = await platform.ask()
    expect(await decide(decision)).toMatchObject({ status: 400, body: { code: 'validation_error' } })
    const { run } = (await platform.send('GET', `/api/runs/${body.run_id}`)).body
    expect(run).toMatchObject({ status: 'waiting', approvals: [{ status: 'pending' }] })
  })

  it('remembers a decision, lists it, revokes it, and forgets it with the agent', async () => {
    await using platform = await startWith(way, [pay, done, pay, done, pay, done])
    const path = `${agentPath}/remembered-approvals`
    const { decide, ended } = await platform.ask()
    await decide({ decision: 'deny', reason: 'Never', remember: 'agent' })
    await ended()
    expect((await platform.ask()).body).toMatchObject({
      stop_reason: 'done',
      steps: [{ error: expect.stringContaining('Never') }],
    })
    const { approvals } = (await platform.send('GET', path)).body
    expect(approvals).toEqual([
      {
        id: expect.any(String),
        agent_id: 'a',
        tool: 'pay',
        args: { amount: 100 },
        decision: 'deny',
        reason: 'Never',
        created_at: expect.any(String),
      },
    ])
    expect((await platform.send('DELETE', `${path}/${approvals[0].id}`)).body).toEqual({ ok: true })
    expect((await platform.send('DELETE', `${path}/${approvals[0].id}`)).status).toBe(404)
    expect((await platform.send('GET', '/api/agents/nobody/remembered-approvals')).status).toBe(404)
    const again = await platform.ask()
    expect(again.body.stop_reason).toBe('approval')
    await again.decide({ decision: 'approve', remember: 'agent' })
    await platform.send('DELETE', agentPath)
    await platform.send('POST', '/api/agents', { body: { id: 'a', model: 'mine/any' } })
    expect((await platform.send('GET', path)).body).toEqual({ approvals: [] })
  })

  it('keeps the rules and the timeout of an agent, and clears them with null', async () => {
    await using platform = await startWith(way, [])
    const approvals = [
      { tool: 'pay', when: { properties: { amount: { maximum: 10 } }, default: null }, decision: 'allow' },
      { tool: 'pay', decision: 'ask' },
    ]
    const { body } = await platform.send('PUT', agentPath, { body: { approvals, approval_timeout: 60 } })
    expect(body.agent).toMatchObject({ approvals, approval_timeout: 60 })
    expect((await platform.send('GET', agentPath)).body.agent).toMatchObject({ approvals })
    for (const wrong of [
      { approval_timeout: 0 },
      { approvals: [{ tool: 'pay', decision: 'maybe' }] },
      { approvals: [{ tool: 'pay', when: 'x', decision: 'ask' }] },
    ]) {
      expect((await platform.send('PUT', agentPath, { body: wrong })).status).toBe(400)
    }
    const cleared = await platform.send('PUT', agentPath, {
      body: { approvals: null, approval_timeout: null },
    })
    expect(Object.keys(cleared.body.agent)).not.toContain('approvals')
    expect(Object.keys(cleared.body.agent)).not.toContain('approval_timeout')
  })

  it('denies a call after the approval_timeout', async () => {
    await using platform = await startWith(way, [pay, done])
    await platform.send('PUT', agentPath, { body: { approval_timeout: 1 } })
    const { body, ended } = await platform.ask()
    expect(body.approvals[0].expires_at).toEqual(expect.any(String))
    expect(await ended()).toMatchObject({
      status: 'completed',
      approvals: [{ status: 'denied', decided_by: 'timeout' }],
    })
  })
})

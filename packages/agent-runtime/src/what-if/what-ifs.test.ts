import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { createEvals } from '../evals/index.ts'
import { createRuntime, defineTool, type RuntimeOptions } from '../index.ts'
import { createSqliteStore } from '../store/sqlite/index.ts'
import { createScriptedModel, type ScriptedResponse } from '../testing/scripted-model.ts'

/** A runtime whose models answer as scripts say, with a tool that counts its calls. */
async function open(scripts: Record<string, ScriptedResponse[]>, options: RuntimeOptions = {}) {
  let calls = 0
  const pay = defineTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ euros: z.number() }),
    effects: 'external',
    returnsUntrustedContent: false,
    async execute({ euros }) {
      calls += 1
      if (euros > 100) throw new Error('Too much')
      return { paid: euros, call: calls }
    },
  })
  const models = Object.fromEntries(
    Object.entries(scripts).map(([name, responses]) => [name, createScriptedModel(responses)]),
  )
  const runtime = createRuntime({ ...options, models: { mine: (name) => models[name]! } })
  onTestFinished(() => runtime.close())
  await runtime.agents.put({ id: 'a', model: 'mine/old', tools: [pay] })
  return { runtime, models, calls: () => calls }
}

const call = (euros: number) => ({ toolCalls: [{ name: 'pay', args: { euros } }] })

it('plays stored runs with the changed agent, and calls no tool', async () => {
  const { runtime, models, calls } = await open({
    old: [call(5), call(500), { text: 'Paid.' }, { text: 'Hello.' }],
    fresh: [
      { text: 'Hello!' }, // the newest run first
      call(5),
      call(500),
      { text: 'Paid.' },
    ],
    other: [call(7), { text: 'never' }],
  })
  const first = await runtime.run({ agent_id: 'a', task: 'Pay 5, then 500.', user_id: 'ann' })
  const second = await runtime.run({ agent_id: 'a', task: 'Greet.' })
  const before = calls()
  const report = await createEvals({ runtime }).whatIf({ agent: 'a', changes: { model: 'mine/fresh' } })
  expect(report).toMatchObject({ status: 'completed', count: 2, changes: { model: 'mine/fresh' } })
  expect(report.totals).toEqual({ same: 1, different: 1, diverged: 0, failed: 0 })
  const none = { added: 0, removed: 0, changed: 0 }
  expect(report.runs).toEqual([
    { run_id: second.run_id, verdict: 'different', calls: none, output: 'Hello!', output_before: 'Hello.' },
    { run_id: first.run_id, verdict: 'same', calls: none, output: 'Paid.', output_before: 'Paid.' },
  ])
  const seen = JSON.stringify(models['fresh']!.calls.at(-1)!.prompt)
  expect(seen).toContain('Too much') // the recorded failure
  expect(seen).toContain('Pay 5, then 500.')

  const { id } = await runtime.whatIfs.start('a', { changes: { model: 'mine/other' }, runs: [first.run_id] })
  const [diverged] = (await runtime.whatIfs.finished(id)).runs
  expect(diverged).toMatchObject({ verdict: 'diverged', calls: { added: 0, removed: 1, changed: 1 } })
  expect(models['other']!.calls).toHaveLength(1)
  expect(calls()).toBe(before)
  expect((await runtime.runs.list()).runs).toHaveLength(2)
  const { usage } = await runtime.usage.report({ group: 'user' })
  expect(usage.map(({ model, calls: made, user_id: user }) => [model, made, user])).toEqual([
    ['mine/fresh', 4, undefined],
    ['mine/old', 1, undefined],
    ['mine/old', 3, 'ann'],
    ['mine/other', 1, undefined],
  ])
  const logs = await runtime.logs.list({ type: 'model.completed', limit: 20 })
  expect(logs.filter(({ data }) => data['what_if'] === id)).toMatchObject([{ data: { model: 'mine/other' } }])
  expect(await runtime.agents.get('a')).toMatchObject({ model: 'mine/old', version: 1 })
})

it('gives repeated calls their results in order, and one more than recorded diverges', async () => {
  const { runtime, models, calls } = await open({
    old: [call(1), call(1), { text: 'Done.' }],
    again: [call(1), call(1), call(1), { text: 'never' }],
  })
  const run = await runtime.run({ agent_id: 'a', task: 'Pay twice.' })
  expect(run.tool_calls).toBe(calls())
  const changes = { model: 'mine/again', approval_tools: ['pay'] }
  const { id } = await runtime.whatIfs.start('a', { changes, last: 1 })
  const { runs } = await runtime.whatIfs.finished(id)
  expect(runs).toMatchObject([{ verdict: 'diverged', calls: { added: 1, removed: 0, changed: 0 } }])
  const last = JSON.stringify(models['again']!.calls.at(-1)!.prompt)
  expect(last).toMatch(/"call":1.*"call":2/)
})

it('rejects runs that cannot be played', async () => {
  const { runtime } = await open({ old: [] })
  const start = (request: object) => runtime.whatIfs.start('a', { changes: {}, ...request })
  await expect(start({})).rejects.toMatchObject({ code: 'validation_error' })
  await expect(start({ runs: ['none'] })).rejects.toThrow('"none" is not a run of the agent')
  await expect(runtime.whatIfs.start('none', { changes: {} })).rejects.toMatchObject({ code: 'not_found' })
  await expect(runtime.whatIfs.get('none')).rejects.toMatchObject({ code: 'not_found' })
})

it('continues behind the last played run when its process was killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-what-if-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'agents.db')
  const first = await open(
    { old: [{ text: 'one' }, { text: 'two' }] },
    { store: createSqliteStore({ path }) },
  )
  for (const task of ['1', '2']) await first.runtime.run({ agent_id: 'a', task })
  const runIds = (await first.runtime.runs.list()).runs.map(({ id }) => id)
  await first.runtime.close()

  // what a killed process left: one run was played, and its lease is over
  const store = createSqliteStore({ path })
  const agent = (await store.findAgent('a'))!
  const createdAt = '2026-01-01T00:00:00.000Z'
  const parts = { id: 'w', agentId: 'a', changes: { model: 'mine/fresh' }, createdAt }
  await store.insertWhatIf({ ...parts, agent: { ...agent, model: 'mine/fresh' }, runIds }, 10)
  const lease = { owner: 'killed', until: createdAt }
  await store.claimWhatIf({ ...lease, now: createdAt })
  const calls = { added: 0, removed: 0, changed: 0 }
  const run = { run_id: runIds[0]!, verdict: 'same' as const, calls, output: 'two', output_before: 'two' }
  await store.saveWhatIf({ id: 'w', ...lease, run })
  await store.close()

  const second = await open({ old: [], fresh: [{ text: 'one' }] }, { store: createSqliteStore({ path }) })
  await second.runtime.start()
  const { status, runs } = await second.runtime.whatIfs.finished('w')
  expect([status, runs.map(({ run_id: id, verdict }) => [id, verdict])]).toEqual([
    'completed',
    runIds.map((id) => [id, 'same']),
  ])
  expect(second.models['fresh']!.calls).toHaveLength(1)
})

it('plays a denial as it was recorded, and asks nobody', async () => {
  const script = [call(5), { text: 'Not paid.' }]
  const { runtime, models, calls } = await open({ old: script, fresh: script })
  await runtime.agents.update('a', { approval_tools: ['pay'] })
  const { run_id: id } = await runtime.run({ agent_id: 'a', task: 'Pay 5.' })
  const { approvals = [] } = (await runtime.runs.find(id)) ?? {}
  await runtime.runs.decideApproval(id, approvals[0]!.id, { decision: 'deny', reason: 'too dear' })
  await (
    await runtime.runs.attach(id)
  ).result
  const report = await createEvals({ runtime }).whatIf({ agent: 'a', changes: { model: 'mine/fresh' } })
  expect(report.runs).toMatchObject([{ run_id: id, verdict: 'same', output: 'Not paid.' }])
  expect(JSON.stringify(models['fresh']!.calls.at(-1)!.prompt)).toContain('denied this call: too dear')
  expect([calls(), (await runtime.runs.waits()).waits]).toEqual([0, []])
})

it("counts against the agent's budget, also for runs that it has stopped", async () => {
  const used = { input: 400, output: 200 }
  const yes = { text: 'Yes.', usage: used }
  const { runtime, models } = await open({ old: [yes], fresh: [yes, yes, yes] }, { estimateTokens: () => 10 })
  const limits = { max_tokens: 300 }
  await runtime.agents.update('a', { limits, budget: { max_tokens: 600, period: 'day' } })
  const first = await runtime.run({ agent_id: 'a', task: 'Is it?' })
  const second = await runtime.run({ agent_id: 'a', task: 'Really?' })
  expect([first.success, second.code]).toEqual([true, 'budget_exceeded'])
  const whatIf = () =>
    createEvals({ runtime }).whatIf({
      agent: 'a',
      changes: { model: 'mine/fresh', budget: { max_tokens: 9_000_000 } },
    })
  const spent = await whatIf()
  expect(spent).toMatchObject({ status: 'failed', totals: { failed: 2 } })
  expect(spent.runs[0]!.reason).toContain('budget')
  expect(models['fresh']!.calls).toHaveLength(0)

  await runtime.agents.update('a', { budget: { max_tokens: 2400, period: 'day' } })
  const { runs } = await whatIf()
  expect(runs).toMatchObject([
    { run_id: second.run_id, verdict: 'different', output: 'Yes.', output_before: '' },
    { run_id: first.run_id, verdict: 'same' },
  ])
  expect((await whatIf()).totals).toMatchObject({ different: 1, failed: 1 }) // its own calls have used the rest
})

it('shows the model the files of the task', async () => {
  const script = [{ text: 'A cat.' }]
  const { runtime, models } = await open({ old: script, fresh: script })
  const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1)
  const files = [
    { name: 'a.png', media_type: 'image/png', data: png },
    { name: 'a.txt', media_type: 'text/plain', data: new TextEncoder().encode('Its name is Mia.') },
  ]
  await runtime.run({ agent_id: 'a', task: 'Look', files })
  const whatIf = () => createEvals({ runtime }).whatIf({ agent: 'a', changes: { model: 'mine/fresh' } })
  expect((await whatIf()).totals).toMatchObject({ same: 1 })
  const seen = models['fresh']!.calls[0]!.prompt.find(({ role }) => role === 'user')!.content
  expect(seen).toEqual(models['old']!.calls[0]!.prompt.find(({ role }) => role === 'user')!.content)
  expect(seen).toMatchObject([{ mediaType: 'image/png' }, { mediaType: 'text/plain' }, { type: 'text' }])
})

it('plays no undo: it asked no model', async () => {
  const script = [call(5), { text: 'Paid.' }]
  const { runtime } = await open({ old: script, fresh: script })
  const { run_id: id } = await runtime.run({ agent_id: 'a', task: 'Pay 5.' })
  const undo = await runtime.runs.undo(id)
  await (
    await runtime.runs.attach(undo.id)
  ).result
  const changes = { model: 'mine/fresh' }
  const report = await createEvals({ runtime }).whatIf({ agent: 'a', changes })
  expect(report.runs.map(({ run_id: played }) => played)).toEqual([id])
  await expect(runtime.whatIfs.start('a', { changes, runs: [undo.id] })).rejects.toThrow(
    'not a run of the agent',
  )
})

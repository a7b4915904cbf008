import { expect, it } from 'vitest'
import { openChannelRuntime } from '../../channels/testing/channel-runtime.ts'
import { agentOf, createKit } from '../testing/run-kit.ts'
import { createTestStore } from '../../testing/create-test-store.ts'

const now = () => Date.UTC(2026, 10, 21)
/** One token for four characters, so that what a prompt takes is small here. */
const estimateTokens = (text: string) => Math.ceil(text.length / 4)
const half = { max_tokens: 1000, ask_at: 0.5 }
const steps = Array.from({ length: 10 }, () => ({ text: 'Yes', usage: { input: 250, output: 50 } }))

const open = (budget: object, more: object = {}) =>
  createKit({ agents: [agentOf(budget)], estimateTokens, now, steps, ...more })
type Kit = ReturnType<typeof open>
const runAs = (kit: Kit, user_id?: string) => kit.run('Do it', { ...(user_id !== undefined && { user_id }) })

async function waitsOf(kit: Kit) {
  const { waits } = await kit.runs.waits()
  return waits
}

async function answer(kit: Kit, body: object) {
  const [wait] = await waitsOf(kit)
  await kit.runs.answerWait(wait!.run_id, wait!.id, body)
  return kit.runs.attach(wait!.run_id).then(({ result }) => result)
}

it('waits at the share of the budget, and continues to the limit once a person allows it', async () => {
  const kit = open({ budget: { ...half, period: 'day' } })
  expect(await runAs(kit, 'ann')).toMatchObject({ output: 'Yes' })
  expect(await runAs(kit, 'ann')).toMatchObject({ output: 'Yes' })
  const waiting = await runAs(kit, 'ann')
  expect(waiting).toMatchObject({ success: true, stop_reason: 'waiting', turns: 0 })
  const args = { used: 600, limit: 1000, unit: 'tokens' }
  expect(waiting.waits).toMatchObject([{ kind: 'budget', status: 'open', args }])
  expect(kit.model.calls).toHaveLength(2)
  const [wait] = await waitsOf(kit)
  await expect(kit.runs.answerWait(wait!.run_id, wait!.id, { data: { continue: false } })).rejects.toThrow(
    /must/,
  )
  expect(await answer(kit, { data: { continue: true } })).toMatchObject({ success: true, output: 'Yes' })
  // nobody is asked again: a call that does not fit fails
  expect(await runAs(kit, 'ann')).toMatchObject({ output: 'Yes' })
  expect(await runAs(kit, 'ann')).toMatchObject({ success: false, code: 'budget_exceeded' })
  expect(await waitsOf(kit)).toEqual([])
})

it('asks each user, and lets all runs of the user continue that wait', async () => {
  const limits = { max_tokens: 100 } // what a call reserves
  const kit = open({ budget: { ...half, max_tokens: 3000, period: 'day' }, limits })
  for (const user of ['ann', 'bob', 'ann', 'bob', 'ann']) await runAs(kit, user)
  const ids = [await runAs(kit, 'ann'), await runAs(kit, 'ann'), await runAs(kit, 'bob')].map(
    ({ run_id }) => run_id,
  )
  expect(await waitsOf(kit)).toHaveLength(3)
  const ofAnn = (await waitsOf(kit)).find(({ user_id }) => user_id === 'ann')!
  await kit.runs.answerWait(ofAnn.run_id, ofAnn.id, { data: { continue: true } })
  for (const id of ids.slice(0, 2))
    await expect.poll(async () => (await kit.runs.get(id)).status).toBe('completed')
  expect(await waitsOf(kit)).toMatchObject([{ run_id: ids[2], user_id: 'bob' }])
  expect(await runAs(kit, 'ann')).toMatchObject({ output: 'Yes' })
})

it('ends the run as failed if the person declines, or nobody answers in time', async () => {
  const kit = open({ user_budget: half })
  await runAs(kit, 'ann')
  await runAs(kit, 'ann')
  await runAs(kit, 'ann')
  expect(await answer(kit, { decline: true, reason: 'too dear' })).toMatchObject({
    success: false,
    code: 'budget_exceeded',
    error: expect.stringContaining('a person declined to use more of the budget'),
  })
  // the budget of a user is of no other
  expect(await runAs(kit, 'bob')).toMatchObject({ output: 'Yes' })
  expect(await runAs(kit)).toMatchObject({ output: 'Yes' })
})

it('fails without asking if a call does not fit below the limit', async () => {
  const kit = open({ budget: { max_tokens: 620, ask_at: 0.5, period: 'day' } })
  await runAs(kit)
  await runAs(kit)
  expect(await runAs(kit)).toMatchObject({ success: false, code: 'budget_exceeded' })
  expect(await waitsOf(kit)).toEqual([])
})

it('names US dollars for a limit in money, and asks at once with the share 0', async () => {
  const prices = { 'scripted/main': { inputPerMillion: 1, outputPerMillion: 2 } }
  const kit = open({ budget: { max_usd: 1, ask_at: 0 } }, { prices })
  const { waits } = await runAs(kit)
  expect(waits).toMatchObject([{ args: { used: 0, limit: 1, unit: 'usd' } }])
  const { run_id } = waits![0]!
  expect(await answer(kit, { data: { continue: true } })).toMatchObject({ output: 'Yes' })
  expect((await kit.store.readBudget(`run:${run_id}:continue`)).tokens).toBe(1)
})

it('continues after a crash behind the answer', async () => {
  const store = createTestStore()
  const agents = [agentOf({ budget: { max_tokens: 10_000, ask_at: 0, period: 'day' } })]
  const createId = () => crypto.randomUUID()
  const kit = createKit({ agents, estimateTokens, now, steps, createId, store })
  const { run_id, waits } = await runAs(kit, 'ann')
  const settlement = { runId: run_id, waitId: waits![0]!.id, status: 'answered', journal: [] } as const
  const settledAt = new Date(now()).toISOString()
  await store.settleWait({ ...settlement, data: { continue: true }, settledAt })
  const second = createKit({ agents, estimateTokens, now, steps, createId, store })
  await expect.poll(async () => (await second.runs.get(run_id)).status).toBe('completed')
  expect(await runAs(second, 'ann')).toMatchObject({ output: 'Yes' })
})

it('asks in the chat that the run came from, with a button', async () => {
  const kit = await openChannelRuntime({})
  const { runtime, texts, until, write, channel } = kit
  await runtime.agents.update('parrot', { user_budget: { max_tokens: 100_000, ask_at: 0 } })
  await runtime.start()
  await kit.allow('ann')
  await write({ text: 'hello', sender: 'ann', key: 'first' })
  await until(() => expect(texts().at(-1)).toContain('Continue to the limit?'))
  expect(channel.sent.at(-1)?.notice?.buttons?.map(({ label }) => label)).toEqual(['Continue'])
  await write({ text: 'continue', sender: 'ann', key: 'second' })
  await until(() => expect(texts().join('\n')).toContain('hello'))
})

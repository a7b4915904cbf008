import { expect, it } from 'vitest'
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
    expect(await (await kit.runs.attach(id)).result).toMatchObject({ output: 'Yes' })
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

it('asks once more after a crash between the permission and the answer, and not after that', async () => {
  const store = createTestStore()
  const createId = () => crypto.randomUUID()
  const agents = [agentOf({ budget: { max_tokens: 10_000, ask_at: 0, period: 'day' } })]
  // the process ends before it has written the answer
  const asked = Promise.withResolvers<void>()
  const ending = { ...store, settleWait: () => (asked.resolve(), new Promise<never>(() => {})) }
  const kit = createKit({ agents, estimateTokens, now, steps, createId, store: ending })
  const { run_id, waits } = await runAs(kit, 'ann')
  void kit.runs.answerWait(run_id, waits![0]!.id, { data: { continue: true } })
  await asked.promise
  const second = createKit({ agents, estimateTokens, now, steps, createId, store })
  expect(await waitsOf(second)).toHaveLength(1)
  expect(await answer(second, { data: { continue: true } })).toMatchObject({ output: 'Yes' })
  expect(await runAs(second, 'ann')).toMatchObject({ output: 'Yes' })
})

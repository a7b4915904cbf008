import { expect, it, vi } from 'vitest'
import { createTestStore } from '../../testing/create-test-store.ts'
import { createGate, createKit, namesOf, toolOf } from '../testing/run-kit.ts'

const userTexts = (prompt: readonly { role: string; content: unknown }[]) =>
  prompt.flatMap(({ role, content }) => (role === 'user' ? [(content as { text: string }[])[0]?.text] : []))

it('lets the next model call read a message, once, behind the results of tools', async () => {
  const gate = createGate()
  const tools = [toolOf('look', () => gate.wait().then(() => 'seen'))]
  const kit = createKit({
    tools,
    steps: [{ toolCalls: [{ name: 'look' }] }, { toolCalls: [{ name: 'look' }] }, { text: 'End' }],
  })
  const { runId, result } = await kit.runs.start({ agent_id: 'helper', task: 'Look' })
  await vi.waitFor(() => expect(kit.model.calls).toHaveLength(1))
  const first = await kit.runs.message(runId, { text: 'At the door', idempotency_key: 'k' })
  expect(await kit.runs.message(runId, { text: 'At the door', idempotency_key: 'k' })).toEqual(first)
  await expect(kit.runs.message(runId, { text: 'Else', idempotency_key: 'k' })).rejects.toMatchObject({
    code: 'conflict',
  })
  expect((await kit.runs.get(runId)).messages).toEqual([{ ...first, mode: 'steer', text: 'At the door' }])
  gate.open()
  expect(await result).toMatchObject({ success: true, output: 'End', turns: 3 })
  const [, second, third] = kit.model.calls
  expect(second?.prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'user'])
  expect([userTexts(second?.prompt ?? []), userTexts(third?.prompt ?? [])]).toEqual([
    ['Look', 'At the door'],
    ['Look', 'At the door'],
  ])
  expect((await kit.runs.get(runId)).messages).toBeUndefined()
  const events = await kit.events(runId)
  expect(events.flatMap(({ event }) => (event.event === 'message' ? [event.data] : []))).toEqual([
    { id: first.id, text: 'At the door' },
  ])
  await expect(kit.runs.message(runId, { text: 'Late' })).rejects.toMatchObject({ code: 'conflict' })
  await expect(kit.runs.message('none', { text: 'x' })).rejects.toMatchObject({ code: 'not_found' })
})

it('makes one more model call for a message that comes while the last one answers', async () => {
  const gate = createGate()
  const kit = createKit({ steps: [{ text: 'First', gate: gate.wait }, { text: 'Second' }] })
  const { runId, result } = await kit.runs.start({ agent_id: 'helper', task: 'x', limits: { max_turns: 1 } })
  await vi.waitFor(() => expect(kit.model.calls).toHaveLength(1))
  await kit.runs.message(runId, { text: 'Wait' })
  gate.open()
  expect(await result).toMatchObject({ success: true, output: 'Second' })
  expect(userTexts(kit.model.calls[1]?.prompt ?? [])).toEqual(['x', 'Wait'])
  kit.model.assertComplete()
})

it('goes on for a message that another process has stored and this one has not heard of', async () => {
  const inner = createTestStore()
  const deaf = { ...inner, subscribe: () => () => {} }
  const gate = createGate()
  const kit = createKit({ store: deaf, steps: [{ text: 'First', gate: gate.wait }, { text: 'Second' }] })
  const other = createKit({ store: inner })
  const { runId, result } = await kit.runs.start({ agent_id: 'helper', task: 'x' })
  await vi.waitFor(() => expect(kit.model.calls).toHaveLength(1))
  await other.runs.message(runId, { text: 'From afar' })
  gate.open()
  expect(await result).toMatchObject({ success: true, output: 'Second' })
  expect(userTexts(kit.model.calls[1]?.prompt ?? [])).toEqual(['x', 'From afar'])
  expect(namesOf(await kit.events(runId)).filter((name) => name === 'done')).toHaveLength(1)
  const ends = (await inner.listEvents({ runId, limit: 99 })).filter(({ type }) => type === 'agent.completed')
  expect(ends).toHaveLength(1)
})

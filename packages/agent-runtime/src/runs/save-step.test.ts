import { describe, expect, it } from 'vitest'
import { createInMemoryStore } from '../in-memory/create-in-memory-store.ts'
import type { RunStepWrite } from '../ports/run-store.ts'
import type { ScriptedStep } from '../testing/scripted-model.ts'
import { createKit, toolOf } from './testing/run-kit.ts'

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A store whose steps take a number of turns of the event loop, and what it was given. */
function createSlowStore(turnsOfLoop: number) {
  const inner = createInMemoryStore()
  const steps: RunStepWrite[] = []
  const saveRunStep = async (step: RunStepWrite) => {
    steps.push(step)
    for (let turn = 0; turn < turnsOfLoop; turn += 1) await nextTurn()
    return inner.saveRunStep(step)
  }
  return { store: { ...inner, saveRunStep }, steps }
}

const callOf = (id: string, name: string): ScriptedStep => ({ toolCalls: [{ id, name }] })
const request = { agent_id: 'helper', task: 'Look' }

async function runWith(steps: readonly ScriptedStep[], turnsOfLoop: number) {
  const slow = createSlowStore(turnsOfLoop)
  const kit = createKit({ store: slow.store, steps, tools: [toolOf('look', () => 'seen')] })
  const { runId, result } = await kit.runs.start(request)
  const { output } = await result
  const messages = await slow.store.listRunMessages(runId)
  const seqs = (await kit.events(runId)).map(({ seq }) => seq)
  return { output, messages, seqs, steps: slow.steps }
}

describe('keeping the steps of a run', () => {
  it('A8: costs one write a turn while the model answers at once: a result goes with the next calls', async () => {
    const { output, steps } = await runWith([callOf('a', 'look'), callOf('b', 'look'), { text: 'Done' }], 0)
    expect(output).toBe('Done')
    expect(steps.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ['assistant'],
      ['tool', 'assistant'],
    ])
    expect(steps.every(({ intents }) => intents?.length === 1)).toBe(true)
  })

  it('A8: keeps a result without waiting for a model that takes its time', async () => {
    const script = [callOf('a', 'look'), { ...callOf('b', 'look'), gate: nextTurn }, { text: 'Done' }]
    const { steps } = await runWith(script, 0)
    expect(steps.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ['assistant'],
      ['tool'],
      ['assistant'],
    ])
  })

  it('keeps each message and event once, also when turns follow each other faster than the store', async () => {
    const unknown = ['a', 'b', 'c'].map((id) => ({ ...callOf(id, 'nothing'), gate: nextTurn }))
    const { messages, seqs } = await runWith([...unknown, { text: 'Done', gate: nextTurn }], 5)
    expect(messages.map(({ role }) => role)).toEqual(
      'assistant tool assistant tool assistant tool assistant'.split(' '),
    )
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
  })
})

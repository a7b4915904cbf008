import { describe, expect, it } from 'vitest'
import { createTestStore } from '../../testing/create-test-store.ts'
import type { RunStepWrite } from '../../store/ports/run-store.ts'
import type { ScriptedStep } from '../../testing/scripted-model.ts'
import { agentOf, createKit, toolOf } from '../testing/run-kit.ts'

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A store whose steps take a number of turns of the event loop, and what it was given. */
function createSlowStore(turnsOfLoop: number) {
  const inner = createTestStore()
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

type LookEffects = 'read' | 'write'

async function runWith(
  steps: readonly ScriptedStep[],
  turnsOfLoop: number,
  effects: LookEffects = 'write',
  look: () => unknown = () => 'seen',
) {
  const slow = createSlowStore(turnsOfLoop)
  const kit = createKit({ store: slow.store, steps, tools: [toolOf('look', look, { effects })] })
  const { runId, result } = await kit.runs.start(request)
  const { output } = await result
  const messages = await slow.store.listRunMessages(runId)
  const seqs = (await kit.events(runId)).map(({ seq }) => seq)
  return { output, messages, seqs, steps: slow.steps }
}

const rolesOf = (steps: readonly RunStepWrite[]) =>
  steps.map(({ messages }) => messages.map(({ role }) => role))

describe('keeping the steps of a run', () => {
  it('A8: costs one write a turn while the model answers at once: a result goes with the next calls', async () => {
    const { output, steps } = await runWith([callOf('a', 'look'), callOf('b', 'look'), { text: 'Done' }], 0)
    expect(output).toBe('Done')
    expect(rolesOf(steps)).toEqual([['assistant'], ['tool', 'assistant']])
    expect(steps.every(({ intents }) => intents?.length === 1)).toBe(true)
  })

  it('A8: keeps a result without waiting for a model that takes its time', async () => {
    const script = [callOf('a', 'look'), { ...callOf('b', 'look'), gate: nextTurn }, { text: 'Done' }]
    const { steps } = await runWith(script, 0)
    expect(rolesOf(steps)).toEqual([['assistant'], ['tool'], ['assistant']])
  })

  it('A8: a call that only reads begins while its entry is being kept; another waits for it', async () => {
    for (const effects of ['read', 'write'] as const) {
      const kept: number[] = []
      const slow = createSlowStore(3)
      const store: typeof slow.store = {
        ...slow.store,
        saveRunStep: async (step) => {
          const saved = await slow.store.saveRunStep(step)
          kept.push(step.messages.length)
          return saved
        },
      }
      const seen: number[] = []
      const look = () => void seen.push(kept.length)
      const kit = createKit({
        store,
        steps: [callOf('a', 'look'), { text: 'Done' }],
        tools: [toolOf('look', look, { effects })],
      })
      await kit.run()
      expect(seen).toEqual([effects === 'read' ? 0 : 1])
    }
  })

  it('A8: the entry of a call that only reads, and takes its time, is kept while it does', async () => {
    const { steps, messages } = await runWith(
      [callOf('a', 'look'), { text: 'Done' }],
      0,
      'read',
      async () => {
        await nextTurn()
        await nextTurn()
        return 'seen'
      },
    )
    expect(rolesOf(steps)).toEqual([['assistant']])
    expect(steps[0]?.intents).toMatchObject([{ callId: 'a', tool: 'look', repeat: 'safe' }])
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant'])
  })

  it('A8: of several calls that only read, the outcome of one stands behind its entry while others go on', async () => {
    const slow = createSlowStore(2)
    const ledger: unknown[] = []
    const store: typeof slow.store = {
      ...slow.store,
      saveEffect: async (effect) => {
        const saved = await slow.store.saveEffect(effect)
        ledger.push(saved, await slow.store.listEffects(effect.runId))
        return saved
      },
    }
    const steps = [
      {
        toolCalls: [
          { id: 'a', name: 'quick' },
          { id: 'b', name: 'slow' },
        ],
      },
      { text: 'Done' },
    ]
    const wait = async () => {
      for (let turn = 0; turn < 20; turn += 1) await nextTurn()
    }
    const kit = createKit({ store, steps, tools: [toolOf('quick', () => 1), toolOf('slow', wait)] })
    await kit.run()
    expect(ledger).toMatchObject([
      true,
      [{ callId: 'a', outcome: { result: { result: 1 } } }, { callId: 'b' }],
    ])
  })

  it('turns that wait for nothing go into one write, and leave the event loop a turn now and then', async () => {
    const script = Array.from({ length: 60 }, (_, index) => callOf(`c${index}`, 'look'))
    let turns = 0
    const count = () => {
      turns += 1
      again = setImmediate(count)
    }
    let again = setImmediate(count)
    const slow = createSlowStore(0)
    const agent = agentOf({ limits: { max_turns: 61 } })
    const steps = [...script, { text: 'Done' }]
    const kit = createKit({
      store: slow.store,
      steps,
      agents: [agent],
      tools: [toolOf('look', () => 'seen')],
    })
    expect(await kit.run()).toMatchObject({ output: 'Done', turns: 61 })
    clearImmediate(again)
    expect(turns).toBeGreaterThanOrEqual(2)
    expect(slow.steps.length).toBeLessThan(10)
    expect(slow.steps.flatMap(({ messages }) => messages).length).toBeGreaterThanOrEqual(100)
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

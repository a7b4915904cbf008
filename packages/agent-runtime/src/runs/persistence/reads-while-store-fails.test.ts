import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createTestStore } from '../../testing/create-test-store.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { passingFailure } from '../testing/failing-store.ts'
import { agentOf, createKit, toolOf } from '../testing/run-kit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Read =
  | 'findRun'
  | 'listRunMessages'
  | 'listEffects'
  | 'listWaitsOf'
  | 'findConversation'
  | 'listMessages'

/** A store of which two reads of one kind fail once it is told to, behind those that it is told to answer. */
function createMomentaryStore(verb: Read) {
  const inner = createTestStore()
  let left = -1
  const read = inner[verb] as (...given: unknown[]) => Promise<unknown>
  const failing = async (...given: unknown[]) => {
    left -= 1
    if (left === 0 || left === 1) throw passingFailure()
    return read(...given)
  }
  const fail = (behind = 0) => void (left = behind + 2)
  return { inner, failing: { [verb]: failing } as Partial<RuntimeStore>, fail }
}

const agents = [agentOf({ approval_tools: ['pay'] })]
const steps = [{ toolCalls: [{ name: 'pay', id: 'p1' }] }, { text: 'Done.' }]

it.each([
  'findRun',
  'listRunMessages',
  'listEffects',
  'listWaitsOf',
  'findConversation',
  'listMessages',
] as const)('A8: a run goes on that waited, although %s fails for a moment', async (verb) => {
  const { inner, failing, fail } = createMomentaryStore(verb)
  const store: RuntimeStore = {
    ...inner,
    ...failing,
    async resumeRun(...given) {
      const isOurs = await inner.resumeRun(...given)
      fail()
      return isOurs
    },
  }
  const pay = vi.fn(() => 'paid')
  const kit = createKit({ store, steps: [{ text: 'Hello.' }, ...steps], tools: [toolOf('pay', pay)], agents })
  await kit.run('Hi', { conversation_id: 'c' })
  const { run_id, approvals } = await kit.run('Pay', { conversation_id: 'c' })
  await kit.runs.decideApproval(run_id, approvals?.[0]?.id ?? '', { decision: 'approve' })
  await vi.advanceTimersByTimeAsync(5000)
  expect((await inner.findRun(run_id))?.result).toMatchObject({ success: true, output: 'Done.' })
  expect(pay).toHaveBeenCalledOnce()
})

it('A8: who waits for a run hears how it stopped, although looking for it fails for a moment', async () => {
  const { inner, failing, fail } = createMomentaryStore('findRun')
  const kit = createKit({
    store: { ...inner, ...failing },
    steps,
    tools: [toolOf('pay', () => 'paid')],
    agents,
  })
  const { run_id } = await kit.run()
  fail(1)
  const { result } = await kit.runs.attach(run_id)
  await vi.advanceTimersByTimeAsync(5000)
  expect(await result).toMatchObject({ run_id, stop_reason: 'approval' })
})

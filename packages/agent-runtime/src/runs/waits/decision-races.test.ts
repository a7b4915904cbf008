import { afterEach, expect, it, vi } from 'vitest'
import { createRuntime } from '../../runtime/create-runtime.ts'
import { createTestStore } from '../../testing/create-test-store.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { createScriptedModel } from '../../testing/scripted-model.ts'
import { WaitingAgent } from '../../ports/waiting-agent.ts'
import { agentOf, createGate, createKit, toolOf } from '../testing/run-kit.ts'

afterEach(() => void vi.useRealTimers())

const pay = { toolCalls: [{ id: 'p', name: 'pay' }] }
const both = {
  toolCalls: [
    { id: 'a', name: 'ask' },
    { id: 's', name: 'send' },
  ],
}

/** Holds up one call, before or behind what it does. */
function createHold() {
  const reached = createGate()
  const released = createGate()
  let isUsed = false
  const hold = async () => {
    if (isUsed) return
    isUsed = true
    reached.open()
    await released.wait()
  }
  return { hold, reached: reached.wait, release: released.open }
}

/** A run that asks another agent, which has to ask a person, and sends, which a person has to allow too. */
async function startBoth(toStore: (inner: RuntimeStore, childId: () => string) => RuntimeStore) {
  const inner = createTestStore()
  let childId = ''
  const sent = vi.fn(() => 'sent')
  const kit = createKit({
    store: toStore(inner, () => childId),
    agents: [agentOf({ approval_tools: ['send'] }), agentOf({ id: 'payer', approval_tools: ['pay'] })],
    tools: [
      toolOf('pay', () => 'paid'),
      toolOf('send', sent),
      toolOf('ask', async (_, { runId, idempotencyKey }) => {
        const request = { agent_id: 'payer', task: 'x', idempotency_key: idempotencyKey }
        const { result } = await kit.runs.start(request, { parentRunId: runId, depth: 1 })
        const { run_id, waits = [], stop_reason, output } = await result
        if (stop_reason !== 'approval') return output
        childId = run_id
        throw new WaitingAgent(run_id, waits)
      }),
    ],
    steps: [both, pay, { text: 'I paid' }, { text: 'End' }],
  })
  const { runId } = await kit.runs.start({ agent_id: 'helper', task: 'x' })
  return {
    runs: kit.runs,
    sent,
    /** Says yes to what the run itself asks, or the agent that it asked. */
    async approve(whose: 'own' | 'child') {
      const id = whose === 'own' ? runId : childId
      const [approval] = await inner.listWaitsOf([id])
      await kit.runs.decideApproval(id, approval?.id ?? '', { decision: 'approve' })
    },
  }
}

it('A20: a decision counts that is made before the run has quite stopped', async () => {
  const { hold, reached, release } = createHold()
  const { runs, sent, approve } = await startBoth((inner, childId) => ({
    ...inner,
    async findRun(id, signal) {
      // the look whether the agent that it waits for has ended meanwhile
      if (id === childId()) await hold()
      return inner.findRun(id, signal)
    },
  }))
  await reached()
  await approve('own')
  release()
  await vi.waitFor(() => expect(sent).toHaveBeenCalledTimes(1))
  await runs.close()
})

it('A20: a decision counts that is made just when the run was found to wait for it', async () => {
  const { hold, reached, release } = createHold()
  const { runs, sent, approve } = await startBoth((inner) => ({
    ...inner,
    async resumeRun(id, lease, signal) {
      const isResumed = await inner.resumeRun(id, lease, signal)
      if (!isResumed) await hold()
      return isResumed
    },
  }))
  await vi.waitFor(async () =>
    expect(await runs.list({ status: 'waiting' })).toMatchObject({ runs: [{}, {}] }),
  )
  await approve('child') // it ends, and the run is looked at
  await reached()
  await approve('own')
  release()
  await vi.waitFor(() => expect(sent).toHaveBeenCalledTimes(1))
  await runs.close()
})

it('A10: a node that ends in another process, just before its graph waits for it, lets the graph go on', async () => {
  const store: RuntimeStore = { ...createTestStore(), isDurable: true, close: async () => {} }
  const { hold, reached, release } = createHold()
  const slow: RuntimeStore = {
    ...store,
    async saveRunStep(step, signal) {
      if (step.waitFor && !step.opens) await hold()
      return store.saveRunStep(step, signal)
    },
  }
  const answer = createScriptedModel(
    Array.from(
      { length: 2 },
      () =>
        ({ prompt }) =>
          prompt.some(({ role }) => role === 'tool') ? { text: 'End' } : pay,
    ),
  )
  const open = (own: RuntimeStore) =>
    createRuntime({
      store: own,
      environment: {},
      tools: [toolOf('pay', () => 'paid')],
      models: { scripted: () => answer },
    })
  await using here = open(slow)
  await using other = open(store)
  await here.agents.create({ id: 'payer', model: 'scripted/main', approval_tools: ['pay'] })
  await here.graphs.create({ id: 'g', nodes: [{ id: 'n', agent: 'payer' }], edges: [] })
  const { runId } = await here.graphs.start({ graph_id: 'g', input: 'x' })
  await reached()
  const [node] = (await other.runs.list({ parentRunId: runId })).runs
  const [approval] = node?.approvals ?? []
  await other.runs.decideApproval(runId, approval?.id ?? '', { decision: 'approve' })
  const endOf = (id = '') =>
    vi.waitFor(async () => expect(await other.runs.find(id)).toMatchObject({ status: 'completed' }))
  await endOf(node?.id)
  release()
  await endOf(runId)
})

it('A10: a graph that waits is left alone, also when the node was tried before', async () => {
  const resumed = vi.fn()
  const inner = createTestStore()
  const store: RuntimeStore = {
    ...inner,
    isDurable: true,
    resumeRun: (...given) => (resumed(), inner.resumeRun(...given)),
    close: async () => {},
  }
  const answer = createScriptedModel([{ error: new Error('no') }, pay])
  const open = () =>
    createRuntime({
      store,
      environment: {},
      tools: [toolOf('pay', () => 'paid')],
      models: { scripted: () => answer },
    })
  await using here = open()
  await using other = open()
  await here.agents.create({ id: 'payer', model: 'scripted/main', approval_tools: ['pay'] })
  await here.graphs.create({ id: 'g', nodes: [{ id: 'n', agent: 'payer', retries: 1 }], edges: [] })
  const { result } = await here.graphs.start({ graph_id: 'g', input: 'x' })
  expect(await result).toMatchObject({ success: true, stop_reason: 'approval' })
  resumed.mockClear()
  await other.runs.recover()
  expect(resumed).not.toHaveBeenCalled()
})

/** A run that waits for a person, over a store that fails once: in the verb, before or behind what it does. */
async function startFailing(verb: 'resumeRun' | 'settleWait', side: 'before' | 'behind') {
  const inner = createTestStore()
  let isFirst = true
  const failing = async (...given: unknown[]) => {
    const call = () => (inner[verb] as (...given: unknown[]) => Promise<unknown>)(...given)
    if (!isFirst) return call()
    isFirst = false
    if (side === 'behind') await call()
    throw new RuntimeError('storage_error', 'no connection', { retryable: true })
  }
  const paid = vi.fn(() => 'paid')
  const kit = createKit({
    store: { ...inner, isDurable: true, [verb]: failing },
    agents: [agentOf({ approval_tools: ['pay'] })],
    tools: [toolOf('pay', paid)],
    steps: [pay, { text: 'End' }],
  })
  return { ...kit, paid, waiting: await kit.run() }
}

it.each([
  ['resumeRun', 'before'],
  ['settleWait', 'behind'],
] as const)('A20: a decision counts within seconds when the store fails in %s (%s)', async (verb, side) => {
  vi.useFakeTimers()
  const { runs, paid, waiting } = await startFailing(verb, side)
  const { run_id: runId, approvals } = waiting
  const decision = { decision: 'approve' } as const
  const decided = runs.decideApproval(runId, approvals?.[0]?.id ?? '', decision)
  if (verb === 'settleWait') await expect(decided).rejects.toMatchObject({ code: 'storage_error' })
  else await decided
  await vi.advanceTimersByTimeAsync(7000)
  expect(paid).toHaveBeenCalledOnce()
  expect(await runs.find(runId)).toMatchObject({ status: 'completed' })
  await runs.close()
})

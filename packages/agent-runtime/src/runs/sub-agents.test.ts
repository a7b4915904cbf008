import { describe, expect, it, vi } from 'vitest'
import { createTestStore } from '../testing/create-test-store.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { WaitingAgent, waitsIn } from '../ports/waiting-agent.ts'
import type { ScriptedResponse } from '../testing/scripted-model.ts'
import { agentOf, createKit, namesOf, toolOf } from './testing/run-kit.ts'

const paid = vi.fn((_args: object) => 'paid')

/** An agent that asks another one to pay, which a person has to allow. */
function open(store: RuntimeStore, steps: readonly ScriptedResponse[]) {
  const kit = createKit({
    store,
    agents: [agentOf(), agentOf({ id: 'payer', approval_tools: ['pay'] })],
    tools: ({ id }) =>
      id === 'payer'
        ? [toolOf('pay', paid, { effects: 'external', idempotent: false })]
        : [
            toolOf('ask', async (_, { runId, idempotencyKey, signal }) => {
              const request = { agent_id: 'payer', task: 'Pay', idempotency_key: idempotencyKey }
              const child = await kit.runs.start(request, { parentRunId: runId, depth: 1, signal })
              const result = await child.result
              if (result.stop_reason === 'approval') throw new WaitingAgent(result.run_id, waitsIn(result))
              return result.output
            }),
          ],
    steps,
  })
  return kit
}

const ask = { toolCalls: [{ id: 'a1', name: 'ask' }] }
const pay = { toolCalls: [{ id: 'p1', name: 'pay', args: { amount: 3 } }] }

describe('A20: a sub-agent that waits for a person', () => {
  for (const restart of [false, true]) {
    it(`A20: makes the run wait that asked it, which shows its approvals and goes on with it${restart ? ', after a restart too' : ''}`, async () => {
      paid.mockClear()
      const store = { ...createTestStore(), isDurable: restart }
      const rest = [{ text: 'I paid' }, { text: 'All done' }]
      const before = open(store, [ask, pay, ...(restart ? [] : rest)])
      const result = await before.run()
      expect(result).toMatchObject({
        stop_reason: 'approval',
        approvals: [{ tool: 'pay', args: { amount: 3 } }],
      })
      const childId = result.approvals?.[0]?.run_id ?? ''
      expect(childId).not.toBe(result.run_id)
      if (restart) await before.runs.close()
      const kit = restart ? open(store, rest) : before
      expect(await kit.runs.find(result.run_id)).toMatchObject({
        status: 'waiting',
        approvals: [{ run_id: childId, status: 'pending' }],
      })
      expect(await kit.runs.find(childId)).toMatchObject({ parent_run_id: result.run_id })
      // by the run that a person looks at, as well as by its own
      await kit.runs.decideApproval(result.run_id, result.approvals?.[0]?.id ?? '', { decision: 'approve' })
      const events = await kit.events(result.run_id)
      expect(namesOf(events)).toEqual([
        'start',
        'usage',
        'tool_start',
        'wait',
        'approval',
        'wait_settled',
        'tool_call',
        'assistant',
        'usage',
        'done',
      ])
      expect(await kit.runs.find(result.run_id)).toMatchObject({
        status: 'completed',
        result: { output: 'All done', tool_calls: 1, steps: [{ tool: 'ask', result: 'I paid' }] },
      })
      expect(paid).toHaveBeenCalledTimes(1)
      await kit.runs.close()
    })
  }

  it('A20: that asks a second time is shown by the run above it too', async () => {
    paid.mockClear()
    const again = { toolCalls: [{ id: 'p2', name: 'pay', args: { amount: 4 } }] }
    const kit = open(createTestStore(), [ask, pay, again, { text: 'I paid' }, { text: 'All done' }])
    const { run_id, approvals } = await kit.run()
    await kit.runs.decideApproval(run_id, approvals?.[0]?.id ?? '', { decision: 'approve' })
    const asked = async () => {
      const { result, status } = (await kit.runs.find(run_id)) ?? {}
      return status === 'waiting' && result && 'approvals' in result ? result.approvals : []
    }
    await vi.waitFor(async () => expect(await asked()).toMatchObject([{ args: { amount: 4 } }]), {
      timeout: 60_000,
    })
    await kit.runs.decideApproval(run_id, (await asked())?.[0]?.id ?? '', { decision: 'approve' })
    const events = await kit.events(run_id)
    expect(namesOf(events).filter((name) => name === 'approval')).toHaveLength(2)
    expect(namesOf(events).filter((name) => name === 'tool_start')).toHaveLength(1)
    expect(paid).toHaveBeenCalledTimes(2)
  })

  it('is cancelled with the run that asked it', async () => {
    paid.mockClear()
    const kit = open(createTestStore(), [ask, pay])
    const { run_id, approvals } = await kit.run()
    expect(await kit.runs.cancel(run_id)).toMatchObject({ status: 'cancelled' })
    expect(await kit.runs.find(approvals?.[0]?.run_id ?? '')).toMatchObject({ status: 'cancelled' })
    expect(paid).not.toHaveBeenCalled()
    const called = await kit.store.listEvents({ runId: run_id, type: 'tool.called', limit: 10 })
    expect(called).toHaveLength(1)
  })
})

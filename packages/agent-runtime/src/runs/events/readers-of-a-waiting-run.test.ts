import { describe, expect, it } from 'vitest'
import { createTestStore } from '../../testing/create-test-store.ts'
import type { NumberedRunEvent } from '../runs.ts'
import { agentOf, createKit, namesOf, toolOf } from '../testing/run-kit.ts'

const asks = { toolCalls: [{ name: 'pay', args: { amount: 100 }, id: 'p1' }] }
const agents = [agentOf({ approval_tools: ['pay'] })]
const tools = [toolOf('pay', () => 'paid', { effects: 'external', idempotent: false })]

describe('who has read a run from its start, in the process where it ran, and waits with it', () => {
  /** A run that waits, and somebody who has read all of it. */
  async function startReading() {
    const store = createTestStore()
    const options = { store, tools, agents }
    const kit = createKit({ ...options, steps: [asks, { text: 'Done.' }] })
    const { runId, result } = await kit.runs.start({ agent_id: 'helper', task: 'Pay' })
    const read: NumberedRunEvent[] = []
    const reading = (async () => {
      for await (const numbered of kit.runs.events(runId, 0)) read.push(numbered)
    })()
    const waits = await result
    return { store, options, kit, runId, waits, read, reading }
  }

  it('A6: hears that it was cancelled', async () => {
    const { kit, runId, read, reading } = await startReading()
    await kit.runs.cancel(runId)
    await reading
    expect(namesOf(read).slice(-6)).toEqual([
      'wait',
      'approval',
      'wait_settled',
      'tool_start',
      'tool_call',
      'error',
    ])
    await kit.runs.close()
  })

  it('A6: hears how it went on in another process, where a person decided', async () => {
    const { options, kit, runId, waits, read, reading } = await startReading()
    let ids = 0
    const createId = () => `other-${(ids += 1)}`
    const other = createKit({ ...options, createId, steps: [{ text: 'Done.' }] })
    const id = 'approvals' in waits ? (waits.approvals?.[0]?.id ?? '') : ''
    await other.runs.decideApproval(runId, id, { decision: 'approve' })
    await reading
    expect(namesOf(read).slice(-5)).toEqual(['tool_start', 'tool_call', 'assistant', 'usage', 'done'])
    expect(read.map(({ seq }) => seq)).toEqual(read.map((__, index) => index + 1))
    await other.runs.close()
    await kit.runs.close()
  })
})

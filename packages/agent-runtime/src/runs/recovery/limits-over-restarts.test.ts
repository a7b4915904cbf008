import { describe, expect, it, vi } from 'vitest'
import { createTestStore } from '../../testing/create-test-store.ts'
import { agentOf, createKit, toolOf } from '../testing/run-kit.ts'

const agents = [agentOf({ approval_tools: ['pay'], limits: { max_turns: 2, max_tokens: 100 } })]
const tools = [toolOf('pay', () => 'paid', { effects: 'external', idempotent: false })]
const asks = { toolCalls: [{ name: 'pay' }], usage: { input: 1, output: 30 } }
const sumsUp = { text: 'That is all.', usage: { input: 1, output: 5 } }

describe('A5: the limits of a run that waits for people again and again', () => {
  it.each([
    ['in one process', false],
    ['over restarts', true],
  ])('A5: are those of the whole run, %s: turns and tokens go on counting', async (_, restarts) => {
    const store = { ...createTestStore(), isDurable: true }
    const open = (...steps: (typeof asks | typeof sumsUp)[]) => createKit({ store, agents, tools, steps })
    let kit = restarts ? open(asks) : open(asks, asks, sumsUp)
    const { run_id } = await kit.run()
    for (const next of [asks, sumsUp]) {
      const { approvals = [] } = (await kit.runs.find(run_id)) ?? {}
      if (restarts) {
        await kit.runs.close()
        kit = open(next)
      }
      const waiting = approvals.find(({ status }) => status === 'pending')
      await kit.runs.decideApproval(run_id, waiting?.id ?? '', { decision: 'approve' })
      await vi.waitFor(
        async () => {
          const run = await kit.runs.find(run_id)
          const isAsked = run?.approvals.some(({ id, status }) => status === 'pending' && id !== waiting?.id)
          expect(run?.status).toBe(next === asks ? 'waiting' : 'completed')
          expect(isAsked).toBe(next === asks)
        },
        { timeout: 60_000 },
      )
    }
    expect((await kit.runs.find(run_id))?.result).toMatchObject({
      stop_reason: 'max_turns',
      output: 'That is all.',
      tool_calls: 2,
      usage: { output_tokens: 65 },
    })
    const lastCall = kit.model.calls.at(-1)
    expect(lastCall).toMatchObject({ maxOutputTokens: 40 }) // what the two calls before it left
    expect(lastCall?.tools ?? []).toEqual([])
    await kit.runs.close()
  })
})

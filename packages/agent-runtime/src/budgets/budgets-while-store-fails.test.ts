import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createTestStore } from '../testing/create-test-store.ts'
import { createFailingStore } from '../runs/testing/failing-store.ts'
import { agentOf, createKit } from '../runs/testing/run-kit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

for (const verb of ['reserveBudget', 'settleBudget'] as const) {
  for (const when of ['before', 'behind'] as const) {
    it(`a call is made and counted once when ${verb} fails for a moment, ${when} it is done`, async () => {
      const { store, count } = createFailingStore(createTestStore(), { verb, at: 1, times: 2, when })
      const kit = createKit({
        store,
        agents: [agentOf({ budget: { max_tokens: 10_000 } })],
        steps: [{ text: 'Yes', usage: { input: 100, output: 50 } }],
      })
      const running = kit.run()
      await vi.advanceTimersByTimeAsync(1000)
      const { success, output, run_id } = await running
      expect([success, output, count(), kit.model.calls.length]).toEqual([true, 'Yes', 3, 1])
      expect(await store.readBudget(`run:${run_id}`)).toEqual({ tokens: 150, microUsd: 0 })
    })
  }
}

import { expect, it, vi } from 'vitest'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime } from '../../runtime/create-runtime.ts'
import { crashConformance } from '../../testing/crash-kit.ts'
import type { CrashScenario } from '../../testing/crashes/scenario.ts'
import { createTestStore } from '../../testing/create-test-store.ts'

// each crash starts two processes, and the thread of one that was killed would stay
vi.mock('../../tools/code/program-thread.ts', async () => {
  const { createProgramVm } = await import('../../tools/code/program-vm.ts')
  return { startProgramThread: () => ({ ...createProgramVm(), end() {} }) }
})

const code = `const first = await tools.pay({ to: 1 })
  const both = await Promise.all([tools.pay({ to: 2 }), tools.look({ place: 'a' }), tools.send({ to: 3 })])
  await tools.pay({ to: 4, after: both.length })
  both.map(({ did }) => did)`

/** @param verifies whether the tools of calls that may be made once can say if they were made */
const scenarioOf = (verifies: boolean): CrashScenario => ({
  name: 'a program whose calls may be made once, one of them after approval',
  tools: [
    { id: 'pay', repeat: 'once', verifies },
    { id: 'look', repeat: 'safe' },
    { id: 'send', repeat: 'once', verifies },
  ],
  models: { worker: [{ toolCalls: [{ name: 'run_code', id: 'p', args: { code } }] }, { text: 'Paid.' }] },
  async prepare(runtime) {
    await runtime.agents.create({
      id: 'worker',
      model: 'crash/worker',
      limits: { max_runtime: 60 },
      code: true,
      approval_tools: ['send'],
    })
  },
  begin: () => ({
    async work(runtime) {
      for (;;) {
        const handle = await runtime.runs.start({ agent_id: 'worker', task: 'Pay', idempotency_key: 'same' })
        const { stop_reason: reason } = await handle.result
        if (reason !== 'approval') return
        const { waits } = await runtime.runs.waits({ runId: handle.runId })
        // the same answer again causes no conflict
        for (const { id } of waits)
          await runtime.runs.answerWait(handle.runId, id, { data: { decision: 'approve' } })
        if (waits.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
      }
    },
    async problems(runtime) {
      const again = await runtime.runs.start({ agent_id: 'worker', task: 'Pay', idempotency_key: 'same' })
      const { steps, code: failure } = await again.result
      const given = JSON.stringify(steps.at(-1)?.result)
      const mayFail = !verifies && failure === 'effect_uncertain'
      const isRight = given === '{"value":["pay","look","send"]}' || mayFail
      return isRight ? [] : [`the program gave ${given}`]
    },
  }),
})

it.each([
  { said: 'repeats no call that may be made once', verifies: false },
  { said: 'asks tools with verify whether a call was made, and ends as without a crash', verifies: true },
])(
  'A8: $said, wherever its process is killed',
  async ({ verifies }) => {
    const home = await mkdtemp(join(tmpdir(), 'homeward-programs-'))
    const report = await crashConformance(scenarioOf(verifies), {
      createRuntime: (options) => createRuntime({ ...options, home }),
      harness: { create: async () => ({ store: createTestStore() }) },
      every: Number(process.env['CRASH_POINTS_EVERY'] ?? 12),
    })
    await rm(home, { recursive: true, force: true })
    expect(report.problems).toEqual([])
    expect(report.points).toBeGreaterThan(25)
  },
  120_000,
)

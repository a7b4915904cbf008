import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, type AgentRuntime } from '@homeward/agent-runtime'
import type { Measurement } from '../measurement.ts'
import { median } from '../median.ts'

/** Size of a measurement. */
interface TurnsLoad {
  /** Tasks of one user that wait. */
  readonly tasks: number
  readonly rounds: number
}

/** How long the task of one user takes beside very many tasks of another user, who came first, of the same agent. */
export async function measureTurns({ tasks, rounds }: TurnsLoad): Promise<readonly Measurement[]> {
  const home = await mkdtemp(join(tmpdir(), 'homeward-bench-'))
  const runtime = createRuntime({ home, environment: {} })
  try {
    await runtime.agents.create({ id: 'helper', model: 'test/echo' })
    await measureOne(runtime, 'warm')
    const alone: number[] = []
    const beside: number[] = []
    const whole: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      alone.push(await measureOne(runtime, 'quiet'))
      const startMs = performance.now()
      let last = ''
      for (let count = 0; count < tasks; count += 1) last = await create(runtime, `loud ${round}`)
      beside.push(await measureOne(runtime, 'quiet'))
      await endOf(runtime, last)
      whole.push(performance.now() - startMs)
    }
    const [value, floor] = [median(beside), median(whole)]
    return [
      { name: 'a task of one user, alone', value: round1(median(alone)), unit: 'ms' },
      {
        name: `the same behind ${tasks.toLocaleString('en')} tasks of another user`,
        value: round1(value),
        floor: round1(floor),
        unit: 'ms',
        ratio: value / floor,
        target: { atMost: 0.1 },
        passed: value / floor <= 0.1,
      },
    ]
  } finally {
    await runtime.close()
    await rm(home, { recursive: true, force: true })
  }
}

async function create(runtime: AgentRuntime, user: string): Promise<string> {
  const { task } = await runtime.tasks.create({ agent_id: 'helper', task: 'Hello', user_id: user })
  return task.id
}

async function measureOne(runtime: AgentRuntime, user: string): Promise<number> {
  const startMs = performance.now()
  await endOf(runtime, await create(runtime, user))
  return performance.now() - startMs
}

async function endOf(runtime: AgentRuntime, id: string): Promise<void> {
  while ((await runtime.tasks.get(id)).finished_at === undefined)
    await new Promise((resolve) => setTimeout(resolve, 2))
}

const round1 = (value: number) => Math.round(value * 10) / 10

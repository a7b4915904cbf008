import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild } from '../child.ts'
import { median } from '../median.ts'
import type { Measurement } from '../measurement.ts'
import type { ResumeProcessCalls } from './resume-process.ts'

const maxResumeMs = 1000
/** A lease of the process before is over by then. */
const leaseOverMs = 1500

/** Taking up a run with many steps in a fresh process, whose own process ended in the middle of it. */
export async function measureResume(steps: number, rounds: number): Promise<readonly Measurement[]> {
  const asked: number[] = []
  const ended: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const taken = await resumeOnce(steps)
    if (taken.again > 0) throw new Error(`Resuming a run: ${taken.again} of its tools were called again`)
    if (taken.turns !== steps) throw new Error(`Resuming a run: it has ${taken.turns} turns, not ${steps}`)
    asked.push(taken.askedMs)
    ended.push(taken.endedMs)
  }
  const shown = steps.toLocaleString('en')
  const endedMs = median(ended)
  return [
    {
      name: `run of ${shown} steps resumed, until the model is called`,
      value: round1(median(asked)),
      unit: 'ms',
    },
    {
      name: `resume a run of ${shown} steps, until its end is stored`,
      value: round1(endedMs),
      unit: 'ms',
      target: { atMost: maxResumeMs },
      passed: endedMs <= maxResumeMs,
    },
  ]
}

async function resumeOnce(steps: number) {
  const home = await mkdtemp(join(tmpdir(), 'homeward-bench-'))
  const module = new URL('resume-process.ts', import.meta.url)
  try {
    {
      await using before = startChild<ResumeProcessCalls>(module, [home, String(steps)])
      await before.call.walk()
    }
    await new Promise((resolve) => setTimeout(resolve, leaseOverMs))
    await using after = startChild<ResumeProcessCalls>(module, [home, String(steps)])
    return await after.call.resume()
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

const round1 = (value: number) => Math.round(value * 10) / 10

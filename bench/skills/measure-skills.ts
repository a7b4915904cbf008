import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild } from '../child.ts'
import { median } from '../median.ts'
import type { Measurement } from '../measurement.ts'
import { makeSkills } from './make-skills.ts'
import type { SkillsProcessCalls } from './skills-process.ts'

const maxLoadMs = 1000

/** Loading many skills in a fresh process, and what they cost a run once they are loaded. */
export async function measureSkills(count: number, rounds: number): Promise<readonly Measurement[]> {
  const home = await mkdtemp(join(tmpdir(), 'homeward-bench-'))
  try {
    await makeSkills(home, count)
    const loads: number[] = []
    const lists: number[] = []
    const runs: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      await using child = startChild<SkillsProcessCalls>(new URL('skills-process.ts', import.meta.url), [
        home,
      ])
      const loaded = await child.call.list()
      if (loaded.count !== count) throw new Error(`Loading skills: ${loaded.count} of ${count} were loaded`)
      loads.push(loaded.ms)
      for (let again = 0; again < 20; again += 1) lists.push((await child.call.list()).ms)
      for (let again = 0; again < 20; again += 1) {
        const plain = await child.call.run('plain')
        runs.push((await child.call.run('skilled')) - plain)
      }
    }
    const shown = count.toLocaleString('en')
    const loadMs = median(loads)
    return [
      {
        name: `${shown} skills loaded and listed`,
        value: Math.round(loadMs),
        unit: 'ms',
        target: { atMost: maxLoadMs },
        passed: loadMs <= maxLoadMs,
      },
      { name: `${shown} skills listed again`, value: round1(median(lists)), unit: 'ms' },
      { name: `${shown} unchanged skills, cost of a run`, value: round1(median(runs)), unit: 'ms' },
    ]
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

const round1 = (value: number) => Math.round(value * 10) / 10

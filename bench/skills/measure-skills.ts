import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromBuild, startChild } from '../child.ts'
import { ensureBuild } from '../ensure-build.ts'
import { median } from '../median.ts'
import type { Measurement } from '../measurement.ts'
import { makeSkills, type SkillKind } from './make-skills.ts'
import type { SkillsProcessCalls } from './skills-process.ts'

const maxLoadMs = 1000
const module = new URL('skills-process.ts', import.meta.url)

/** Loading many skills in a fresh process, and what they cost a run once they are loaded. */
export async function measureSkills(count: number, rounds: number): Promise<readonly Measurement[]> {
  await ensureBuild()
  const plain = await measureKind('plain', count, rounds)
  const withTools = await measureKind('with tools', count, rounds)
  const shown = count.toLocaleString('en')
  const toLoad = (name: string, value: number): Measurement => ({
    name,
    value: Math.round(value),
    unit: 'ms',
    target: { atMost: maxLoadMs },
    passed: value <= maxLoadMs,
  })
  return [
    toLoad(`${shown} skills of a SKILL.md each, loaded and listed`, plain.loadMs),
    toLoad(`${shown} skills with one to three tools each, loaded and listed`, withTools.loadMs),
    { name: `the same, listed again`, value: round1(withTools.listMs), unit: 'ms' },
    { name: `the same unchanged, cost of a run`, value: round1(withTools.runMs), unit: 'ms' },
  ]
}

async function measureKind(kind: SkillKind, count: number, rounds: number) {
  const home = await mkdtemp(join(tmpdir(), 'homeward-bench-'))
  try {
    await makeSkills(home, count, kind)
    const loads: number[] = []
    const lists: number[] = []
    const runs: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      await using child = startChild<SkillsProcessCalls>(module, [home], fromBuild)
      const loaded = await child.call.list()
      if (loaded.count !== count) throw new Error(`Loading skills: ${loaded.count} of ${count} were loaded`)
      loads.push(loaded.ms)
      for (let again = 0; again < 20; again += 1) lists.push((await child.call.list()).ms)
      for (let again = 0; again < 20; again += 1) {
        const plain = await child.call.run('plain')
        runs.push((await child.call.run('skilled')) - plain)
      }
    }
    return { loadMs: median(loads), listMs: median(lists), runMs: median(runs) }
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

const round1 = (value: number) => Math.round(value * 10) / 10

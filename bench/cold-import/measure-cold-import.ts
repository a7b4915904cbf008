import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ensureBuild } from '../ensure-build.ts'
import { median } from '../median.ts'
import type { Measurement } from '../measurement.ts'
import { installPeers } from '../peers/install-peers.ts'

const entry = new URL('../../packages/agent-runtime/dist/index.js', import.meta.url)
const peerEntry = new URL('../peers/node_modules/ai/dist/index.js', import.meta.url)
/** Time and CPU time of an import in a process that has loaded nothing yet. */
const script = `
const startedAt = performance.now()
await import(process.argv[1])
const { user, system } = process.cpuUsage()
console.log(JSON.stringify({ ms: performance.now() - startedAt, cpuMs: (user + system) / 1000 }))`

interface Import {
  readonly ms: number
  readonly cpuMs: number
}

/** How long the main entry of agent-runtime takes to import, as it is published, against `ai`. */
export async function measureColdImport(rounds: number): Promise<readonly Measurement[]> {
  await installPeers()
  await ensureBuild()
  const empty = await importOnce('data:text/javascript,')
  const pairs: { subject: Import; floor: Import }[] = []
  for (let round = 0; round < rounds; round += 1) {
    const floor = await importOnce(peerEntry.href)
    pairs.push({ floor, subject: await importOnce(entry.href) })
  }
  const ratio = median(pairs.map(({ subject, floor }) => subject.ms / floor.ms))
  const withoutNode = ({ cpuMs }: Import) => Math.max(0, cpuMs - empty.cpuMs)
  return [
    {
      name: 'cold import of the main entry, against ai',
      value: Math.round(median(pairs.map(({ subject }) => subject.ms))),
      floor: Math.round(median(pairs.map(({ floor }) => floor.ms))),
      unit: 'ms',
      ratio,
      cpuRatio: median(pairs.map(({ subject, floor }) => withoutNode(subject) / withoutNode(floor))),
      target: { atMost: 1 },
      passed: ratio <= 1,
    },
  ]
}

async function importOnce(address: string): Promise<Import> {
  const args = ['--input-type=module', '--eval', script, address]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout) as Import
}

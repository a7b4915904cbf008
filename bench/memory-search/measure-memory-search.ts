import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild } from '../child.ts'
import { median } from '../median.ts'
import type { Measurement } from '../measurement.ts'
import { installPeers } from '../peers/install-peers.ts'
import type { EngineCalls, Searched } from './engine-process.ts'
import { makeCorpus } from './make-texts.ts'
import { searchEngines, type EngineName } from './search-engines.ts'

const maxP99Ms = 40
/** Questions that an engine answers before the next one has its turn. */
const atOnce = 20
const subject: EngineName = 'agent-runtime'

/** Size of a measurement. */
interface MemorySearchLoad {
  readonly texts: number
  readonly questions: number
}

/** Searching memories by questions: how long it takes, and how high the text stands that a question was made from. */
export async function measureMemorySearch(load: MemorySearchLoad): Promise<readonly Measurement[]> {
  await installPeers()
  const answers = makeCorpus(load.texts, load.questions).questions.map(({ answer }) => answer)
  const searched = await searchAll(load)
  const of = (name: EngineName) => searched.get(name) ?? []
  const names = Object.keys(searchEngines) as EngineName[]
  const ranks = new Map(names.map((name) => [name, meanReciprocalRank(of(name), answers)]))
  const bestRank = Math.max(...names.filter((name) => name !== subject).map((name) => ranks.get(name) ?? 0))
  const plain = quantile(of('plain FTS5'), 0.99)
  return names.flatMap((name) => {
    const p99 = quantile(of(name), 0.99)
    const rank = ranks.get(name) ?? 0
    const isSubject = name === subject
    return [
      {
        name: `search in ${load.texts.toLocaleString('en')} texts, p99, ${name}`,
        value: round2(p99),
        floor: round2(plain),
        unit: 'ms',
        ratio: p99 / plain,
        ...(isSubject && { target: { atMost: maxP99Ms }, passed: p99 <= maxP99Ms }),
        details: { p50: quantile(of(name), 0.5), cpuMs: median(of(name).map(({ cpuMs }) => cpuMs)) },
      },
      {
        name: `the same, mean reciprocal rank of the answer, ${name}`,
        value: round2(rank),
        floor: round2(bestRank),
        unit: '',
        ratio: rank / bestRank,
      },
    ]
  })
}

/** A process for each engine; they take turns. */
async function searchAll({ texts, questions }: MemorySearchLoad): Promise<Map<EngineName, Searched[]>> {
  const home = await mkdtemp(join(tmpdir(), 'homeward-bench-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(home, { recursive: true, force: true }))
  const module = new URL('engine-process.ts', import.meta.url)
  const searched = new Map<EngineName, Searched[]>()
  const engines = (Object.keys(searchEngines) as EngineName[]).map((name) => {
    searched.set(name, [])
    const args = [name, home, String(texts), String(questions)]
    return { name, engine: stack.use(startChild<EngineCalls>(module, args)) }
  })
  for (const { engine } of engines) {
    await engine.call.load()
    await engine.call.search(0, atOnce) // code is compiled, pages are read
  }
  for (let start = 0; start < questions; start += atOnce) {
    for (const { name, engine } of engines) {
      searched.get(name)?.push(...(await engine.call.search(start, start + atOnce)))
    }
  }
  return searched
}

/** 1 when the answer is always first; 0 when it is never among the results. */
function meanReciprocalRank(searched: readonly Searched[], answers: readonly number[]): number {
  const sum = searched.reduce((total, { found }, index) => {
    const place = found.indexOf(answers[index] ?? -1)
    return place === -1 ? total : total + 1 / (place + 1)
  }, 0)
  return sum / searched.length
}

function quantile(searched: readonly Searched[], share: number): number {
  const sorted = searched.map(({ ms }) => ms).toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

const round2 = (value: number) => Math.round(value * 100) / 100

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild, type Child } from '../child.ts'
import { median } from '../median.ts'
import type { Measurement } from '../measurement.ts'
import type { JournalCalls } from './journal-process.ts'

const kinds = ['bare', 'sqlite', 'memory'] as const
type Kind = (typeof kinds)[number]

/** Size of a measurement. */
interface JournalLoad {
  /** Events of the replay; each round appends its share of them, in both ways. */
  readonly events: number
  readonly rounds: number
}

interface Taken {
  readonly oneByOne: number[]
  readonly many: number[]
  readonly replays: number[]
}

/**
 * The journal: events appended a second, by one writer and by 64, and the replay of all of them by a viewer; against a
 * bare loop over `node:sqlite`, which has one writer only. Each has a process of its own, and they take turns.
 */
export async function measureJournal({ events, rounds }: JournalLoad): Promise<readonly Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-bench-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const module = new URL('journal-process.ts', import.meta.url)
  const children = new Map<Kind, Child<JournalCalls>>(
    kinds.map((kind) => [kind, stack.use(startChild<JournalCalls>(module, [kind, folder]))]),
  )
  const taken = new Map<Kind, Taken>(kinds.map((kind) => [kind, { oneByOne: [], many: [], replays: [] }]))
  const share = Math.ceil(events / rounds / 2 / 4) * 4
  for (let round = 0; round < rounds; round += 1) {
    for (const [kind, { call }] of children) {
      taken.get(kind)?.oneByOne.push(share / (await call.append(share, 1)))
      taken.get(kind)?.many.push(share / (await call.append(share, kind === 'bare' ? 1 : 64)))
    }
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const [kind, { call }] of children) {
      const replay = await call.replay()
      if (replay.events < events) throw new Error(`Replaying the journal: ${replay.events} of ${events} came`)
      taken.get(kind)?.replays.push(replay.events / replay.seconds)
    }
  }
  const own = kinds.filter((kind) => kind !== 'bare')
  const rows = (what: string, of: keyof Taken) =>
    own.map((kind) => toRow(`${what}, ${kind}`, kind, of, taken))
  return [
    ...rows('journal, appended by one writer', 'oneByOne'),
    ...rows('journal, appended by 64 writers', 'many'),
    ...rows(`journal, replay of ${events.toLocaleString('en')}`, 'replays'),
  ]
}

/** Medians over the rounds; ratios are of the same round. */
function toRow(name: string, kind: Kind, of: keyof Taken, taken: ReadonlyMap<Kind, Taken>): Measurement {
  const values = taken.get(kind)?.[of] ?? []
  const floors = taken.get('bare')?.[of] ?? []
  return {
    name,
    value: Math.round(median(values)),
    floor: Math.round(median(floors)),
    unit: 'events/s',
    ratio: median(values.map((value, round) => value / (floors[round] ?? 0))),
  }
}

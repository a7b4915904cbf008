import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild, type Child } from '../child.ts'
import { median } from '../median.ts'
import type { Measurement } from '../measurement.ts'
import { installPeers } from '../peers/install-peers.ts'
import type { QueueCalls, TasksTaken } from './contender-process.ts'
import { queueNames, type QueueName } from './queue-contender.ts'

const subject: QueueName = 'agent-runtime'
const floor: QueueName = 'node:sqlite loop'
const peer: QueueName = 'plainjob'
const fastPeer: QueueName = 'plainjob, polling every 10 ms'
const maxStartMs = 5

/** Size of a measurement. */
export interface DurableQueueLoad {
  readonly tasks: number
  readonly rounds: number
  /** Tasks that are put into the idle queue. */
  readonly starts: number
}

type Queues = ReadonlyMap<QueueName, Child<QueueCalls>>

/** Durable queues on SQLite: trivial tasks a second, and how soon a task is begun when nothing else is to do (A7). */
export async function measureDurableQueue(load: DurableQueueLoad): Promise<readonly Measurement[]> {
  await installPeers()
  const home = await mkdtemp(join(tmpdir(), 'homeward-bench-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(home, { recursive: true, force: true }))
  const module = new URL('contender-process.ts', import.meta.url)
  const queues = new Map<QueueName, Child<QueueCalls>>()
  for (const [index, name] of queueNames.entries()) {
    const folder = join(home, String(index))
    await mkdir(folder)
    queues.set(name, stack.use(startChild<QueueCalls>(module, [name, folder])))
  }
  for (const queue of queues.values()) await queue.call.process(500) // code is compiled
  return [...(await measureThroughput(queues, load)), ...(await measureStarts(queues, load))]
}

/** In each round every queue has its turn; ratios are of the same round. */
async function measureThroughput(queues: Queues, load: DurableQueueLoad): Promise<readonly Measurement[]> {
  const rounds = new Map<QueueName, TasksTaken[]>(queueNames.map((name) => [name, []]))
  for (let round = 0; round < load.rounds; round += 1) {
    for (const [name, queue] of queues) rounds.get(name)?.push(await queue.call.process(load.tasks))
  }
  const of = (name: QueueName) => rounds.get(name) ?? []
  const ratioTo = (name: QueueName, other: QueueName) =>
    median(of(name).map(({ seconds }, round) => (of(other)[round]?.seconds ?? 0) / seconds))
  const perSecond = (name: QueueName) =>
    Math.round(median(of(name).map(({ seconds }) => load.tasks / seconds)))
  const toPeer = ratioTo(subject, peer)
  return [
    ...queueNames.map((name) => ({
      name: `${load.tasks.toLocaleString('en')} trivial tasks, ${name}`,
      value: perSecond(name),
      floor: perSecond(floor),
      unit: 'tasks/s',
      ratio: ratioTo(name, floor),
      cpuRatio: median(
        of(name).map(({ cpuMicros }, round) => (of(floor)[round]?.cpuMicros ?? 0) / cpuMicros),
      ),
    })),
    {
      name: `the same, ${subject} against ${peer}`,
      value: perSecond(subject),
      floor: perSecond(peer),
      unit: 'tasks/s',
      ratio: toPeer,
      target: { atLeast: 1 },
      passed: toPeer >= 1,
    },
  ]
}

async function measureStarts(queues: Queues, load: DurableQueueLoad): Promise<readonly Measurement[]> {
  const latencies = new Map<QueueName, number[]>(queueNames.map((name) => [name, []]))
  const turns = 5
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [name, queue] of queues) {
      // At its default it takes half a second for each.
      const count = Math.ceil((name === peer ? Math.min(load.starts, 15) : load.starts) / turns)
      latencies.get(name)?.push(...(await queue.call.startLatencies(count)))
    }
  }
  const at = (name: QueueName, share: number) => quantile(latencies.get(name) ?? [], share)
  return queueNames.flatMap((name) => {
    const isSubject = name === subject
    const p99 = at(name, 0.99)
    const best = at(fastPeer, 0.5)
    return [
      {
        name: `from creation to start, p50, ${name}`,
        value: round2(at(name, 0.5)),
        floor: round2(best),
        unit: 'ms',
        ratio: at(name, 0.5) / best,
        ...(isSubject && { target: { atMost: 1 }, passed: at(name, 0.5) <= best }),
      },
      {
        name: `from creation to start, p99, ${name}`,
        value: round2(p99),
        unit: 'ms',
        ...(isSubject && { target: { atMost: maxStartMs }, passed: p99 <= maxStartMs }),
      },
    ]
  })
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

const round2 = (value: number) => Math.round(value * 100) / 100

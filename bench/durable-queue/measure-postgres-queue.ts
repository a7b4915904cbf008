import { startChild, type Child } from '../child.ts'
import { median } from '../median.ts'
import type { Measurement } from '../measurement.ts'
import type { QueueCalls } from './contender-process.ts'
import type { DurableQueueLoad } from './measure-durable-queue.ts'
import { startPostgresServer } from './postgres-server.ts'
import { postgresQueueNames, type QueueName } from './queue-contender.ts'

const floor: QueueName = 'graphile-worker'
const subject: QueueName = 'agent-runtime on Postgres'
const leastRatio = 0.8

/** Durable queues on one Postgres server: trivial tasks a second, and how soon an idle worker begins one (A7). */
export async function measurePostgresQueue(load: DurableQueueLoad): Promise<readonly Measurement[]> {
  await using server = await startPostgresServer()
  await using stack = new AsyncDisposableStack()
  const module = new URL('contender-process.ts', import.meta.url)
  const queues = new Map<QueueName, Child<QueueCalls>>()
  // A database each: a graphile-worker stops when another one in its database is migrated.
  for (const name of postgresQueueNames)
    queues.set(name, stack.use(startChild<QueueCalls>(module, [name, await server.createDatabase()])))
  for (const queue of queues.values()) await queue.call.process(200) // code is compiled, plans are kept

  const rounds = new Map<QueueName, number[]>(postgresQueueNames.map((name) => [name, []]))
  const starts = new Map<QueueName, number[]>(postgresQueueNames.map((name) => [name, []]))
  for (let round = 0; round < load.rounds; round += 1) {
    for (const [name, queue] of queues) {
      const { seconds } = await queue.call.process(load.tasks)
      rounds.get(name)?.push(load.tasks / seconds)
      starts.get(name)?.push(...(await queue.call.startLatencies(Math.ceil(load.starts / load.rounds))))
    }
  }
  const perSecond = (name: QueueName) => median(rounds.get(name) ?? [])
  const ratioOf = (name: QueueName) =>
    median((rounds.get(name) ?? []).map((value, round) => value / (rounds.get(floor)?.[round] ?? value)))
  return [
    ...postgresQueueNames.map((name) => ({
      name: `${load.tasks.toLocaleString('en')} trivial tasks, ${name}`,
      value: Math.round(perSecond(name)),
      floor: Math.round(perSecond(floor)),
      unit: 'tasks/s',
      ratio: ratioOf(name),
      ...(name === subject && { target: { atLeast: leastRatio }, passed: ratioOf(name) >= leastRatio }),
    })),
    ...postgresQueueNames.flatMap((name) =>
      ([0.5, 0.99] as const).map((share) => ({
        name: `from creation to start, p${share * 100}, ${name}`,
        value: quantile(starts.get(name) ?? [], share),
        floor: quantile(starts.get(floor) ?? [], share),
        unit: 'ms',
      })),
    ),
  ]
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return Math.round(value * 100) / 100
}

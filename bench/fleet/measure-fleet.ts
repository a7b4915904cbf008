import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild, type Child } from '../child.ts'
import { startPostgresServer } from '../durable-queue/postgres-server.ts'
import { isRightAnswer, toRequests } from '../http/requests.ts'
import { sendLoad } from '../http/send-load.ts'
import type { RegisteredDevice } from '../http/subject-server.ts'
import type { Measurement } from '../measurement.ts'
import type { FleetServerCalls } from './fleet-server.ts'
import { readPostgresCpu } from './postgres-cpu.ts'
import { seedDevices } from './seed-devices.ts'

/** Size of the measurement. */
interface FleetLoad {
  /** Registered devices. */
  readonly devices: number
  /** How many of them call in one run. */
  readonly active: number
  /** Runs that count; in each of them each active device beats once and polls once. */
  readonly rounds: number
}

/** Requests under way at a time, for all servers together. */
const underWay = 96
/** One device in so many reports in a run: a fleet polls far more often than it finds anything. */
const reportsOneIn = 50

interface Run {
  readonly seconds: number
  readonly requests: number
  readonly cpuMicros: number
  /** Of the database; 0 where it is not known. */
  readonly postgresMicros: number
  readonly latencies: readonly number[]
  readonly reads: number
  readonly writes: number
}

/**
 * A fleet's beats, polls and reports through one server process over Postgres, and through three on the same database.
 * Each device goes to all servers in turn, as behind a load balancer that knows nothing.
 */
export async function measureFleet(load: FleetLoad): Promise<readonly Measurement[]> {
  await using postgres = await startPostgresServer()
  const { connectionString } = postgres
  const all = await seedDevices(connectionString, load.devices)
  const every = Math.ceil(load.devices / load.active)
  const devices = all.filter((_, index) => index % every === 0)
  const measurements: Measurement[] = []
  let floor: number | undefined
  for (const servers of [1, 3]) {
    const run = await measureServers(connectionString, devices, servers, load.rounds)
    const perSecond = run.requests / run.seconds
    floor ??= perSecond
    measurements.push({
      name: `${servers === 1 ? 'one process' : `${servers} processes`} on one Postgres, ${load.devices.toLocaleString('en')} devices`,
      value: Math.round(perSecond),
      floor: Math.round(floor),
      unit: 'requests/s',
      ratio: perSecond / floor,
      details: {
        perCore: Math.round((run.requests / run.cpuMicros) * 1e6),
        ...(run.postgresMicros > 0 && { postgresMicrosEach: Math.round(run.postgresMicros / run.requests) }),
        cpuMicrosEach: Math.round(run.cpuMicros / run.requests),
        p50Ms: quantile(run.latencies, 0.5),
        p99Ms: quantile(run.latencies, 0.99),
        readsEach: round(run.reads / run.requests),
        writesEach: round(run.writes / run.requests),
      },
    })
  }
  return measurements
}

async function measureServers(
  connectionString: string,
  devices: readonly RegisteredDevice[],
  count: number,
  rounds: number,
): Promise<Run> {
  const home = await mkdtemp(join(tmpdir(), 'homeward-fleet-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(home, { recursive: true, force: true }))
  const module = new URL('fleet-server.ts', import.meta.url)
  const servers = Array.from({ length: count }, () =>
    stack.use(startChild<FleetServerCalls>(module, [connectionString, home])),
  )
  const runs: Run[] = []
  // One more at first: code is compiled, keys are looked up.
  for (let number = 0; number <= rounds; number += 1)
    runs.push(await sendRound(connectionString, servers, devices))
  return sumUp(runs.slice(1))
}

async function sendRound(
  connectionString: string,
  servers: readonly Child<FleetServerCalls>[],
  devices: readonly RegisteredDevice[],
): Promise<Run> {
  const reporting = devices.filter((_, index) => index % reportsOneIn === 0)
  const searches = (await servers[0]?.call.createSearches(reporting.map(({ id }) => id))) ?? []
  const before = await readAll(servers)
  const postgresBefore = (await readPostgresCpu(connectionString)) ?? 0
  const latencies: number[] = []
  const startedAt = performance.now()
  const sent = await Promise.all(
    servers.map(async (server, index) => {
      const port = await server.call.port()
      const mine = (_: unknown, place: number) => place % servers.length === index
      const own = devices.filter(mine)
      const requests = [
        ...toRequests('report', reporting, port, searches).filter(mine),
        ...shuffle([...toRequests('heartbeat', own, port), ...toRequests('poll', own, port)]),
      ]
      return sendLoad({
        port,
        requests,
        connections: underWay / servers.length,
        // A device that was asked for something and polls before it reports gets it once more.
        isRight: (status, body) =>
          (status === 200 && body.startsWith('{"requests":[{"id":')) ||
          (['heartbeat', 'poll', 'report'] as const).some((name) => isRightAnswer(name, status, body)),
        onAnswer: (ms) => void latencies.push(ms),
      })
    }),
  )
  const seconds = (performance.now() - startedAt) / 1000
  const after = await readAll(servers)
  const postgresAfter = (await readPostgresCpu(connectionString)) ?? 0
  const wrong = sent.flatMap((result) => result.wrong)
  if (wrong.length > 0) throw new Error(`Measuring a fleet: wrong answers: ${wrong.join(' | ')}`)
  return {
    seconds,
    latencies,
    requests: sent.reduce((sum, { answered }) => sum + answered, 0),
    cpuMicros: after.cpuMicros - before.cpuMicros,
    postgresMicros: postgresAfter - postgresBefore,
    reads: after.reads - before.reads,
    writes: after.writes - before.writes,
  }
}

async function readAll(servers: readonly Child<FleetServerCalls>[]) {
  const sum = { cpuMicros: 0, reads: 0, writes: 0 }
  for (const { call } of servers) {
    sum.cpuMicros += await call.cpuMicros()
    const { read, write } = await call.statements()
    sum.reads += read
    sum.writes += write
  }
  return sum
}

function sumUp(runs: readonly Run[]): Run {
  const total = (pick: (run: Run) => number) => runs.reduce((sum, run) => sum + pick(run), 0)
  return {
    seconds: total((run) => run.seconds),
    requests: total((run) => run.requests),
    cpuMicros: total((run) => run.cpuMicros),
    postgresMicros: total((run) => run.postgresMicros),
    reads: total((run) => run.reads),
    writes: total((run) => run.writes),
    latencies: runs.flatMap((run) => run.latencies),
  }
}

/** The same mixture in every run: neighbours of a request are others than itself. */
function shuffle<Item>(items: readonly Item[]): readonly Item[] {
  const step = 7919
  return Array.from({ length: items.length }, (_, index) => items[(index * step) % items.length]!)
}

function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).toSorted()
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}

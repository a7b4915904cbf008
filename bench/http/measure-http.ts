import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild, type Child } from '../child.ts'
import { median } from '../median.ts'
import type { Measurement } from '../measurement.ts'
import type { BareServerCalls } from './bare-server.ts'
import { isRightAnswer, toRequests, type OperationName } from './requests.ts'
import { sendLoad } from './send-load.ts'
import type { RegisteredDevice, SubjectServerCalls } from './subject-server.ts'

/** How much of the bare route's throughput each operation must reach. */
const targets: Readonly<Record<OperationName, number>> = { heartbeat: 0.8, poll: 0.8, report: 0.6 }
const connections = 256
/** Rounds before those that count: code is compiled, keys are looked up. */
const warmUps = 2

/** Size of a measurement. */
export interface HttpLoad {
  /** Registered devices; each sends one request a round, which keeps within the limits of C12. */
  readonly devices: number
  /** Rounds that count; each runs the floor, then the cloud. */
  readonly rounds: number
}

interface Round {
  readonly perSecond: number
  readonly cpuMicrosEach: number
}

interface Servers {
  readonly floor: Child<BareServerCalls>
  readonly subject: Child<SubjectServerCalls>
  readonly devices: readonly RegisteredDevice[]
}

/** The documented operations through the server of `apps/homeward`, against bare h3 routes in another process. */
export async function measureHttp(
  storeKind: 'memory' | 'sqlite',
  operations: readonly OperationName[],
  load: HttpLoad,
): Promise<readonly Measurement[]> {
  const home = await mkdtemp(join(tmpdir(), 'homeward-bench-'))
  try {
    await using floor = startChild<BareServerCalls>(new URL('bare-server.ts', import.meta.url), [])
    await using subject = startChild<SubjectServerCalls>(new URL('subject-server.ts', import.meta.url), [
      storeKind,
      home,
    ])
    const devices = await subject.call.register(load.devices)
    const measurements: Measurement[] = []
    for (const operation of operations) {
      measurements.push(
        await measureOperation({ floor, subject, devices }, storeKind, operation, load.rounds),
      )
    }
    return measurements
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

async function measureOperation(
  servers: Servers,
  storeKind: string,
  operation: OperationName,
  rounds: number,
): Promise<Measurement> {
  for (let round = 0; round < warmUps; round += 1) {
    await runRound(servers.floor, servers, operation)
    await runRound(servers.subject, servers, operation)
  }
  const pairs: { floor: Round; subject: Round }[] = []
  for (let round = 0; round < rounds; round += 1) {
    const floor = await runRound(servers.floor, servers, operation)
    pairs.push({ floor, subject: await runRound(servers.subject, servers, operation) })
  }
  if (operation === 'report') await checkCompleted(servers, rounds + warmUps)
  const ratio = median(pairs.map(({ floor, subject }) => subject.perSecond / floor.perSecond))
  return {
    name: `${operation}, ${storeKind}`,
    value: Math.round(median(pairs.map(({ subject }) => subject.perSecond))),
    floor: Math.round(median(pairs.map(({ floor }) => floor.perSecond))),
    unit: 'requests/s',
    ratio,
    cpuRatio: median(pairs.map(({ floor, subject }) => floor.cpuMicrosEach / subject.cpuMicrosEach)),
    target: { atLeast: targets[operation] },
    passed: ratio >= targets[operation],
    details: {
      cpuMicros: median(pairs.map(({ subject }) => subject.cpuMicrosEach)),
      floorCpuMicros: median(pairs.map(({ floor }) => floor.cpuMicrosEach)),
    },
  }
}

/** One request from every device. Searches that are reported are created before the clock starts. */
async function runRound(
  server: Child<BareServerCalls> | Child<SubjectServerCalls>,
  { subject, devices }: Servers,
  operation: OperationName,
): Promise<Round> {
  const port = await server.call.port()
  const deviceIds = devices.map(({ id }) => id)
  const queryIds =
    operation !== 'report'
      ? []
      : server === subject
        ? await subject.call.createSearches(deviceIds)
        : deviceIds
  const requests = toRequests(operation, devices, port, queryIds)
  const cpuBefore = await server.call.cpuMicros()
  const isRight = (status: number, body: string) => isRightAnswer(operation, status, body)
  const { seconds, answered, wrong } = await sendLoad({ port, requests, connections, isRight })
  const cpuMicros = (await server.call.cpuMicros()) - cpuBefore
  if (answered !== requests.length || wrong.length > 0) {
    throw new Error(
      `Measuring ${operation}: ${answered} of ${requests.length} answered; wrong: ${wrong.join(' | ')}`,
    )
  }
  return { perSecond: answered / seconds, cpuMicrosEach: cpuMicros / answered }
}

async function checkCompleted({ subject, devices }: Servers, rounds: number): Promise<void> {
  const completed = await subject.call.countSearches('completed')
  const pending = await subject.call.countSearches('pending')
  if (completed === devices.length * rounds && pending === 0) return
  throw new Error(
    `Measuring reports: ${completed} searches are completed and ${pending} pending, ${devices.length * rounds} were reported.`,
  )
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild } from '../child.ts'
import { startPostgresServer } from '../durable-queue/postgres-server.ts'
import type { RegisteredDevice } from '../http/subject-server.ts'
import type { Measurement } from '../measurement.ts'
import type { FleetDevicesCalls } from './fleet-devices.ts'
import type { FleetServerCalls } from './fleet-server.ts'
import { readPostgresCpu } from './postgres-cpu.ts'
import { seedDevices } from './seed-devices.ts'

const pause = (seconds: number) => new Promise<void>((resolve) => void setTimeout(resolve, seconds * 1000))
const serverModule = new URL('fleet-server.ts', import.meta.url)
const devicesModule = new URL('fleet-devices.ts', import.meta.url)
const firstTlsPort = 20_000 + Math.floor(Math.random() * 20_000)
const round = (value: number) => Math.round(value * 100) / 100

interface Stage extends AsyncDisposable {
  readonly servers: ReturnType<typeof startServers>
  readonly home: string
  readonly fleet: ReturnType<typeof startChild<FleetDevicesCalls>>
}

const tlsPortOf = (server: number) => firstTlsPort + server
const startServer = (connectionString: string, home: string, at: number) =>
  startChild<FleetServerCalls>(serverModule, [connectionString, home, String(tlsPortOf(at))])
const startServers = (connectionString: string, home: string, count: number) =>
  Array.from({ length: count }, (_, at) => startServer(connectionString, home, at))

async function openStage(connectionString: string, count: number): Promise<Stage> {
  const home = await mkdtemp(join(tmpdir(), 'homeward-live-'))
  const servers = startServers(connectionString, home, 1)
  await servers[0]!.call.port() // it writes the certificate, which the others share
  for (let at = 1; at < count; at += 1) servers.push(startServer(connectionString, home, at))
  await Promise.all(servers.map(({ call }) => call.port()))
  const fleet = startChild<FleetDevicesCalls>(devicesModule, [])
  return {
    servers,
    home,
    fleet,
    async [Symbol.asyncDispose]() {
      await fleet[Symbol.asyncDispose]()
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
      await rm(home, { recursive: true, force: true })
    },
  }
}

/** CPU time of the servers and of Postgres in `seconds`, in microseconds a second. */
async function cpuOver(connectionString: string, { servers }: Stage, seconds: number) {
  const sum = async () => {
    const each = await Promise.all(servers.map(({ call }) => call.cpuMicros()))
    const own = each.reduce((total, micros) => total + micros, 0)
    return { atMs: performance.now(), own, postgres: (await readPostgresCpu(connectionString)) ?? 0 }
  }
  const before = await sum()
  await pause(seconds)
  const after = await sum()
  const tookSeconds = (after.atMs - before.atMs) / 1000
  return {
    own: (after.own - before.own) / tookSeconds,
    postgres: (after.postgres - before.postgres) / tookSeconds,
  }
}

/**
 * Measures the CPU time of a server for idle devices: with heartbeats and two long polls, and with one held request.
 * The CPU time of a server without devices is subtracted.
 */
export async function measureIdleDevices(count: number, seconds: number): Promise<readonly Measurement[]> {
  await using postgres = await startPostgresServer()
  const { connectionString } = postgres
  const devices = await seedDevices(connectionString, count)
  await using stage = await openStage(connectionString, 1)
  const ports = [await stage.servers[0]!.call.port()]
  await pause(5)
  const without = await cpuOver(connectionString, stage, seconds)
  const measurements: Measurement[] = []
  for (const asks of ['poll', 'work'] as const) {
    const startOverSeconds = count / 400
    await stage.fleet.call.start({ asks, devices, ports, isTls: false, startOverSeconds })
    await pause(startOverSeconds + 10)
    const before = await stage.fleet.call.stats()
    const cpu = await cpuOver(connectionString, stage, seconds)
    const after = await stage.fleet.call.stats()
    await stage.fleet.call.stop()
    await pause(5)
    const perHour = (micros: number) => (micros * 3600) / 1000 / count
    const value = round(perHour(cpu.own - without.own))
    const floor = measurements[0]?.value ?? value
    measurements.push({
      name:
        asks === 'poll'
          ? 'an idle device with heartbeats and two polls'
          : 'an idle device with one held request',
      value,
      floor,
      unit: 'ms of CPU an hour',
      ratio: value / floor,
      ...(asks === 'work' && { target: { atMost: 0.1 }, passed: value <= 0.1 * floor }),
      details: {
        devices: count,
        requestsPerDeviceHour: round(((after.answers - before.answers) * 3600) / seconds / count),
        postgresMsPerHour: round(perHour(cpu.postgres - without.postgres)),
        broken: after.broken - before.broken,
      },
    })
  }
  return measurements
}

/** How many devices there are, and how many of them are connected. */
interface LiveFleet {
  readonly registered: number
  readonly live: number
  readonly idleSeconds: number
}

/**
 * Measures a fleet with one held request each, over TLS: at rest, during a search of all devices, and after one server was
 * killed. Figures of 100,000 devices are calculated from those of the live ones.
 */
export async function measureLiveFleet(size: LiveFleet): Promise<readonly Measurement[]> {
  await using postgres = await startPostgresServer()
  const { connectionString } = postgres
  const all = await seedDevices(connectionString, size.registered)
  const every = size.registered / size.live
  const devices = Array.from({ length: size.live }, (_, at) => all[Math.floor(at * every)]!)
  const measurements: Measurement[] = []
  for (const count of [1, 3])
    measurements.push(...(await measureStage(connectionString, devices, count, size)))
  return measurements
}

async function measureStage(
  connectionString: string,
  devices: readonly RegisteredDevice[],
  count: number,
  { registered, live, idleSeconds }: LiveFleet,
): Promise<readonly Measurement[]> {
  await using stage = await openStage(connectionString, count)
  const { servers, fleet, home } = stage
  const rss = async () =>
    (await Promise.all(servers.map(({ call }) => call.rssBytes()))).reduce((a, b) => a + b, 0)
  const rssBefore = await rss()
  const ports = servers.map((_, at) => tlsPortOf(at))
  const startOverSeconds = live / 200
  await fleet.call.start({ asks: 'work', devices, ports, isTls: true, startOverSeconds })
  await until(async () => (await fleet.call.stats()).waiting >= live * 0.999, 10 * startOverSeconds + 60)
  const rssBytes = await rss()
  const idle = await cpuOver(connectionString, stage, idleSeconds)

  const before = await fleet.call.stats()
  const startedAt = performance.now()
  await servers[0]!.call.searchFleet()
  const createdMs = performance.now() - startedAt
  await until(async () => (await fleet.call.stats()).reports - before.reports >= live, 600)
  const searchedMs = performance.now() - startedAt

  await pause(5)
  const gone = await fleet.call.stats()
  await servers[0]![Symbol.asyncDispose]()
  servers[0] = startServer(connectionString, home, 0)
  const restartedAt = performance.now()
  let busiest = 0
  let last = gone.answers + gone.broken
  await until(
    async () => {
      const { waiting, answers, broken } = await fleet.call.stats()
      busiest = Math.max(busiest, answers + broken - last)
      last = answers + broken
      return waiting >= live * 0.999
    },
    10 * startOverSeconds + 120,
  )
  const backMs = performance.now() - restartedAt

  const name = `${count === 1 ? 'one process' : `${count} processes`}, ${live.toLocaleString('en')} of ${registered.toLocaleString('en')} devices live over TLS`
  const microsEach = (idle.own + idle.postgres) / live
  return [
    {
      name: `${name}: at rest`,
      value: round((microsEach * 3600) / 1000),
      unit: 'ms of CPU a device and hour',
      details: {
        serverCoresFor100000: round((idle.own / live) * 0.1),
        postgresCoresFor100000: round((idle.postgres / live) * 0.1),
        kilobytesEach: round((rssBytes - rssBefore) / live / 1000),
        gigabytesFor100000: round(((rssBytes - rssBefore) / live) * 1e-4),
      },
    },
    {
      name: `${name}: one search of all ${registered.toLocaleString('en')}, until the live ones have reported`,
      value: round(searchedMs / 1000),
      unit: 's',
      details: {
        createdSeconds: round(createdMs / 1000),
        reportsPerSecond: Math.round((live * 1000) / searchedMs),
      },
    },
    {
      name: `${name}: a server ends and starts again, until all devices wait again`,
      value: round(backMs / 1000),
      unit: 's',
      details: { busiestPerSecond: busiest, startOverSeconds },
    },
  ]
}

/** Looks once a second. @throws after `seconds` */
async function until(isSo: () => Promise<boolean>, seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left -= 1) {
    if (await isSo()) return
    await pause(1)
  }
  throw new Error(`Measuring a fleet failed: it is not so far after ${seconds} s.`)
}

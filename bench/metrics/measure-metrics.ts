import { createRuntime } from '@homeward/agent-runtime'
import { createAgentPlatformHandler } from '@homeward/agent-runtime/server'
import { createRunMetrics } from '@homeward/agent-runtime/telemetry'
import { createDeviceCloud, createSingleUserSessions } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { createMeasures } from '../../apps/homeward/src/http/measure.ts'
import { median } from '../median.ts'
import type { Measurement } from '../measurement.ts'
import { createZeroLatencyModel } from '../run-loop/zero-latency-model.ts'

/** Size of a measurement. */
interface MetricsLoad {
  /** Heartbeats in each round and way. */
  readonly heartbeats: number
  /** Runs in each round and way. */
  readonly runs: number
  readonly rounds: number
}

/** Does something so many times. */
interface Subject {
  work(times: number): Promise<void>
  close(): Promise<void>
}

/** Metrics may cost so much of what they measure, at most. */
const target = { atMost: 1.03 }

/** What metrics cost: the CPU time of a heartbeat and of a run with them, held against the same without them. */
export async function measureMetrics(load: MetricsLoad): Promise<readonly Measurement[]> {
  const { heartbeats, runs, rounds } = load
  return [
    await compare('metrics, cost on a heartbeat', heartbeats, rounds, createHeartbeats),
    await compare('metrics, cost on a run over HTTP', runs, rounds, createRuns),
  ]
}

async function compare(
  name: string,
  times: number,
  rounds: number,
  create: (isMeasured: boolean) => Promise<Subject>,
): Promise<Measurement> {
  const [bare, measured] = [await create(false), await create(true)]
  for (const subject of [bare, measured, bare, measured]) await subject.work(times)
  const taken: { bare: number; measured: number }[] = []
  for (let round = 0; round < rounds; round += 1) {
    // the first one of a pair has what the other one left: they take turns
    const order = round % 2 === 0 ? (['bare', 'measured'] as const) : (['measured', 'bare'] as const)
    const pair = { bare: 0, measured: 0 }
    for (const kind of order) pair[kind] = await cpuMicroseconds({ bare, measured }[kind], times)
    taken.push(pair)
  }
  await bare.close()
  await measured.close()
  const ratio = median(taken.map((pair) => pair.measured / pair.bare))
  return {
    name,
    value: Math.round(median(taken.map((pair) => pair.measured)) * 10) / 10,
    floor: Math.round(median(taken.map((pair) => pair.bare)) * 10) / 10,
    unit: 'µs',
    ratio: Math.round(ratio * 1000) / 1000,
    target,
    passed: ratio <= target.atMost,
  }
}

/** CPU time of one, in microseconds. */
async function cpuMicroseconds(subject: Subject, times: number): Promise<number> {
  globalThis.gc?.()
  const before = process.cpuUsage()
  await subject.work(times)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / times
}

async function createHeartbeats(isMeasured: boolean): Promise<Subject> {
  const measures = createMeasures()
  const cloud = createDeviceCloud({
    store: createMemoryStore(),
    blobs: createMemoryBlobs(),
    sessions: createSingleUserSessions(),
    ...(isMeasured && { meter: measures.meter }),
  })
  const registration = { name: 'd', type: 'server', platform: 'linux', metadata: {} } as const
  const { apiKey } = await cloud.registerDevice({ userId: 'local' }, registration)
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ metadata: { os: 'Linux', version: '1', hardware: 'x' } })
  return {
    async work(times) {
      for (let count = 0; count < times; count += 1) {
        const request = new Request('http://127.0.0.1/api/devices/heartbeat', {
          method: 'POST',
          headers,
          body,
        })
        const response = await cloud.fetch(request, { remoteAddress: '127.0.0.1' })
        await response.text()
      }
    },
    close: () => cloud.close(),
  }
}

async function createRuns(isMeasured: boolean): Promise<Subject> {
  const measures = createMeasures()
  const runtime = createRuntime({ models: { bench: () => createZeroLatencyModel() }, environment: {} })
  await runtime.agents.create({ id: 'bench', model: 'bench/zero-latency' })
  const metrics = isMeasured ? createRunMetrics({ runtime, meter: measures.meter }) : undefined
  const platform = createAgentPlatformHandler({
    runtime,
    auth: { kind: 'none' },
    ...(isMeasured && { meter: measures.meter }),
  })
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ agent_id: 'bench', task: 'x' })
  return {
    async work(times) {
      for (let count = 0; count < times; count += 1) {
        const request = new Request('http://127.0.0.1/api/agents/run', { method: 'POST', headers, body })
        await (await platform.fetch(request, { remoteAddress: '127.0.0.1' })).text()
      }
    },
    async close() {
      metrics?.close()
      await runtime.close()
    },
  }
}

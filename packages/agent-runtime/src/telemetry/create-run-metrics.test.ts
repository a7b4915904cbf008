import { APICallError } from '@ai-sdk/provider'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { expect, it } from 'vitest'
import { createRuntime } from '../runtime/create-runtime.ts'
import { createScriptedModel } from '../testing/scripted-model.ts'
import { createRunMetrics } from './create-run-metrics.ts'

function openMeter() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 })
  const provider = new MeterProvider({ readers: [reader] })
  return {
    meter: provider.getMeter('test'),
    /** The points of each instrument, as [attributes, value]. */
    async collect() {
      const { resourceMetrics } = await reader.collect()
      const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics)
      return Object.fromEntries(
        metrics.map(({ descriptor, dataPoints }) => [
          descriptor.name,
          dataPoints.map(({ attributes, value }) => [attributes, value]),
        ]),
      )
    },
  }
}

it('counts runs by agent and end, tokens, cost and model calls, and names no run', async () => {
  await using runtime = createRuntime()
  await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
  const { meter, collect } = openMeter()
  const prices = { 'test/echo': { inputPerMillion: 1_000_000, outputPerMillion: 0 } }
  const metrics = createRunMetrics({ runtime, meter, prices })
  for (let run = 0; run < 3; run += 1) await runtime.run({ agent_id: 'parrot', task: `say ${run}` })
  const seen = await collect()
  const parrot = { 'gen_ai.agent.id': 'parrot' }
  expect(seen['homeward.runs.started']).toEqual([[parrot, 3]])
  expect(seen['homeward.runs.ended']).toEqual([[{ ...parrot, status: 'completed', stop_reason: 'done' }, 3]])
  const { usage } = await runtime.usage.report()
  const of = { ...parrot, 'gen_ai.request.model': 'test/echo' }
  expect(seen['homeward.tokens']).toEqual([
    [{ ...of, 'gen_ai.token.type': 'input' }, usage[0]?.input_tokens],
    [{ ...of, 'gen_ai.token.type': 'output' }, usage[0]?.output_tokens],
  ])
  expect(seen['homeward.cost.usd']).toEqual([[of, usage[0]?.input_tokens]])
  expect(seen['gen_ai.client.operation.duration']?.[0]?.[1]).toMatchObject({ count: 3 })
  const call = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'test' }
  expect(seen['gen_ai.client.operation.duration']?.[0]?.[0]).toEqual({ ...call, ...of })
  metrics.close()
  await runtime.run({ agent_id: 'parrot', task: 'unheard' })
  expect((await collect())['homeward.runs.started']).toEqual([[parrot, 3]])
})

it('measures each attempt of a model call, and says of those that fail how, in few words', async () => {
  const refused = (statusCode: number | undefined) =>
    new APICallError({
      message: 'secret',
      url: 'https://api.example/v1',
      requestBodyValues: {},
      ...(statusCode !== undefined && { statusCode }),
    })
  const steps = [{ error: refused(429) }, { error: refused(undefined) }, { text: 'Here.' }]
  const model = createScriptedModel(steps)
  await using runtime = createRuntime({ models: { mine: () => model }, retry: { attempts: 2, baseMs: 1 } })
  await runtime.agents.create({ id: 'a', model: 'mine/m' })
  const { meter, collect } = openMeter()
  createRunMetrics({ runtime, meter })
  expect(await runtime.run({ agent_id: 'a', task: 'x' })).toMatchObject({ output: 'Here.' })
  const points = (await collect())['gen_ai.client.operation.duration'] as [
    Record<string, string>,
    { count: number },
  ][]
  expect(points.map(([attributes, { count }]) => [attributes['error.type'], count])).toEqual([
    ['429', 1],
    ['_OTHER', 1],
    [undefined, 1],
  ])
})

it('asks the store for what waits once while the answer is fresh, and gives no number when it fails', async () => {
  await using runtime = createRuntime()
  const { meter, collect } = openMeter()
  const clock = { nowMs: 10_000, asked: 0, isDown: false }
  const waiting = { count: 2, oldestAt: new Date(4000).toISOString() }
  const none = { count: 0, oldestAt: undefined }
  createRunMetrics({
    runtime: {
      events: runtime.events,
      usage: {
        ...runtime.usage,
        async backlog() {
          clock.asked += 1
          if (clock.isDown) throw new Error('down')
          return { tasks: waiting, messages: none, approvals: none }
        },
      },
    },
    meter,
    now: () => clock.nowMs,
  })
  await collect()
  const seen = await collect()
  expect(clock.asked).toBe(1)
  expect(seen['homeward.queue.waiting']).toEqual([[{}, 2]])
  expect(seen['homeward.queue.age']).toEqual([[{}, 6]])
  expect(seen['homeward.approvals.age']).toEqual([[{}, 0]])
  clock.nowMs += 5000
  clock.isDown = true
  expect((await collect())['homeward.queue.waiting']).toEqual([[{}, Number.NaN]])
  expect(clock.asked).toBe(2)
})

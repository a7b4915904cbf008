import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from '@homeward/agent-runtime'
import { createAgentPlatformHandler } from '@homeward/agent-runtime/server'
import { createRunMetrics } from '@homeward/agent-runtime/telemetry'
import { createScriptedModel } from '@homeward/agent-runtime/testing'
import type { CloudStore } from '@homeward/cloud-core'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createMeasures } from '../../apps/homeward/src/http/measure.ts'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'
import { createTestCloud } from '../cloud/test-cloud.ts'

const folder = join(workspaceFolder, 'docs/guides/metrics')
const rulesPath = join(folder, 'alert-rules.yml')
const read = (path: string) => readFileSync(path, 'utf8')

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly expr: string }[] }[]
}

interface Dashboard {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[]
}

const rules = (parse(read(rulesPath)) as Rules).groups.flatMap((group) => group.rules)
const dashboard = JSON.parse(read(join(folder, 'grafana-dashboard.json'))) as Dashboard
const expressions = [...rules, ...dashboard.panels.flatMap(({ targets = [] }) => targets)].map(
  ({ expr }) => expr,
)

/** What a device cloud measures that had a bit of everything to do. */
async function measureCloud(): Promise<string> {
  const measures = createMeasures()
  let tell: Parameters<NonNullable<CloudStore['subscribe']>>[0] = () => {}
  const store: CloudStore = {
    ...createMemoryStore(),
    subscribe(listener) {
      tell = listener
      return () => {}
    },
    publish() {},
  }
  await using test = await createTestCloud('memory', { store, meter: measures.meter, metrics: measures.read })
  const { id, headers } = await test.register()
  const post = (path: string, body: object) => test.send('POST', path, { body, headers })
  await post('/api/devices/heartbeat', { metadata: { os: 'Linux', version: '1', hardware: 'x' } })
  for (const error of [null, 'no']) {
    const search = { query: 'x', scope: ['files'], deviceIds: [id] }
    const created = await test.send('POST', '/api/devices/search/query', { body: search })
    const results = error === null ? {} : null
    await post('/api/devices/search', { queryId: created.body.searchQueries![0]!.id, results, error })
  }
  const wanted = { deviceIds: [id], filePath: '/a.txt' }
  const asked = await test.send('POST', '/api/devices/files/upload-requests', { body: wanted })
  const form = new FormData()
  form.append('requestId', asked.body.uploadRequests![0]!.id)
  form.append('file', new Blob(['text']), 'a.txt')
  await post('/api/devices/files/upload', form)
  const wrong = { authorization: `Bearer hw_${'x'.repeat(43)}` }
  for (let count = 0; count < 70; count += 1)
    await test.send('POST', '/api/devices/heartbeat', { body: {}, headers: wrong })
  tell({ topic: 'missed' })
  const text = await measures.read()
  return text
}

/** What an agent platform measures whose agents answered and failed. */
async function measureAgents(): Promise<string> {
  const measures = createMeasures()
  const prices = { 'mine/m': { inputPerMillion: 1, outputPerMillion: 1 } }
  const model = createScriptedModel([{ text: 'Here.' }, { error: new TypeError('fetch failed') }])
  await using runtime = createRuntime({ prices, models: { mine: () => model }, retry: { attempts: 0 } })
  const metrics = createRunMetrics({ runtime, meter: measures.meter, prices })
  const platform = createAgentPlatformHandler({
    runtime,
    auth: { kind: 'none' },
    meter: measures.meter,
    metrics: measures.read,
  })
  await runtime.agents.create({ id: 'a', model: 'mine/m' })
  for (const task of ['answer', 'fail']) await runtime.run({ agent_id: 'a', task })
  const request = new Request('http://127.0.0.1/metrics')
  await (await platform.fetch(request, { remoteAddress: '127.0.0.1' })).text()
  // read again: what that request took is known after it
  const text = await measures.read()
  metrics.close()
  return text
}

const texts = { cloud: '', agents: '' }
beforeAll(async () => {
  texts.cloud = await measureCloud()
  texts.agents = await measureAgents()
})

/** Names of metrics and of labels in a text of Prometheus, and the values of labels. */
function wordsOf(text: string): Set<string> {
  const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Set(
    series.flatMap((line) => [
      line.replace(/[{ ].*$/s, ''),
      ...[...line.matchAll(/(\w+)="([^"]*)"/g)].flatMap(([, label = '', value = '']) => [
        label,
        `${label}=${value}`,
      ]),
    ]),
  )
}

describe('the dashboard and the alert rules', () => {
  it('name only metrics, labels and values that the servers give', () => {
    const given = wordsOf(`${texts.cloud}\n${texts.agents}`)
    const named = expressions.flatMap((expr) => [
      ...(expr.match(/\b(?:homeward|http|gen_ai|error)_\w+/g) ?? []),
      ...[...expr.matchAll(/(\w+)="(\w+)"/g)].map(([, label = '', value = '']) => `${label}=${value}`),
    ])
    expect(named.length).toBeGreaterThan(60)
    expect([...new Set(named)].filter((name) => !given.has(name))).toEqual([])
  })

  it('show everything that the servers measure', () => {
    const types = `${texts.cloud}\n${texts.agents}`.matchAll(/^# TYPE (\w+) /gm)
    const all = expressions.join('\n')
    expect([...types].map(([, name = '']) => name).filter((name) => !all.includes(name))).toEqual([])
  })
})

const hasPromtool = spawnSync('promtool', ['--version']).status === 0

describe.skipIf(!hasPromtool)('promtool', () => {
  const check = (args: readonly string[], input?: string) => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' })
    return { status, said: stdout + stderr }
  }

  it('accepts the alert rules', () => {
    expect(check(['check', 'rules', rulesPath])).toMatchObject({ status: 0 })
  })

  it.each(['cloud', 'agents'] as const)('accepts the metrics of the %s', (server) => {
    expect(check(['check', 'metrics'], texts[server])).toEqual({ status: 0, said: '' })
  })
})

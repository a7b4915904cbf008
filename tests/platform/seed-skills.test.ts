import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createRuntime, type AgentRuntime } from '@homeward/agent-runtime'
import { createScriptedModel, type ScriptedResponse } from '@homeward/agent-runtime/testing'
import { createUserClient } from '@homeward/device-sdk'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startDeviceAgent } from '../../apps/homeward/src/device/start-device-agent.ts'
import { readSettings } from '../../apps/homeward/src/settings/settings.ts'
import { startCloudServer } from '../../apps/homeward/src/server/start-cloud-server.ts'
import { registerTrialDevice } from '../../apps/homeward/src/server/trial-device.ts'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-seeds-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

/** A runtime with the seed skills, and an agent that follows a script and has one of them. */
async function start(
  skill: string,
  steps: readonly ScriptedResponse[],
  cloudUrl?: string,
): Promise<AgentRuntime> {
  const model = createScriptedModel(steps)
  const runtime = createRuntime({
    home,
    seedFolder: join(workspaceFolder, 'apps/homeward/skills'),
    models: { script: () => model },
    environment: { PATH: process.env['PATH'] },
    ...(cloudUrl !== undefined && { skillBase: { 'device-search': cloudUrl } }),
  })
  await runtime.skills.installSystem()
  await runtime.agents.create({ id: 'a', model: 'script/any', skills: [skill] })
  return runtime
}

const callOf = (name: string, args: object = {}) => ({ toolCalls: [{ name, args }] })

/** Somebody else's server, which answers with JSON. */
async function startStandIn(answer: (request: IncomingMessage, body: string) => unknown) {
  const reply = async (request: IncomingMessage, response: ServerResponse) => {
    const found = answer(request, await text(request))
    response.writeHead(found === undefined ? 401 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(found ?? { message: 'no' }))
  }
  const server = createServer((request, response) => void reply(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

it('A16: a list of many devices takes at most 2,000 tokens of the prompt, and can be narrowed', async () => {
  const devices = Array.from({ length: 800 }, (_, index) => ({
    id: crypto.randomUUID(),
    name: index === 777 ? "Ada's laptop" : `Machine ${index}`,
    type: 'desktop',
    platform: 'linux',
    status: index % 4 === 0 ? 'online' : 'offline',
    lastSeenAt: '2026-01-01T00:00:00.000Z',
    metadata: { version: '1.2.3', notes: 'x'.repeat(80) },
    createdAt: '2026-01-01T00:00:00.000Z',
  }))
  const asked: string[] = []
  await using cloud = await startStandIn(({ url = '' }) => {
    asked.push(url)
    const isNarrow = url.includes('text=')
    return isNarrow ? { devices: [devices[777]], total: 1 } : { devices, total: 5000, nextCursor: 'next' }
  })
  await using runtime = await start(
    'device-search',
    [
      callOf('devices_list'),
      callOf('devices_list', { text: 'ada', label: 'site:oslo', status: 'offline' }),
      { text: 'Done.' },
    ],
    cloud.url,
  )
  const { steps } = await runtime.run({ agent_id: 'a', task: 'Which devices are there?' })
  expect(steps[0]?.result).toMatchObject({
    data: {
      total: 5000,
      counted: 800,
      counts: { status: { online: 200, offline: 600 } },
      narrow: expect.stringContaining('text, label, status, type, platform'),
      nextCursor: 'next',
    },
  })
  expect(JSON.stringify(steps[0]?.result).length).toBeLessThan(8000)
  expect(steps[1]?.result).toMatchObject({ data: { total: 1, devices: [{ id: devices[777]?.id }] } })
  expect(asked.map((url) => Object.fromEntries(new URL(url, cloud.url).searchParams))).toEqual([
    { count: 'true', limit: '1000' },
    { count: 'true', limit: '1000', text: 'ada', label: 'site:oslo', status: 'offline' },
  ])
})

it('A17: weather asks for what its tools say, at the address of its config', async () => {
  const asked: string[] = []
  await using meteo = await startStandIn(({ url = '' }) => {
    asked.push(url)
    return { current: { temperature_2m: 7.5 } }
  })
  await using runtime = await start('weather', [
    callOf('weather_now', { latitude: 59.91, longitude: 10.75 }),
    callOf('weather_forecast', { latitude: 59.91, longitude: 10.75, forecast_days: 2 }),
    callOf('weather_now', { latitude: 91, longitude: 0 }),
    { text: 'Seven degrees.' },
  ])
  await runtime.skills.saveConfig('weather', { base: meteo.url })
  const { steps, success } = await runtime.run({ agent_id: 'a', task: 'The weather in Oslo?' })
  expect(success).toBe(true)
  expect(steps[0]?.result).toEqual({ status: 200, ok: true, data: { current: { temperature_2m: 7.5 } } })
  expect(steps[2]?.error).toMatch(/latitude/)
  const queries = asked.map((url) => Object.fromEntries(new URL(url, meteo.url).searchParams))
  expect(asked.map((url) => url.split('?')[0])).toEqual(['/v1/forecast', '/v1/forecast'])
  expect(queries).toEqual([
    { latitude: '59.91', longitude: '10.75', current: 'temperature_2m,wind_speed_10m,weather_code' },
    {
      latitude: '59.91',
      longitude: '10.75',
      forecast_days: '2',
      daily: 'temperature_2m_max,temperature_2m_min,precipitation_sum',
      timezone: 'auto',
    },
  ])
})

it('A16: word-count counts a text and a file of the workspace, by its program', async () => {
  await using runtime = await start('word-count', [
    callOf('write_file', { path: 'poem.txt', content: 'An old silent pond\nA frog jumps into the pond\n' }),
    callOf('word_count', { file: 'poem.txt', top: 1 }),
    callOf('word_count', { text: 'Straße, straße — 日本 naïve' }),
    callOf('word_count', { file: '../../../etc/passwd' }),
    { text: 'Counted.' },
  ])
  const { steps } = await runtime.run({ agent_id: 'a', task: 'Count.' })
  expect(steps[1]?.result).toMatchObject({
    ok: true,
    exitCode: 0,
    data: { words: 10, lines: 3, frequent: [{ word: 'pond', count: 2 }] },
  })
  expect(steps[2]?.result).toMatchObject({
    data: { words: 4, frequent: [{ word: 'straße', count: 2 }, {}, {}] },
  })
  expect(steps[3]).toMatchObject({ tool: 'word_count', error: expect.any(String) })
})

it('A17, A20: home-assistant sends its token, shows it to nobody, and asks a person once the run has read', async () => {
  const asked: string[] = []
  await using assistant = await startStandIn(({ method, url, headers }, body) => {
    asked.push(`${method} ${url} ${body}`)
    return headers.authorization === 'Bearer house-token-123' ? [{ entity_id: 'light.kitchen' }] : undefined
  })
  const off = { domain: 'light', service: 'turn_off', entity_id: 'light.kitchen' }
  const seen: string[] = []
  await using runtime = await start('home-assistant', [
    callOf('home_states'),
    callOf('home_state', { entity_id: 'light.kitchen/../../config' }),
    (call) => {
      seen.push(JSON.stringify(call.prompt))
      return callOf('home_switch', off)
    },
    { text: 'It is dark.' },
  ])
  const config = { access_token: 'house-token-123', base: assistant.url }
  await expect(runtime.skills.saveConfig('home-assistant', { base: assistant.url })).rejects.toMatchObject({
    code: 'validation_error',
  })
  await runtime.skills.saveConfig('home-assistant', config)
  const waiting = await runtime.run({ agent_id: 'a', task: 'Lights out.' })
  expect(waiting.stop_reason).toBe('approval')
  expect(waiting.steps[0]?.result).toMatchObject({ status: 200, data: [{ entity_id: 'light.kitchen' }] })
  expect(waiting.steps[1]?.error).toEqual(expect.any(String))
  expect(asked).toEqual(['GET /api/states '])

  const [approval] = waiting.approvals ?? []
  await runtime.runs.decideApproval(waiting.run_id, approval!.id, { decision: 'approve' })
  const events = await Array.fromAsync(runtime.runs.events(waiting.run_id, 0))
  expect(events.at(-1)?.event).toMatchObject({ event: 'done', data: { finalContent: 'It is dark.' } })
  expect(asked[1]).toBe('POST /api/services/light/turn_off {"entity_id":"light.kitchen"}')
  expect(JSON.stringify([events, seen, await runtime.logs.list()])).not.toContain('house-token-123')
})

it(
  'device-search finds a file on a device and reads the result, through the device cloud',
  { timeout: 90_000 },
  async () => {
    const settings = readSettings({ HOMEWARD_HOME: home, CLOUD_PORT: '0', DASHBOARD: 'off' })
    const roots = [join(home, 'documents')]
    const cloud = await startCloudServer(settings)
    const dashboard = createUserClient({ baseUrl: cloud.url })
    const { id, apiKey } = await registerTrialDevice(cloud.cloud, home)
    const stateFolder = join(home, 'device')
    await mkdir(roots[0]!)
    await writeFile(join(roots[0]!, 'harbour-fees.txt'), 'Forty a night.')
    const agent = await startDeviceAgent({
      cloudUrl: cloud.url,
      apiKey,
      roots,
      stateFolder,
      intervalMs: 100,
      log() {},
    })
    /** Lets the script go on when the device has answered. */
    const answered = async () => {
      await vi.waitFor(async () => {
        const { results } = await dashboard.listSearches({ query: { deviceId: id } })
        expect(results[0]?.status).toBe('completed')
      }, 60_000)
    }
    try {
      await using runtime = await start(
        'device-search',
        [
          callOf('devices_list'),
          (call) => {
            const found = /"id":"([\w-]+)"/.exec(lastResult(call))?.[1]
            const search = { query: 'harbour', scope: ['files'], deviceIds: [found] }
            return callOf('devices_search', search)
          },
          (call) => {
            const queryId = /"id":"([\w-]+)"/.exec(lastResult(call))?.[1]
            return { ...callOf('devices_search_results', { queryId }), gate: answered }
          },
          (call) => ({ text: `It is at ${/"path":"([^"]+)"/.exec(lastResult(call))?.[1]}.` }),
        ],
        cloud.url,
      )
      const { output, steps } = await runtime.run({
        agent_id: 'a',
        task: 'Where is the list of harbour fees?',
      })
      expect(steps.map(({ tool, error }) => [tool, error])).toEqual([
        ['devices_list', undefined],
        ['devices_search', undefined],
        ['devices_search_results', undefined],
      ])
      expect(output).toBe(`It is at ${join(roots[0]!, 'harbour-fees.txt')}.`)
    } finally {
      await agent.close()
      await cloud.close()
    }
  },
)

/** What the newest tool call gave, as the model reads it. */
function lastResult({ prompt }: { readonly prompt: readonly unknown[] }): string {
  const message = prompt.at(-1) as { content: { output: { value: unknown } }[] } // the script answers a tool's result
  const value = message.content[0]?.output.value
  return typeof value === 'string' ? value : JSON.stringify(value)
}

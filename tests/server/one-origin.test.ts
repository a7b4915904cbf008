import { request } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startAgentServer } from '../../apps/homeward/src/server/start-agent-server.ts'
import { startCloudServer } from '../../apps/homeward/src/server/start-cloud-server.ts'
import { readSettings } from '../../apps/homeward/src/settings/settings.ts'

let home: string
let stop: (() => Promise<unknown>) | undefined

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-one-origin-'))
})
afterEach(async () => {
  await stop?.()
  stop = undefined
  await rm(home, { recursive: true, force: true })
})

async function start(environment: Readonly<Record<string, string>> = {}) {
  const ports = { PORT: '0', CLOUD_PORT: '0', HOMEWARD_HOME: home, DASHBOARD: 'off' }
  const settings = readSettings({ ...ports, ...environment })
  const cloud = await startCloudServer(settings)
  const agents = await startAgentServer(settings, cloud)
  stop = () => Promise.all([agents.close(), cloud.close()])
  if (environment['API_TOKEN'] !== undefined)
    await agents.runtime.settings.update({ api_token: environment['API_TOKEN'] })
  return { devices: cloud.url, agents: agents.url }
}

const devicesApi = '/device-cloud/api/devices'
const agentsApi = '/agent-platform/api/agents'

/** `node:http`, which sends the headers as they are given. */
function statusOf(url: string, headers: Readonly<Record<string, string>> = {}): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy()
      resolve(statusCode)
    })
    sent.on('error', reject).end()
  })
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

it('serves both APIs on both ports', async () => {
  const urls = await start()
  for (const url of [urls.devices, urls.agents]) {
    expect(await statusOf(url + devicesApi)).toBe(200)
    expect(await statusOf(url + agentsApi)).toBe(200)
    const facts = (await (await fetch(`${url}/dashboard.json`)).json()) as {
      serves: object
      cloudUrl: string
    }
    expect(facts).toMatchObject({ serves: { devices: true, agents: true }, cloudUrl: urls.devices })
  }
  expect(await statusOf(`${urls.agents}/device-cloud/metrics`)).toBe(404)
  expect(await statusOf(`${urls.devices}/agent-platform/metrics`)).toBe(404)
})

it('registers a device and reads a file address through the port of the agents', async () => {
  const { agents } = await start()
  const body = JSON.stringify({ name: 'North', type: 'server', platform: 'linux' })
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  expect((await fetch(agents + devicesApi, init)).status).toBe(201)
  const { devices } = (await (await fetch(agents + devicesApi)).json()) as { devices: { name: string }[] }
  expect(devices.map(({ name }) => name)).toEqual(['North'])
})

it('lets only administrators of the agent platform be the local user on its port', async () => {
  const urls = await start({ API_TOKEN: 'admin-token-1' })
  const { agents, devices } = urls
  expect(await statusOf(agents + devicesApi)).toBe(401)
  expect(await statusOf(agents + devicesApi, bearer('wrong'))).toBe(401)
  expect(await statusOf(agents + devicesApi, { ...bearer('wrong'), 'x-homeward-local-user': '00' })).toBe(401)
  expect(await statusOf(agents + devicesApi, bearer('admin-token-1'))).toBe(200)
  const created = await fetch(`${agents}/api/tokens`, {
    method: 'POST',
    headers: { ...bearer('admin-token-1'), 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'reader', scopes: ['read'] }),
  })
  const { secret } = (await created.json()) as { secret: string }
  expect(await statusOf(agents + agentsApi, bearer(secret))).toBe(200)
  expect(await statusOf(agents + devicesApi, bearer(secret))).toBe(401)
  // on its own port the local user needs no token
  expect(await statusOf(devices + devicesApi)).toBe(200)
  expect(await statusOf(devices + devicesApi, bearer('admin-token-1'))).toBe(200)
  expect(await statusOf(devices + agentsApi)).toBe(401)
  expect(await statusOf(devices + agentsApi, bearer('admin-token-1'))).toBe(200)
})

it('serves an agent platform without a token to this machine only', async () => {
  const { devices } = await start()
  expect(await statusOf(devices + agentsApi, { 'x-forwarded-for': '203.0.113.7' })).toBe(404)
  expect(await statusOf(devices + agentsApi, { host: 'rebound.example' })).toBe(404)
})

it.each([{ CLOUD_PUBLIC_URL: 'https://cloud.example' }, { ALLOWED_HOSTS: 'cloud.example' }])(
  'does not serve an agent platform without a token where the settings tell of a proxy: %o',
  async (environment) => {
    const { devices } = await start(environment)
    expect(await statusOf(devices + agentsApi)).toBe(404)
    expect(await (await fetch(`${devices}/dashboard.json`)).json()).toMatchObject({
      serves: { agents: false },
    })
  },
)

it('rejects foreign hosts and origins under the prefixes too', async () => {
  const { agents, devices } = await start()
  expect(await statusOf(agents + devicesApi, { host: 'rebound.example' })).toBe(403)
  expect(await statusOf(agents + devicesApi, { origin: 'https://evil.example' })).toBe(403)
  expect(await statusOf(devices + agentsApi, { origin: 'https://evil.example' })).toBe(403)
})

it.each([
  ['the API', ({ agents }: Urls) => `${agents}/api/agents`],
  ['the API for the pages', ({ agents }: Urls) => agents + agentsApi],
  ['the port of the device cloud', ({ devices }: Urls) => devices + agentsApi],
  ['the device cloud for the pages', ({ agents }: Urls) => agents + devicesApi],
  ['the OpenAI-compatible endpoint', ({ agents }: Urls) => `${agents}/v1/models`],
  ['the events', ({ agents }: Urls) => `${agents}/api/events`],
  ['the events for the pages', ({ agents }: Urls) => `${agents}/agent-platform/api/events`],
])('counts wrong tokens at %s for the caller behind a trusted proxy', async (_door, at) => {
  const url = at(await start({ API_TOKEN: 'admin-token-1', TRUSTED_PROXIES: '127.0.0.1' }))
  const isEvents = url.endsWith('/api/events')
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
  const socket = isEvents && { ...upgrade, 'sec-websocket-key': 'MDEyMzQ1Njc4OTAxMjM0NQ==' }
  const call = (token: string, caller: string) =>
    statusOf(url, { ...bearer(token), 'x-forwarded-for': `198.51.100.9, ${caller}`, ...socket })
  for (let guess = 0; guess < 65; guess += 1) await call(`wrong-${guess}`, '203.0.113.1')
  const refused = await call('admin-token-1', '203.0.113.1')
  // what the device cloud says of a caller that it does not know
  expect(refused).toBe(url.endsWith(devicesApi) ? 401 : 429)
  expect(await call('admin-token-1', '203.0.113.2')).toBe(isEvents ? 101 : 200)
})

type Urls = Awaited<ReturnType<typeof start>>

import { request } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startAgentServer } from '../../apps/homeward/src/server/start-agent-server.ts'
import { startCloudServer } from '../../apps/homeward/src/server/start-cloud-server.ts'
import type { Dashboard } from '../../apps/homeward/src/dashboard/dashboard.ts'
import { readSettings } from '../../apps/homeward/src/settings/settings.ts'
import { createPageSessions } from '../../apps/homeward/src/sign-in/page-sessions.ts'
import { createSeal } from '../../apps/homeward/src/sign-in/seal.ts'

const secret = 'the secret of the sessions of this test'
const environment = {
  OIDC_ISSUER: 'http://127.0.0.1:9',
  OIDC_CLIENT_ID: 'homeward',
  OIDC_ADMINS: 'ann',
  SESSION_SECRET: secret,
}
const dashboard: Dashboard = {
  state: () => ({ kind: 'building' }),
  settled: Promise.resolve(),
  async close() {},
}

let home: string
let urls: { readonly devices: string; readonly agents: string }
let stop: () => Promise<unknown>

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-page-sessions-'))
  const settings = readSettings({ ...environment, PORT: '0', CLOUD_PORT: '0', HOMEWARD_HOME: home })
  const cloud = await startCloudServer(settings, undefined, dashboard)
  const agents = await startAgentServer(settings, cloud, dashboard)
  stop = () => Promise.all([agents.close(), cloud.close()])
  urls = { devices: cloud.url, agents: agents.url }
})
afterEach(async () => {
  await stop()
  await rm(home, { recursive: true, force: true })
})

/** As the server sets it after a sign-in. */
function cookieOf(subject: string, sealedWith = secret): string {
  const options = { seal: createSeal(sealedWith), admins: [], publicUrl: undefined }
  const person = { userId: `${environment.OIDC_ISSUER}#${subject}`, subject, name: subject }
  return createPageSessions(options).start(person, urls.devices).split(';', 1)[0]!
}

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** `node:http`, which sends the headers as they are given. */
function send(url: string, { method = 'GET', headers = {}, body = '' }: Sent = {}) {
  return new Promise<{ status: number; headers: Readonly<Record<string, unknown>>; text: string }>(
    (resolve, reject) => {
      const sent = request(url, { method, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        )
      })
      sent.on('error', reject).end(body)
    },
  )
}

const devicesApi = '/device-cloud/api/devices'
const agentsApi = '/agent-platform/api/agents'
const device = JSON.stringify({ name: 'North', type: 'server', platform: 'linux' })
const json = { 'content-type': 'application/json' }

it('accepts a session on both ports, for the pages only', async () => {
  const headers = { cookie: cookieOf('ann') }
  for (const url of [urls.devices, urls.agents]) {
    for (const path of [devicesApi, agentsApi]) {
      expect((await send(url + path)).status).toBe(401)
      expect((await send(url + path, { headers })).status).toBe(200)
    }
    const facts = JSON.parse((await send(`${url}/dashboard.json`, { headers })).text) as { signIn: object }
    expect(facts.signIn).toMatchObject({ name: '127.0.0.1', user: { name: 'ann', mayUseAgents: true } })
  }
  // the documented addresses take tokens
  expect((await send(`${urls.devices}/api/devices`, { headers })).status).toBe(401)
  expect((await send(`${urls.agents}/api/agents`, { headers })).status).toBe(401)
  const header = { 'x-homeward-session': headers.cookie.split('=')[1]! }
  expect((await send(`${urls.devices}/api/devices`, { headers: header })).status).toBe(401)
  expect((await send(urls.agents + agentsApi, { headers: header })).status).toBe(401)
})

it('rejects cookies that are forged, changed or sealed by another server', async () => {
  const cookie = cookieOf('ann')
  const forged = [
    'homeward-session=',
    'homeward-session=e30',
    `${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'B' : 'A'}`,
    cookieOf('ann', 'the secret of another server, as long'),
    cookie.replace('homeward-session', 'homeward-sign-in'),
  ]
  for (const each of forged) {
    for (const path of [devicesApi, agentsApi])
      expect((await send(urls.devices + path, { headers: { cookie: each } })).status).toBe(401)
  }
})

it('rejects what a foreign page has a browser send', async () => {
  const cookie = cookieOf('ann')
  const post = (headers: Readonly<Record<string, string>>) =>
    send(urls.devices + devicesApi, {
      method: 'POST',
      headers: { ...json, cookie, ...headers },
      body: device,
    })
  const own = { origin: urls.devices, 'homeward-page': '1' }
  expect((await post({ origin: 'https://evil.example', 'homeward-page': '1' })).status).toBe(403)
  expect((await post({ 'homeward-page': '1' })).status).toBe(401)
  expect((await post({ origin: urls.devices })).status).toBe(401)
  expect((await post({ ...own, 'sec-fetch-site': 'same-site' })).status).toBe(401)
  // the port of the agents is another origin
  expect((await post({ ...own, origin: urls.agents })).status).toBe(401)
  expect((await post(own)).status).toBe(201)
  const read = { cookie, 'sec-fetch-site': 'cross-site' }
  expect((await send(urls.devices + devicesApi, { headers: read })).status).toBe(401)
  const signOut = { method: 'POST', headers: { cookie, origin: urls.devices } }
  expect((await send(`${urls.devices}/sign-out`, signOut)).status).toBe(403)
  expect((await send(urls.devices + devicesApi, { headers: { cookie } })).status).toBe(200)
})

it('shows nobody the devices of others, and the agents to administrators only', async () => {
  const own = { origin: urls.devices, 'homeward-page': '1', ...json }
  const created = { method: 'POST', headers: { ...own, cookie: cookieOf('ann') }, body: device }
  expect((await send(urls.devices + devicesApi, created)).status).toBe(201)
  const headers = { cookie: cookieOf('bob') }
  expect(JSON.parse((await send(urls.devices + devicesApi, { headers })).text)).toMatchObject({ devices: [] })
  for (const url of [urls.devices, urls.agents])
    expect((await send(url + agentsApi, { headers })).status).toBe(401)
})

it('signs out while the provider does not answer, and leads back to the page of this server only', async () => {
  const cookie = cookieOf('ann')
  const headers = { cookie, origin: urls.agents, 'homeward-page': '1' }
  const answer = await send(`${urls.agents}/sign-out`, { method: 'POST', headers })
  expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { location: '/' }])
  expect(String(answer.headers['set-cookie'])).toMatch(/^homeward-session=; Path=\/; Max-Age=0/)
  for (const url of [urls.devices, urls.agents])
    expect((await send(url + devicesApi, { headers: { cookie } })).status).toBe(401)

  const expected = {
    '/runs?a=1': '/runs?a=1',
    '//evil.example': '/',
    'https://evil.example/x': '/',
    [String.raw`/\evil.example`]: '/',
    '/..//evil.example': '/',
    'javascript:alert(1)': '/',
  }
  for (const [given, to] of Object.entries(expected)) {
    const started = await send(`${urls.devices}/sign-in/start?${new URLSearchParams({ to: given })}`)
    const location = `/sign-in?${new URLSearchParams({ problem: 'unreachable', to })}`
    expect([started.status, started.headers['location']]).toEqual([303, location])
  }
  const { headers: failed } = await send(`${urls.devices}/sign-in/callback?code=a&state=b`)
  expect(failed['location']).toBe('/sign-in?problem=expired&to=%2F')
})

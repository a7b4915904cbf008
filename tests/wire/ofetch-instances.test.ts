import { generateKeyPairSync } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { createRuntime, type RuntimeOptions } from '@homeward/agent-runtime'
import { createDriveBlobs } from '@homeward/cloud-core/blobs/drive'
import { createS3Blobs } from '@homeward/cloud-core/blobs/s3'
import { createOidcSessions } from '@homeward/cloud-core/oidc'
import {
  createUserClient,
  createDeviceAgent,
  createDeviceClient,
  type DeviceClientOptions,
} from '@homeward/device-sdk'
import { createSkillStore } from '@homeward/skill-store-client'
import { ofetch } from 'ofetch'
import { afterEach, expect, it } from 'vitest'

// D22: an app passes its own ofetch instance to any client. Its interceptors run, and our limits hold all the same.

type Fetch = NonNullable<DeviceClientOptions['fetch']>

const secret = 'topsecret'.repeat(5)
const apiKey = `hw_${secret}`.slice(0, 46)
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})
const token = ['{"alg":"RS256","kid":"a"}', '{"sub":"a"}', 'signature']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.')
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

function open(options: RuntimeOptions) {
  const runtime = createRuntime(options)
  closers.push(() => runtime.close())
  return runtime
}

const once = { attempts: 1, retryDelayMs: 0 }

/** A call of each client, with a time limit where it has one; gives what went wrong. */
const clients: Readonly<Record<string, (url: string, fetch: Fetch, timeoutMs: number) => Promise<unknown>>> =
  {
    'a device client': (url, fetch, timeoutMs) =>
      createDeviceClient({ baseUrl: url, apiKey, fetch, timeoutMs }).sendHeartbeat({}),
    'a dashboard client': (url, fetch, timeoutMs) =>
      createUserClient({ baseUrl: url, fetch, timeoutMs, headers: { cookie: secret } }).listDevices(),
    async 'a device agent'(url, fetch, timeoutMs) {
      const agent = createDeviceAgent({ baseUrl: url, apiKey, fetch, timeoutMs, providers: {} })
      const failed = new Promise((resolve) => {
        agent.on('heartbeat:error', ({ error }) => resolve(error))
      })
      agent.start()
      const error = await failed
      await agent.stop()
      throw error
    },
    'a skill store': (url, fetch, timeoutMs) =>
      createSkillStore({
        registryUrl: `${url}/registry.json`,
        licenseToken: secret,
        fetch,
        timeoutMs,
      }).list(),
    'Google Drive': (url, fetch, timeoutMs) =>
      createDriveBlobs({
        account: { clientEmail: 'a@b.example', privateKey },
        folderId: 'folder',
        apiUrl: url,
        tokenUrl: `${url}/token?key=${secret}`,
        fetch,
        timeoutMs,
        ...once,
      }).delete('a'),
    async S3(url, fetch, timeoutMs) {
      const keys = { accessKeyId: secret, secretAccessKey: secret }
      const blobs = createS3Blobs({ endpoint: `${url}/bucket`, ...keys, fetch, timeoutMs, ...once })
      return await Array.fromAsync(blobs.list?.(new Date().toISOString()) ?? [])
    },
    async 'an identity provider'(url, fetch, timeoutMs) {
      let reason: unknown
      const onError = (error: unknown) => (reason = error)
      const sessions = createOidcSessions({ issuer: url, audience: 'a', fetch, timeoutMs, onError })
      const request = { header: () => `Bearer ${token}` } as never // all that it reads
      await Promise.resolve(sessions?.resolve(request)).catch(() => {})
      throw reason
    },
  }

/** What a runtime calls: each in its own way, with the limits of the libraries that it uses. */
const ofRuntime: Readonly<Record<string, (url: string, fetch: Fetch) => Promise<unknown>>> = {
  async 'a messaging platform'(url, fetch) {
    const runtime = open({ fetch })
    await runtime.settings.update({ channel_a_bot_token: `1:${secret}`, channel_a_api_base: url })
    const { probe } = (await runtime.channels.status('channel_a', { probe: true })) as { probe?: unknown }
    throw probe
  },
  async 'a store of the settings'(url, fetch) {
    const runtime = open({ fetch })
    await runtime.settings.update({ registry_url: `${url}/registry.json`, license_token: secret })
    return await runtime.skills.registry()
  },
  'a model': (url, fetch) => runAgent(url, fetch, {}),
  'an MCP server': (url, fetch) => runAgent(url, fetch, { mcp_servers: ['near'] }),
}

async function runAgent(url: string, fetch: Fetch, more: { readonly mcp_servers?: string[] }) {
  const runtime = open({
    fetch,
    environment: { OPENAI_API_KEY: secret, OPENAI_BASE_URL: `${url}/v1` },
    mcpServers: { near: { url: `${url}/mcp`, headers: { authorization: secret } } },
    retry: { attempts: 0 },
  })
  await runtime.agents.create({ id: 'a', model: 'openai/gpt-5', ...more })
  return await runtime.run({ agent_id: 'a', task: 'Hi' })
}

async function serve(answer: RequestListener) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    const line = `${request.headers['x-trace'] as string} ${request.url}`
    // Drive asks for a token first
    if (line.startsWith('on /token')) return response.end('{"access_token":"a","expires_in":60}')
    seen.push(line)
    return answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => server.close().closeAllConnections())
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** An instance with defaults that would repeat, cut short and read what is not its own. */
function intercepting() {
  const statuses: number[] = []
  const instance = ofetch.create({
    retry: 3,
    timeout: 1,
    onRequest: ({ options }) => options.headers.set('x-trace', 'on'),
    onResponse: ({ response }) => void statuses.push(response.status),
  })
  return { instance, statuses }
}

const reasonOf = (work: Promise<unknown>) => work.catch((error: unknown) => error)

it.each(Object.entries({ ...clients, ...ofRuntime }))('D22: %s runs the interceptors', async (_, call) => {
  const { seen, url } = await serve((_request, response) => response.writeHead(503).end(secret))
  const { instance, statuses } = intercepting()
  const reason = await reasonOf(call(url, instance, 5000))
  expect(inspect(reason, { depth: 9, showHidden: true })).not.toContain(secret)
  expect(seen.length).toBeGreaterThan(0)
  expect(seen.filter((line) => !line.startsWith('on '))).toEqual([])
  expect(statuses).toContain(503)
})

it.each(Object.entries(clients))('D22: %s keeps its time limit', async (_, call) => {
  const { seen, url } = await serve(() => {})
  const reason = await reasonOf(call(url, intercepting().instance, 1000))
  expect(String(reason)).toMatch(/in time|for 1000 ms|longer than|cannot be reached/)
  expect(inspect(reason, { depth: 9, showHidden: true })).not.toContain(secret)
  expect(seen.length).toBeLessThan(3) // S3 lists objects and unfinished uploads
})

it.each(Object.entries(clients))('D22: %s keeps its size limit', async (_, call) => {
  let sent = 0
  const { url } = await serve((_request, response) => {
    const chunk = Buffer.alloc(1024 * 1024, ' ')
    const more = () => {
      sent += chunk.length
      if (!response.destroyed) response.write(chunk)
    }
    response.on('drain', more)
    more()
  })
  const reason = await reasonOf(call(url, intercepting().instance, 20_000))
  // Drive takes what it cannot read to its end for another form
  expect(String(reason)).toMatch(/too large|larger than|unexpected response/)
  expect(sent).toBeLessThan(100 * 1024 * 1024)
})

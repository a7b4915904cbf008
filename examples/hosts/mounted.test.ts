import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { createRuntime } from '@homeward/agent-runtime'
import { createAgentPlatformHandler } from '@homeward/agent-runtime/server'
import { createDeviceCloud, createSingleUserSessions, type DeviceCloud } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { agentPlatformOperations } from '@homeward/contract/agent-platform'
import { createClient } from '@homeward/contract/client'
import { createDeviceAgent, createUserClient } from '@homeward/device-sdk'
import express from 'express'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'

function openCloud(): DeviceCloud {
  const cloud = createDeviceCloud({
    store: createMemoryStore(),
    blobs: createMemoryBlobs(),
    sessions: createSingleUserSessions(),
    basePath: '/devices',
  })
  onTestFinished(() => cloud.close({ graceMs: 0 }))
  return cloud
}

async function openPlatform() {
  const runtime = createRuntime()
  onTestFinished(() => runtime.close())
  await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
  return createAgentPlatformHandler({ runtime, auth: { kind: 'none' }, basePath: '/agents/' })
}

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type Halves = { readonly cloud: DeviceCloud; readonly platform: Awaited<ReturnType<typeof openPlatform>> }

/** Each framework as its users mount handlers. */
const hosts: Record<string, (halves: Halves) => Promise<string>> = {
  'Express with app.use(path)': ({ cloud, platform }) => {
    const app = express()
    app.use('/devices', (request, response) => void cloud.node(request, response))
    app.use('/agents', (request, response) => void platform.node(request, response))
    return listen(app as RequestListener)
  },
  'Express with app.all(path)': ({ cloud, platform }) => {
    const app = express()
    app.all('/devices/*rest', (request, response) => cloud.node(request, response))
    app.all('/agents/*rest', (request, response) => platform.node(request, response))
    return listen(app as RequestListener)
  },
  Hono: async ({ cloud, platform }) => {
    const app = new Hono()
    const remoteAddress = '127.0.0.1'
    app.all('/devices/*', (context) => cloud.fetch(context.req.raw, { remoteAddress }))
    app.all('/agents/*', (context) => platform.fetch(context.req.raw))
    return listen(toListener(app.fetch))
  },
}

/** A web-standard app over `node:http`. */
function toListener(fetch: (request: Request) => Response | Promise<Response>): RequestListener {
  const serve: (...exchange: Parameters<RequestListener>) => Promise<void> = async (request, response) => {
    const { method = 'GET', headers, url = '/' } = request
    const body = method === 'GET' ? {} : { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' }
    const init = { method, headers: headers as Record<string, string>, ...body }
    const reply = await fetch(new Request(`http://${headers.host}${url}`, init))
    response.writeHead(reply.status, Object.fromEntries(reply.headers))
    response.end(Buffer.from(await reply.arrayBuffer()))
  }
  return (request, response) => void serve(request, response)
}

describe.each(Object.keys(hosts))('Both halves below a path in %s', (name) => {
  const start = async () => hosts[name]!({ cloud: openCloud(), platform: await openPlatform() })

  it('let a device answer a search and send a file, whose link works', async () => {
    const baseUrl = `${await start()}/devices`
    const user = createUserClient({ baseUrl })
    const body = { name: 'laptop', type: 'laptop', platform: 'linux', metadata: {} } as const
    const { device, apiKey } = await user.registerDevice({ body })
    const agent = createDeviceAgent({
      baseUrl,
      apiKey,
      providers: { system: async () => ({ found: { cpu: '8 cores', memory: '16 GB', disk: '1 TB' } }) },
      files: {
        open: async () => ({ fileName: 'a.txt', size: 3, content: new Blob(['one']), close: async () => {} }),
      },
    })
    onTestFinished(() => agent.stop())
    const reported = new Promise<void>((resolve) => void agent.on('report:end', () => resolve()))
    const uploaded = new Promise<void>((resolve) => void agent.on('upload:end', () => resolve()))
    agent.start()
    await user.createSearches({ body: { query: 'cpu', scope: ['system'], deviceIds: [device.id] } })
    await user.createUploads({ body: { deviceIds: [device.id], filePath: '/a.txt' } })
    await Promise.all([reported, uploaded])
    const { results } = await user.listUploads()
    expect(results[0]?.fileUrl).toMatch(`${baseUrl}/api/devices/files/`)
    expect(await (await fetch(results[0]?.fileUrl ?? '')).text()).toBe('one')
  })

  it('run an agent, and reject paths outside with the reason', async () => {
    const url = await start()
    const client = createClient(agentPlatformOperations, { baseUrl: `${url}/agents` })
    const result = await client.runAgent({ body: { agent_id: 'parrot', task: 'Hello' } })
    expect(result).toMatchObject({ success: true, output: expect.stringContaining('Hello') })
    const models = await fetch(`${url}/agents/v1/models`)
    expect(await models.json()).toMatchObject({ data: [{ id: 'parrot' }] })
    expect((await fetch(`${url}/agents/api/none`)).status).toBe(404)
  })
})

it('says of a request whose path was cut that it must be whole', async () => {
  const platform = await openPlatform()
  const reply = await platform.fetch(new Request('http://127.0.0.1/api/agents'))
  expect(reply.status).toBe(404)
  expect(await reply.json()).toMatchObject({ message: expect.stringContaining('"basePath"') })
  expect((await platform.fetch(new Request('http://127.0.0.1/agents2/api/agents'))).status).toBe(404)
})

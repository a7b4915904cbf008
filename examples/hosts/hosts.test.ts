import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deviceCloudOperations } from '@homeward/contract/device-cloud'
import { createUserClient, createDeviceAgent, createDeviceClient } from '@homeward/device-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleCases } from '../../tests/runtimes/bundle-cases.ts'
import { unansweredOperations } from '../../tests/wire/unanswered-operations.ts'
import { installRuntimes, loadMiniflare, programOf, runtimes } from '../../tests/runtimes/install-runtimes.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-hosts-'))
  await installRuntimes()
}, 300_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Registers a device over HTTP and lets a real agent answer a search through a held poll. */
async function tryCloud(
  origin: string,
  { headers = {}, basePath = '' }: { headers?: Record<string, string>; basePath?: string } = {},
): Promise<void> {
  const baseUrl = origin + basePath
  const dashboard = createUserClient({ baseUrl, headers })
  const body = { name: 'laptop', type: 'laptop', platform: 'linux', metadata: {} }
  const { device, apiKey } = await dashboard.registerDevice({ body })
  const agent = createDeviceAgent({
    baseUrl,
    apiKey,
    providers: { system: async () => ({ found: { cpu: '8 cores', memory: '16 GB', disk: '1 TB' } }) },
  })
  const online = new Promise<void>((resolve) => void agent.on('heartbeat:end', () => resolve()))
  const reported = new Promise<void>((resolve) => void agent.on('report:end', () => resolve()))
  agent.start()
  try {
    await online
    await dashboard.createSearches({ body: { query: 'cpu', scope: ['system'], deviceIds: [device.id] } })
    await reported
    const { results } = await dashboard.listSearches()
    expect(results).toMatchObject([{ status: 'completed', results: { system: { cpu: '8 cores' } } }])
    const { entries } = await dashboard.listAudit()
    expect(entries.map(({ action }) => action)).toEqual(['search:created', 'device:registered'])
    expect((await dashboard.listDevices()).devices).toMatchObject([{ id: device.id, status: 'online' }])
  } finally {
    await agent.stop()
  }
  const other = await fetch(origin)
  expect(await other.text()).toBe('Your pages')
  expect(await unansweredOperations(baseUrl, deviceCloudOperations, headers)).toEqual([])
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** Resolves once something answers. */
async function answering(url: string, child: ChildProcess): Promise<void> {
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The host ended at its start: ${said}`)
    const isUp = await fetch(url).then(
      () => true,
      () => false,
    )
    if (isUp) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

describe('The device cloud in another framework', { timeout: 60_000 }, () => {
  it.each([
    ['Express on Node', 'express.ts', process.execPath],
    ['Hono on Bun', 'hono.ts', undefined],
    ['Fastify on Node, below a path', 'fastify.ts', process.execPath, '/devices'],
  ])('answers inside %s', async (_, file, program, basePath = '') => {
    const found = program ? { path: program } : programOf(runtimes.find(({ name }) => name === 'Bun')!)
    if ('reason' in found) throw new Error(found.reason)
    const url = `http://127.0.0.1:${await freePort()}`
    const child = spawn(found.path, ['--conditions=@homeward/source', join(import.meta.dirname, file)], {
      env: { ...process.env, PORT: new URL(url).port },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    try {
      await answering(url, child)
      await tryCloud(url, { basePath })
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      await exit
    } finally {
      child.kill('SIGKILL')
    }
  })

  /** The Worker in a workerd of its own, over a folder. */
  async function startWorker(basePath = '') {
    const { Miniflare } = loadMiniflare()
    const script = await readFile(await bundleCases('../../examples/hosts/worker.ts', folder), 'utf8')
    return new Miniflare({
      modules: true,
      script,
      compatibilityDate: '2026-04-01',
      bindings: { DASHBOARD_TOKEN: 'a-token', BASE_PATH: basePath },
      durableObjects: { CLOUD: { className: 'CloudObject', useSQLite: true } },
      durableObjectsPersist: join(folder, `objects${basePath}`),
      host: '127.0.0.1',
    })
  }
  const headers = { authorization: 'Bearer a-token' }

  it('answers inside a Worker, for its users only', async () => {
    const worker = await startWorker()
    try {
      const url = (await worker.ready).origin
      expect((await fetch(`${url}/api/devices`)).status).toBe(401)
      await tryCloud(url, { headers })
    } finally {
      await worker.dispose()
    }
  })

  it('answers inside a Worker below a path', async () => {
    const worker = await startWorker('/devices')
    try {
      await tryCloud((await worker.ready).origin, { headers, basePath: '/devices' })
    } finally {
      await worker.dispose()
    }
  })

  it('knows its devices and their keys in a Worker that was evicted and starts again', async () => {
    const first = await startWorker()
    const body = { name: 'phone', type: 'phone', platform: 'android', metadata: {} } as const
    const before = createUserClient({ baseUrl: (await first.ready).origin, headers })
    const { device, apiKey } = await before.registerDevice({ body })
    await first.dispose()
    const second = await startWorker()
    try {
      const baseUrl = (await second.ready).origin
      const { devices } = await createUserClient({ baseUrl, headers }).listDevices()
      expect(devices.find(({ id }) => id === device.id)).toMatchObject({ name: 'phone', status: 'offline' })
      await createDeviceClient({ baseUrl, apiKey }).sendHeartbeat({})
      const { devices: later } = await createUserClient({ baseUrl, headers }).listDevices()
      expect(later.find(({ id }) => id === device.id)).toMatchObject({ status: 'online' })
    } finally {
      await second.dispose()
    }
  })
})

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createUserClient, createDeviceAgent } from '@homeward/device-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleCases } from '../../tests/runtimes/bundle-cases.ts'
import { installRuntimes, loadMiniflare, programOf, runtimes } from '../../tests/runtimes/install-runtimes.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-hosts-'))
  await installRuntimes()
}, 300_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Registers a device over HTTP and lets a real agent answer a search through a held poll. */
async function tryCloud(baseUrl: string, headers: Record<string, string> = {}): Promise<void> {
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
  const other = await fetch(baseUrl)
  expect(await other.text()).toBe('Your pages')
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
  ])('answers inside %s', async (_, file, program) => {
    const found = program ? { path: program } : programOf(runtimes.find(({ name }) => name === 'Bun')!)
    if ('reason' in found) throw new Error(found.reason)
    const url = `http://127.0.0.1:${await freePort()}`
    const child = spawn(found.path, ['--conditions=@homeward/source', join(import.meta.dirname, file)], {
      env: { ...process.env, PORT: new URL(url).port },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    try {
      await answering(url, child)
      await tryCloud(url)
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      await exit
    } finally {
      child.kill('SIGKILL')
    }
  })

  it('answers inside a Worker, for its users only', async () => {
    const { Miniflare } = loadMiniflare()
    const script = await readFile(await bundleCases('../../examples/hosts/worker.ts', folder), 'utf8')
    const worker = new Miniflare({
      modules: true,
      script,
      compatibilityDate: '2026-04-01',
      bindings: { DASHBOARD_TOKEN: 'a-token' },
      durableObjects: { CLOUD: 'CloudObject' },
      host: '127.0.0.1',
    })
    try {
      const url = (await worker.ready).origin
      expect((await fetch(`${url}/api/devices`)).status).toBe(401)
      await tryCloud(url, { authorization: 'Bearer a-token' })
    } finally {
      await worker.dispose()
    }
  })
})

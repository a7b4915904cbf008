import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agentPlatformOperations, openaiOperations } from '@homeward/contract/agent-platform'
import { deviceCloudOperations } from '@homeward/contract/device-cloud'
import { createUserClient, createDeviceAgent } from '@homeward/device-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'
import { unansweredOperations } from '../../tests/wire/unanswered-operations.ts'

const program = join(import.meta.dirname, 'server.ts')

let folder: string
let child: ChildProcess
let agentsUrl: string
let devicesUrl: string

/** Starts the server on free ports, and reads its addresses from what it prints. */
async function start(): Promise<void> {
  child = spawn(process.execPath, ['--conditions=@homeward/source', program], {
    env: { ...process.env, DATA_FOLDER: folder, PORT: '0', CLOUD_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  const urls = new Promise<string[]>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const [, agents, devices] = /agents: +(\S+)\ndevices: +(\S+)\n/.exec(output) ?? []
      if (agents !== undefined && devices !== undefined) resolve([agents, devices])
    })
    child.once('exit', (code) => reject(new Error(`The server ended at its start with ${code}.`)))
  })
  ;[agentsUrl = '', devicesUrl = ''] = await urls
}

async function stop(): Promise<unknown> {
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const [code] = await exit
  return code
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-example-server-'))
  await start()
})
afterAll(async () => {
  child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

describe('the minimal server', { timeout: 60_000 }, () => {
  it('has at most 100 lines, and the integrator page shows all of them', async () => {
    const source = await readFile(program, 'utf8')
    expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(100)
    const page = await readFile(join(workspaceFolder, 'docs/getting-started/integrator.md'), 'utf8')
    expect(page).toContain(`\`\`\`ts until-stopped\n${source}\`\`\`\n`)
  })

  it('lets a device answer a search', async () => {
    const dashboard = createUserClient({ baseUrl: devicesUrl })
    const body = { name: 'laptop', type: 'laptop', platform: 'linux', metadata: {} }
    const { device, apiKey } = await dashboard.registerDevice({ body })
    const agent = createDeviceAgent({
      baseUrl: devicesUrl,
      apiKey,
      providers: { system: async () => ({ found: { cpu: '8 cores', memory: '16 GB', disk: '1 TB' } }) },
    })
    const online = new Promise<void>((resolve) => void agent.on('heartbeat:end', () => resolve()))
    const reported = new Promise<void>((resolve) => void agent.on('report:end', () => resolve()))
    agent.start()
    try {
      await online
      expect((await dashboard.listDevices()).devices).toMatchObject([{ id: device.id, status: 'online' }])
      await dashboard.createSearches({ body: { query: 'cpu', scope: ['system'], deviceIds: [device.id] } })
      await reported
      const { results } = await dashboard.listSearches()
      expect(results).toMatchObject([{ status: 'completed', results: { system: { cpu: '8 cores' } } }])
    } finally {
      await agent.stop()
    }
  })

  it('runs an agent on the built-in model', async () => {
    const response = await fetch(`${agentsUrl}/api/agents/run`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent_id: 'assistant', task: 'Say hello' }),
    })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ stop_reason: 'done', output: expect.any(String) })
    expect((await fetch(`${agentsUrl}/health`)).status).toBe(200)
  })

  it('serves each interface on its own port only', async () => {
    expect((await fetch(`${agentsUrl}/api/devices`)).status).toBe(404)
    expect((await fetch(`${devicesUrl}/api/agents`)).status).toBe(404)
  })

  it('passes every operation on to its handler', async () => {
    const { eraseOwner: _, ...kept } = deviceCloudOperations
    expect(await unansweredOperations(devicesUrl, kept)).toEqual([])
    const platform = { ...agentPlatformOperations, ...openaiOperations }
    expect(await unansweredOperations(agentsUrl, platform)).toEqual([])
  })

  it('exits with 0 on SIGTERM, and has its data at the next start', async () => {
    expect(await stop()).toBe(0)
    await start()
    const { devices } = await createUserClient({ baseUrl: devicesUrl }).listDevices()
    expect(devices).toMatchObject([{ name: 'laptop' }])
    expect(await stop()).toBe(0)
  })
})

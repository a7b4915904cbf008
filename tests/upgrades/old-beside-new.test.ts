import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { brotliDecompressSync } from 'node:zlib'
import { createUserClient } from '@homeward/device-sdk'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type AgentProcessOptions, startAgentProcess } from '../device/agent-process.ts'
import { startServer } from '../server/server-process.ts'

vi.setConfig({ testTimeout: 300_000 })

// Written by scripts/bundle-landing.ts. A landing that is recorded is never changed.
const programs = join(import.meta.dirname, 'programs')

async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-beside-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Unpacks a program of a landing. */
async function unpack(landing: string, program: 'device' | 'server'): Promise<string> {
  const file = join(await tempFolder(), `${program}.mjs`)
  const packed = await readFile(join(programs, landing, `${program}.mjs.br`))
  await writeFile(file, brotliDecompressSync(packed))
  return file
}

/** Starts the device cloud of a landing; gives its address. */
async function startOldServer(landing: string): Promise<string> {
  const program = await unpack(landing, 'server')
  const child = spawn(process.execPath, [program, await tempFolder()], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const first = once(createInterface(child.stdout), 'line')
  const [url] = await Promise.race([first, ended.then(() => ['it ended'])])
  return url!
}

/** Runs an agent against a server: searches, a file in chunks, and what is left when it comes back. */
async function workTogether(baseUrl: string, agent: Partial<AgentProcessOptions>): Promise<void> {
  const user = createUserClient({ baseUrl })
  const [root, stateFolder] = [await tempFolder(), await tempFolder()]
  const content = Buffer.alloc(9_000_000, 'homeward')
  await writeFile(join(root, 'Quarterly report.txt'), content)
  const body = { name: 'beside', type: 'server', platform: 'linux', metadata: {} } as const
  const { device, apiKey } = await user.registerDevice({ body })
  const deviceIds = [device.id]
  const options = { cloudUrl: baseUrl, apiKey, roots: [root], stateFolder, intervalMs: 300, ...agent }
  const search = async (query: string) => {
    const { searchQueries } = await user.createSearches({ body: { query, scope: ['files'], deviceIds } })
    return searchQueries[0]!.id
  }
  const searched = async (queryId: string) => (await user.listSearches({ query: { queryId } })).results[0]!
  const names = async (queryId: string) => (await searched(queryId)).results?.['files']

  const first = startAgentProcess(options)
  await vi.waitFor(async () => {
    expect((await user.getDevice({ params: { id: device.id } })).device.status).toBe('online')
  }, waiting)
  const found = await search('report')
  await vi.waitFor(async () => expect((await searched(found)).status).toBe('completed'), waiting)
  expect(await names(found)).toMatchObject([{ name: 'Quarterly report.txt', size: content.length }])

  const filePath = join(root, 'Quarterly report.txt')
  await user.createUploads({ body: { deviceIds, filePath } })
  const upload = async () => (await user.listUploads({ query: {} })).results[0]!
  await vi.waitFor(async () => expect((await upload()).status).toBe('completed'), waiting)
  const file = await fetch(new URL((await upload()).fileUrl!, baseUrl))
  expect(content.equals(Buffer.from(await file.arrayBuffer()))).toBe(true)

  await first.kill()
  const waited = await search('QUARTERLY')
  startAgentProcess(options)
  await vi.waitFor(async () => expect((await searched(waited)).status).toBe('completed'), waiting)
  expect(await names(waited)).toHaveLength(1)
}

const waiting = { timeout: 60_000, interval: 100 }

describe.each(await readdir(programs))('a landing of %s', (landing) => {
  it('has a server that this agent works with, by the one request or by what was there before it', async () => {
    const url = await startOldServer(landing)
    const { status } = await fetch(`${url}/api/devices/work`, { method: 'POST' })
    expect(status).toBe(landing < '2026-11-29' ? 405 : 401)
    await workTogether(url, {})
  })

  it.each(['held', 'poll'])(
    'has an agent that works with this server, asking with DEVICE_WORK=%s',
    async (way) => {
      await using server = await startServer(await tempFolder())
      const program = await unpack(landing, 'device')
      await workTogether(server.url, { program, environment: { DEVICE_WORK: way } })
    },
  )
})

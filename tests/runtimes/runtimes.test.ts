import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { blobStoreConformance, cloudStoreConformance } from '@homeward/cloud-core/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleCases } from './bundle-cases.ts'
import { deviceCloudCases, type CaseOutcome } from './device-cloud-cases.ts'
import { installRuntimes, loadMiniflare, programOf, runtimes } from './install-runtimes.ts'

const run = promisify(execFile)
const workspace = new URL('../..', import.meta.url)
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-runtimes-'))
  await installRuntimes()
}, 300_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** What a run on another runtime said of every case; a case that it never named failed. */
function check(outcomes: readonly CaseOutcome[]): void {
  expect(outcomes.filter(({ error }) => error !== null)).toEqual([])
  expect(outcomes.map(({ name }) => name)).toEqual(deviceCloudCases.map(({ name }) => name))
}

const lastLine = (text: string) => JSON.parse(text.trim().split('\n').at(-1) ?? '') as CaseOutcome[]

const programs = [{ name: 'Node 24', program: '', args: [] }, ...runtimes]

describe('device-sdk, contract and cloud-core', { timeout: 120_000 }, () => {
  it.each(programs)('pass every case on $name', async (runtime) => {
    const found = runtime.program === '' ? { path: process.execPath } : programOf(runtime)
    // said by its name, and a failure: a runtime that is claimed and cannot be tried is not claimed
    if ('reason' in found) throw new Error(found.reason)
    const file = await bundleCases('program-entry.ts', folder)
    const { stdout } = await run(found.path, [...runtime.args, file], { maxBuffer: 64 * 1024 * 1024 })
    check(lastLine(stdout))
  })

  it('pass every case on workerd', async () => {
    const { Miniflare } = loadMiniflare()
    const script = await readFile(await bundleCases('worker-entry.ts', folder), 'utf8')
    const worker = new Miniflare({ modules: true, script, compatibilityDate: '2026-04-01' })
    try {
      const response = await worker.dispatchFetch('http://localhost/')
      check((await response.json()) as CaseOutcome[])
    } finally {
      await worker.dispose()
    }
  })
})

describe('cloud-core/durable-object', { timeout: 120_000 }, () => {
  it('keeps what a store promises in the database of a Durable Object, webhooks included', async () => {
    const { Miniflare } = loadMiniflare()
    const script = await readFile(await bundleCases('durable-object-entry.ts', folder), 'utf8')
    const worker = new Miniflare({
      modules: true,
      script,
      compatibilityDate: '2026-04-01',
      durableObjects: { CASES: { className: 'StoreCase', useSQLite: true } },
    })
    try {
      const response = await worker.dispatchFetch('http://localhost/')
      const outcomes = (await response.json()) as CaseOutcome[]
      expect(outcomes.filter(({ error }) => error !== null)).toEqual([])
      expect(outcomes.map(({ name }) => name)).toEqual(cloudStoreConformance.map(({ name }) => name))
    } finally {
      await worker.dispose()
    }
  })
})

describe('cloud-core/blobs/fs', { timeout: 120_000 }, () => {
  it.each(programs)('keeps what it promises on $name', async (runtime) => {
    const found = runtime.program === '' ? { path: process.execPath } : programOf(runtime)
    if ('reason' in found) throw new Error(found.reason)
    const [command, ...more] = runtime.args
    const args = [...(command === undefined ? [] : [command]), '--conditions=@homeward/source', ...more]
    const program = [...args, 'tests/runtimes/folder-program.ts']
    const { stdout } = await run(found.path, program, { cwd: workspace })
    const outcomes = lastLine(stdout)
    expect(outcomes.filter(({ error }) => error !== null)).toEqual([])
    expect(outcomes.map(({ name }) => name)).toEqual(blobStoreConformance.map(({ name }) => name))
  })
})

describe('cloud-core/sqlite and agent-runtime', { timeout: 120_000 }, () => {
  const nodes = [
    { name: 'Node 24', program: '', args: [] },
    ...runtimes.filter(({ name }) => name.startsWith('Node')),
  ]
  it.each(nodes)('keep what they were given in a database file on $name', async (runtime) => {
    const found = runtime.program === '' ? { path: process.execPath } : programOf(runtime)
    if ('reason' in found) throw new Error(found.reason)
    const args = ['--conditions=@homeward/source', 'tests/runtimes/database-program.ts', folder]
    const { stdout } = await run(found.path, args, { cwd: workspace })
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual({
      output: 'Hello',
      agents: 1,
      areKept: [true, true],
    })
  })
})

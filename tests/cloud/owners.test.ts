import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DeviceCloudOptions, CloudStore } from '@homeward/cloud-core'
import { createFsBlobs } from '@homeward/cloud-core/blobs/fs'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { createSqliteStore } from '@homeward/cloud-core/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTestCloud, storeKinds, type TestCloud } from './test-cloud.ts'

const marker = 'MARKER-7f3a'
const large = `${marker} `.repeat(9000) // behind the limit of a row: it lies in a file

/** A device with a search, a large one, a file, and a token: everything of it names the marker. */
async function fill(test: TestCloud) {
  const device = await test.register(`${marker} laptop`)
  const { headers } = device
  const beat = { metadata: { os: marker, version: '1', hardware: 'x' } }
  await test.send('POST', '/api/devices/heartbeat', { body: beat, headers })
  for (const path of ['/small', `/${large}`]) {
    const body = { query: marker, scope: ['notes'], deviceIds: [device.id] }
    const { searchQueries } = (await test.send('POST', '/api/devices/search/query', { body })).body
    const notes = [{ path, name: marker }]
    const report = { queryId: searchQueries![0]!.id, results: { notes } }
    expect((await test.send('POST', '/api/devices/search', { body: report, headers })).status).toBe(200)
  }
  const wish = { deviceIds: [device.id], filePath: `/${marker}.txt` }
  const asked = await test.send('POST', '/api/devices/files/upload-requests', { body: wish })
  const form = new FormData()
  form.append('requestId', asked.body.uploadRequests![0]!.id)
  form.append('file', new Blob([marker]), `${marker}.txt`)
  await test.send('POST', '/api/devices/files/upload', { body: form, headers })
  const token = { name: marker, may: ['read', 'manage'] }
  const made = await test.send('POST', '/api/tokens', { body: token, headers: { 'idempotency-key': marker } })
  return { ...device, token: { authorization: `Bearer ${String(made.body['secret'])}` } }
}

async function linesOf(test: TestCloud, headers = {}) {
  const answer = await test.send('GET', '/api/export', { headers })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  const lines = answer.text.trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as { type: string; data: Record<string, unknown> })
}

describe.each(storeKinds)('the export of an owner over %s', (kind) => {
  it('C31: has a line for everything that an owner has, and no secret', async () => {
    await using test = await createTestCloud(kind, { flush: 'sync' })
    const { id, apiKey, token } = await fill(test)
    const lines = await linesOf(test)
    const types = lines.map(({ type }) => type)
    expect(types.filter((type) => type !== 'audit')).toEqual([
      'device',
      'devicePresence',
      'search',
      'search',
      'searchGroup',
      'searchGroup',
      'upload',
      'token',
      'end',
    ])
    expect(lines.at(-1)).toEqual({ type: 'end', data: { rows: lines.length - 1 } })
    expect(lines[0]!.data).toMatchObject({ id, name: `${marker} laptop` })
    const firstSeenAt = '2026-01-01T00:00:00.000Z'
    expect(lines[1]!.data).toEqual({ deviceId: id, firstSeenAt, gaps: [] })
    const paths = lines
      .filter(({ type }) => type === 'search')
      .flatMap(({ data }) => (data['results'] as { notes: { path: string }[] }).notes)
      .map(({ path }) => path)
    expect(paths.toSorted()).toEqual([`/${large}`, '/small'].toSorted())
    const actions = lines.filter(({ type }) => type === 'audit').map(({ data }) => data['action'])
    expect(actions).toContain('owner:exported')
    for (const secret of [apiKey, token.authorization]) expect(JSON.stringify(lines)).not.toContain(secret)
  })

  it('C30, C31: leaves out what the session may not list, and says so', async () => {
    await using test = await createTestCloud(kind)
    const { token } = await fill(test)
    const lines = await linesOf(test, token)
    expect(new Set(lines.map(({ type }) => type))).toEqual(
      new Set(['device', 'search', 'searchGroup', 'upload', 'token', 'end']),
    )
    expect(lines.at(-1)).toEqual({ type: 'end', data: { rows: lines.length - 1, leftOut: ['audit'] } })
  })

  it('C31: reads page by page, as far as its reader takes it', async () => {
    await using test = await createTestCloud(kind)
    for (let count = 0; count < 230; count += 1) await test.register(`device ${count}`)
    const lines = await linesOf(test)
    expect(lines.filter(({ type }) => type === 'device')).toHaveLength(230)
    const request = new Request('http://127.0.0.1:3000/api/export')
    const { body } = await test.cloud.fetch(request, { remoteAddress: '127.0.0.1' })
    const reader = body!.getReader()
    await reader.read()
    await reader.cancel()
    expect(test.errors).toEqual([])
  })
})

async function createFiles() {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-owners-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function textsOf(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name))
  const texts = await Promise.all(files.map((file) => readFile(file, 'latin1')))
  return files.join('\n') + texts.join('\n')
}

describe('erasing an owner', () => {
  it('C31: leaves nothing in the database file, its log and the folder of files but one entry', async () => {
    const folder = await createFiles()
    const options = {
      store: createSqliteStore({ path: join(folder, 'cloud.db') }),
      blobs: createFsBlobs({ folder: join(folder, 'files') }),
    }
    await using test = await createTestCloud('memory', options)
    const { headers, token } = await fill(test)
    expect(await textsOf(folder)).toContain(marker)
    const answer = await test.send('DELETE', '/api/owner')
    expect([answer.status, answer.body]).toEqual([200, { success: true, done: true }])
    expect(await textsOf(folder)).not.toContain(marker)
    expect((await test.send('GET', '/api/devices')).body.devices).toEqual([])
    expect((await test.send('GET', '/api/devices/search/pending', { headers })).status).toBe(401)
    expect((await test.send('GET', '/api/devices', { headers: token })).status).toBe(401)
    const { body } = await test.send('GET', '/api/audit')
    expect(body['entries']).toMatchObject([{ action: 'owner:erased', userId: 'local', name: null }])
    expect(test.errors).toEqual([])
  })

  it('C30, C31: is refused to an API token, whatever its grants are', async () => {
    await using test = await createTestCloud('memory')
    const { token } = await fill(test)
    const answer = await test.send('DELETE', '/api/owner', { headers: token })
    expect([answer.status, answer.body['error']]).toEqual([403, 'Forbidden'])
    expect((await test.send('GET', '/api/devices')).body.devices).toHaveLength(1)
  })

  it('C31: goes on at the next start, wherever it stopped', async () => {
    const folder = await createFiles()
    const openFiles = () => createFsBlobs({ folder: join(folder, 'files') })
    const open = (): CloudStore => createSqliteStore({ path: join(folder, 'cloud.db') })
    for (let calls = 1, isOver = false; !isOver; calls += 1) {
      let left = calls
      const store = open()
      const dying: CloudStore = {
        ...store,
        removeSome: async (...input) => {
          if ((left -= 1) <= 0) throw new Error('The process was killed')
          return store.removeSome(...input)
        },
      }
      const options: Partial<DeviceCloudOptions> = { store: dying, blobs: openFiles() }
      {
        await using test = await createTestCloud('memory', options)
        await fill(test)
        isOver = ((await test.send('DELETE', '/api/owner')).body as { done?: boolean }).done ?? false
      }
      await using next = await createTestCloud('memory', { store: open(), blobs: openFiles() })
      await next.cloud.applyRetention()
      expect((await next.send('GET', '/api/devices')).body.devices, `killed at call ${calls}`).toEqual([])
      expect((await next.send('GET', '/api/tokens')).body['tokens']).toEqual([])
      expect(calls).toBeLessThan(30)
    }
  })
})

describe.each(storeKinds)('retention over %s', (kind) => {
  const day = 24 * 60 * 60 * 1000
  const retention = { resultsDays: 90, searchesDays: 365, filesDays: 90 }

  it('C31: lets results go first, then searches, and files with their requests', async () => {
    const files = createMemoryBlobs()
    const removed: string[] = []
    const blobs = {
      ...files,
      delete: async (id: string, signal?: AbortSignal) => {
        removed.push(id)
        await files.delete(id, signal)
      },
    }
    await using test = await createTestCloud(kind, { retention, blobs })
    await fill(test)
    const listed = async (path: string) => (await test.send('GET', path)).body.results!
    test.advance(90 * day)
    await test.cloud.applyRetention()
    expect(removed).toEqual([])
    test.advance(1)
    await test.cloud.applyRetention()
    expect(await listed('/api/devices/search/query')).toMatchObject([
      { status: 'completed', results: null, resultsGone: true },
      { status: 'completed', results: null, resultsGone: true },
    ])
    expect(await listed('/api/devices/files/upload-requests')).toEqual([])
    expect(removed).toHaveLength(2)
    test.advance(275 * day)
    await test.cloud.applyRetention()
    expect(await listed('/api/devices/search/query')).toEqual([])
    expect(test.errors).toEqual([])
  })

  it('C31: stores everything for good where nothing else is said', async () => {
    await using test = await createTestCloud(kind)
    await fill(test)
    test.advance(3000 * day)
    await test.cloud.applyRetention()
    const [row] = (await test.send('GET', '/api/devices/search/query')).body.results!
    expect(row).not.toHaveProperty('resultsGone')
    expect(row!['results']).not.toBeNull()
  })

  it('C31: tries again to remove a file that could not be removed', async () => {
    const files = createMemoryBlobs()
    let isBroken = true
    const blobs = {
      ...files,
      delete: async (id: string, signal?: AbortSignal) => {
        if (isBroken) throw new Error('The bucket is away')
        await files.delete(id, signal)
      },
    }
    await using test = await createTestCloud(kind, { blobs })
    const { id } = await fill(test)
    expect((await test.send('DELETE', `/api/devices/${id}`)).status).toBe(200)
    expect(test.errors.length).toBeGreaterThan(0)
    expect(await test.store.listBlobRemovals(9)).toHaveLength(2)
    isBroken = false
    await test.cloud.applyRetention()
    expect(await test.store.listBlobRemovals(9)).toEqual([])
  })
})

const wrong: readonly (readonly [object, string])[] = [
  [
    { resultsDays: 0 },
    '"retention.resultsDays" must be a number greater than 0 and at most 36500, or "forever".',
  ],
  [
    { filesDays: 'never' },
    '"retention.filesDays" must be a number greater than 0 and at most 36500, or "forever".',
  ],
  [{ fileDays: 1 }, '"retention.fileDays" is unknown. Use resultsDays, searchesDays, filesDays.'],
]

it.each(wrong)('C31: rejects a retention of %o', async (retention, message) => {
  const options = { retention, store: createMemoryStore() }
  await expect(createTestCloud('memory', options)).rejects.toThrow(`Creating the cloud failed: ${message}`)
})

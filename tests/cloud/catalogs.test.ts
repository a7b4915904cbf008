import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createGzip, gzipSync } from 'node:zlib'
import { createFsBlobs } from '@homeward/cloud-core/blobs/fs'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createSqliteStore } from '@homeward/cloud-core/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTestCloud, storeKinds, type TestCloud } from './test-cloud.ts'

const asOf = '2025-12-30T08:00:00.000Z'
interface FileRow {
  readonly path: string
  readonly name: string
  readonly size: number
  readonly modified: string
  readonly kind?: string
}
const fileOf = (path: string, changes: Partial<FileRow> = {}): FileRow => ({
  path,
  name: path.split('/').at(-1)!,
  size: 10,
  modified: '2025-06-01T00:00:00.000Z',
  ...changes,
})
const textOf = (files: readonly unknown[], head: object = { asOf, files: files.length }) =>
  `${[head, ...files].map((row) => JSON.stringify(row)).join('\n')}\n`
const catalogHeaders = { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' }

/** A file store that shows what is in it. */
function createCountedBlobs() {
  const blobs = createMemoryBlobs()
  const ids = new Set<string>()
  return {
    ...blobs,
    ids,
    async put(...input: Parameters<typeof blobs.put>) {
      const stored = await blobs.put(...input)
      ids.add(input[0].id)
      return stored
    },
    async delete(...input: Parameters<typeof blobs.delete>) {
      ids.delete(input[0])
      await blobs.delete(...input)
    },
  }
}

/** Sends a body as it is. */
async function put(test: TestCloud, headers: Record<string, string>, body: BodyInit, more = catalogHeaders) {
  const init = { method: 'PUT', headers: { ...more, ...headers }, body, duplex: 'half' }
  const request = new Request('http://127.0.0.1:3000/api/devices/catalog', init)
  const response = await test.cloud.fetch(request, { remoteAddress: '127.0.0.1' })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
const send = (test: TestCloud, headers: Record<string, string>, files: readonly unknown[]) =>
  put(test, headers, gzipSync(textOf(files)))

const ask = async (test: TestCloud, deviceId: string, body: object = {}) => {
  const search = { query: 'report', scope: ['files'], deviceIds: [deviceId], ...body }
  const asked = await test.send('POST', '/api/devices/search/query', { body: search })
  expect(asked.status, asked.text).toBe(201)
  return asked.body.searchQueries![0]!.id
}
const find = async (test: TestCloud, queryId: string, headers = {}) => {
  const path = `/api/devices/search/query?queryId=${queryId}`
  return (await test.send('GET', path, { headers })).body.results![0]!
}
const namesOf = async (test: TestCloud, deviceId: string, body: object = {}) => {
  const { results } = await find(test, await ask(test, deviceId, body))
  return (results as { files: FileRow[] } | null)?.files.map(({ name }) => name)
}

const files = [
  fileOf('/home/ann/docs/Report 2024.pdf', { size: 300 }),
  fileOf('/home/ann/docs/old/report.txt', { size: 5, modified: '2024-01-01T00:00:00.000Z' }),
  fileOf('/home/ann/photos/Müller.jpg'),
  fileOf('/home/ann/notes.md'),
]

describe.each(storeKinds)('catalogs over %s', (kind) => {
  it('answers a search that waits, until the device does', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    const queryId = await ask(test, id, { sort: '-size' })
    expect(await find(test, queryId)).toMatchObject({ status: 'pending', results: null })
    expect(await send(test, headers, files)).toEqual({ status: 200, body: { success: true, asOf, files: 4 } })
    const answer = { files: [files[0], files[1]], source: 'catalog', asOf }
    expect(await find(test, queryId)).toMatchObject({ status: 'pending', completedAt: null })
    expect((await find(test, queryId))['results']).toEqual(answer)
    const { groupId } = await find(test, queryId)
    const group = await test.send('GET', `/api/devices/search/groups/${String(groupId)}`)
    expect(group.body['group']).toMatchObject({ counts: { pending: 1, completed: 0 }, filesFound: 0 })
    const report = { queryId, results: { files: [files[1]] } }
    await test.send('POST', '/api/devices/search', { body: report, headers })
    expect(await find(test, queryId)).toMatchObject({ status: 'completed', results: { files: [files[1]] } })
  })

  it('shows the catalog of a device, and what it takes of the quota', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    await send(test, headers, files)
    const body = gzipSync(textOf(files))
    const { device } = (await test.send('GET', `/api/devices/${id}`)).body
    expect(device).toMatchObject({ catalog: { asOf, files: 4, bytes: body.length } })
    expect((await test.send('GET', '/api/devices')).body.devices![0]).toMatchObject({ catalog: { asOf } })
    const { quotas } = (await test.send('GET', '/api/quotas')).body
    expect(quotas).toContainEqual({ name: 'storedBytes', used: body.length })
  })

  it('rejects a catalog above the quota, but replaces one', async () => {
    await using test = await createTestCloud(kind, { quotas: { storedBytes: 50 } })
    const [one, other] = [await test.register(), await test.register('other')]
    expect((await send(test, one.headers, files)).status).toBe(200)
    expect(await send(test, other.headers, files)).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('"storedBytes" allows 50 ') },
    })
    expect((await send(test, one.headers, files)).status).toBe(200)
  })

  it('is removed by its device, by its owner, and with its age', async () => {
    const blobs = createCountedBlobs()
    await using test = await createTestCloud(kind, { blobs, retention: { resultsDays: 3 } })
    const { id, headers } = await test.register()
    const queryId = await ask(test, id)
    const isAnswered = async () => (await find(test, queryId))['results'] !== null
    const removals = [
      () => test.send('DELETE', '/api/devices/catalog', { headers }),
      () => test.send('DELETE', `/api/devices/${id}/catalog`),
      // its files are two days old already
      () => (test.advance(36 * 3_600_000), test.cloud.applyRetention()),
    ]
    test.advance(-12 * 3_600_000)
    for (const remove of removals) {
      await send(test, headers, files)
      expect(await isAnswered()).toBe(true)
      await remove()
      await remove()
      expect([await isAnswered(), blobs.ids.size]).toEqual([false, 0])
    }
    const audit = await test.send('GET', '/api/audit?action=catalog:removed')
    expect(audit.body['entries']).toMatchObject([{ action: 'catalog:removed', deviceId: id }])
    expect((await test.send('DELETE', '/api/devices/unknown/catalog')).status).toBe(404)
  })

  it('goes with its device and its owner, and stands in the export', async () => {
    const blobs = createCountedBlobs()
    await using test = await createTestCloud(kind, { blobs })
    const [one, other] = [await test.register(), await test.register('other')]
    for (const { headers } of [one, other]) await send(test, headers, files)
    const lines = (await test.send('GET', '/api/export')).text.trimEnd().split('\n')
    const rows = lines.map((line) => JSON.parse(line) as { type: string; data: object })
    const exported = rows.filter(({ type }) => type === 'deviceCatalogFile').map(({ data }) => data)
    expect(exported).toHaveLength(8)
    expect(exported).toContainEqual({ deviceId: one.id, ...files[0] })
    await test.send('DELETE', `/api/devices/${one.id}`)
    expect(blobs.ids.size).toBe(1)
    await test.send('DELETE', '/api/owner')
    expect(blobs.ids.size).toBe(0)
  })

  it('is out of reach for a token of other devices', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    await send(test, headers, files)
    const body = { name: 't', may: ['read', 'manage'], filter: { labels: ['site:rome'] } }
    const { secret } = (await test.send('POST', '/api/tokens', { body })).body
    const token = { authorization: `Bearer ${String(secret)}` }
    const removed = await test.send('DELETE', `/api/devices/${id}/catalog`, { headers: token })
    expect(removed.status).toBe(404)
    const { quotas } = (await test.send('GET', '/api/quotas', { headers: token })).body
    expect(quotas).toContainEqual({ name: 'storedBytes', used: 0 })
    expect(await namesOf(test, id)).toHaveLength(2)
  })
})

describe('an answer from a catalog', () => {
  it('finds what the device would find', async () => {
    await using test = await createTestCloud('memory')
    const { id, headers } = await test.register()
    const beat = { metadata: { folders: ['/home/ann'] } }
    await test.send('POST', '/api/devices/heartbeat', { body: beat, headers })
    await test.send('GET', '/api/devices?status=online') // stores the folders of the heartbeat
    await send(test, headers, [...files, fileOf('/home/ann/docs', { kind: 'folder', size: 0 })])
    const cases: readonly (readonly [object, readonly string[]])[] = [
      [{ query: 'REPORT' }, ['report.txt', 'Report 2024.pdf']],
      [{ query: 'report docs' }, ['Report 2024.pdf', 'report.txt']],
      [{ query: 'muller' }, ['Müller.jpg']],
      [{ query: '*.{pdf,md}', sort: 'name' }, ['notes.md', 'Report 2024.pdf']],
      [{ query: 'docs/**/*.txt' }, ['report.txt']],
      [{ query: '/home/ann/notes.md' }, ['notes.md']],
      // the folder above the shared ones is no part of a path
      [{ query: 'ann notes' }, []],
      [{ query: '', where: { kind: ['image'] } }, ['Müller.jpg']],
      [{ query: '', where: { kind: ['folder'] } }, ['docs']],
      [{ query: 'report', where: { minBytes: 300 } }, ['Report 2024.pdf']],
      [{ query: 'report', where: { folder: '/home/ann/docs/old' } }, ['report.txt']],
      [{ query: 'report', where: { modifiedBefore: '2024-06-01T00:00:00Z' } }, ['report.txt']],
    ]
    for (const [body, names] of cases) expect([body, await namesOf(test, id, body)]).toEqual([body, names])
    const { results } = await find(test, await ask(test, id, { limit: 1, sort: 'size' }))
    expect(results).toMatchObject({ files: [{ name: 'report.txt' }], truncated: { files: true } })
  })

  it('reads escaped names, and leaves text of files and other scopes to the device', async () => {
    await using test = await createTestCloud('memory')
    const { id, headers } = await test.register()
    const escaped = textOf(files).replaceAll('ü', String.raw`\u00fc`)
    expect((await put(test, headers, gzipSync(escaped))).status).toBe(200)
    expect(await namesOf(test, id, { query: 'müller' })).toEqual(['Müller.jpg'])
    for (const scope of [['content'], ['apps']])
      expect((await find(test, await ask(test, id, { scope })))['results']).toBeNull()
    expect(await namesOf(test, id, { query: '', where: { kind: ['folder'] } })).toBeUndefined()
  })

  it('is of the newest catalog', async () => {
    await using test = await createTestCloud('memory')
    const { id, headers } = await test.register()
    const queryId = await ask(test, id)
    await send(test, headers, files)
    await find(test, queryId)
    await send(test, headers, [fileOf('/home/ann/new report.txt')])
    expect(await find(test, queryId)).toMatchObject({ results: { files: [{ name: 'new report.txt' }] } })
  })
})

describe('a catalog that is not one', () => {
  const row = JSON.stringify(files[0])
  const head = (count: number) => JSON.stringify({ asOf, files: count })
  const bodies: Readonly<Record<string, readonly [string | Uint8Array<ArrayBuffer>, number, string]>> = {
    'says too few rows': [textOf(files, { asOf, files: 3 }), 400, 'files: is 3, but the body has 4 rows'],
    'says too many rows': [textOf(files, { asOf, files: 5 }), 400, 'files: is 5, but the body has 4 rows'],
    'has no first line': ['', 400, 'is empty'],
    'has a row in place of the first line': [`${row}\n`, 400, 'body: line 1: asOf: is missing'],
    'has a row that is no file': [
      `${head(2)}\n${row}\n{"path":"/a"}\n`,
      400,
      'body: line 3: name: is missing',
    ],
    'has a line that is not JSON': [`${head(1)}\nnonsense\n`, 400, 'line 2 is not valid JSON'],
    'has a line without an end': [`${head(1)}\n${'x'.repeat(40_000)}`, 400, 'a line has more than'],
    'is a bomb': [' '.repeat(200_000_000), 400, 'a line has more than'],
    'is a bomb of empty lines': ['\n'.repeat(50_000_000), 400, 'line 1 is not valid JSON'],
    'is not UTF-8': [Uint8Array.from([0x7b, 0xff, 0xfe]), 400, 'NDJSON in UTF-8'],
  }

  it.each(Object.entries(bodies))('%s is rejected, and the old one stays', async (_, given) => {
    const [body, status, message] = given
    const blobs = createCountedBlobs()
    await using test = await createTestCloud('memory', { blobs })
    const { id, headers } = await test.register()
    await send(test, headers, files)
    const answer = await put(test, headers, gzipSync(body))
    expect([answer.status, answer.body['message']]).toEqual([status, expect.stringContaining(message)])
    expect([blobs.ids.size, await namesOf(test, id)]).toEqual([1, ['report.txt', 'Report 2024.pdf']])
    expect(test.errors).toEqual([])
  })

  it('is not compressed, is cut, or is too large', async () => {
    const blobs = createCountedBlobs()
    await using test = await createTestCloud('memory', { blobs })
    const { headers } = await test.register()
    const whole = gzipSync(textOf(files))
    const plain = { 'content-type': 'application/x-ndjson' } as typeof catalogHeaders
    const cut = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(whole.subarray(0, 40))
        controller.error(new Error('gone'))
      },
    })
    const long = { ...headers, 'content-length': String(64 * 1024 * 1024 + 1) }
    const answers = [
      await put(test, headers, textOf(files), plain),
      await put(test, headers, textOf(files)),
      await put(test, headers, whole.subarray(0, 40)),
      await put(test, headers, cut),
      await put(test, long, whole),
    ]
    expect(answers.map(({ status }) => status)).toEqual([415, 400, 400, 400, 413])
    expect([blobs.ids.size, test.errors]).toEqual([0, []])
  })

  it('was overtaken by a removal', async () => {
    const blobs = createCountedBlobs()
    await using test = await createTestCloud('memory', { blobs })
    const { id, headers } = await test.register()
    const arrived = Promise.withResolvers<void>()
    const slow = new ReadableStream<Uint8Array>({
      async start(controller) {
        const whole = gzipSync(textOf(files))
        controller.enqueue(whole.subarray(0, 40))
        await arrived.promise
        controller.enqueue(whole.subarray(40))
        controller.close()
      },
    })
    const late = put(test, headers, slow)
    await new Promise((resolve) => setImmediate(resolve))
    await test.send('DELETE', '/api/devices/catalog', { headers })
    arrived.resolve()
    expect((await late).status).toBe(409)
    expect([blobs.ids.size, await namesOf(test, id)]).toEqual([0, undefined])
  })
})

it('leaves no name of a file behind in the bytes of database and folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-catalogs-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const store = createSqliteStore({ path: join(folder, 'cloud.db') })
  const blobs = createFsBlobs({ folder: join(folder, 'files') })
  await using test = await createTestCloud('sqlite', { store, blobs })
  const { id, headers } = await test.register()
  const marker = 'zebra-7f3a'
  // stored as it is, so that a name would be seen
  const body = gzipSync(textOf([fileOf(`/home/ann/${marker}.pdf`)]), { level: 0 })
  const holders = async () => {
    const names = await readdir(folder, { recursive: true, withFileTypes: true })
    const paths = names.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name))
    const contents = await Promise.all(paths.map((path) => readFile(path)))
    return paths.filter((_, index) => contents[index]!.includes(marker))
  }
  expect((await put(test, headers, body)).status).toBe(200)
  expect(await namesOf(test, id, { query: 'zebra' })).toEqual([`${marker}.pdf`])
  expect(await holders()).toHaveLength(1)
  await test.send('DELETE', '/api/devices/catalog', { headers })
  expect(await namesOf(test, id, { query: 'zebra' })).toBeUndefined()
  expect(await holders()).toEqual([])
})

it(
  'takes a million files in bounded memory, and never holds the event loop',
  { timeout: 120_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'homeward-catalogs-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const blobs = createFsBlobs({ folder })
    await using test = await createTestCloud('memory', { blobs })
    const { id, headers } = await test.register()
    const count = 1_000_000
    const gzip = createGzip()
    const body = Readable.toWeb(gzip) as ReadableStream<Uint8Array>
    const write = async () => {
      gzip.write(`${JSON.stringify({ asOf, files: count })}\n`)
      for (let at = 0; at < count; at += 1000) {
        const rows = Array.from({ length: 1000 }, (_, index) =>
          JSON.stringify(fileOf(`/home/ann/folder ${at}/Document ${at + index}.pdf`)),
        )
        if (!gzip.write(`${rows.join('\n')}\n`)) await new Promise((resolve) => gzip.once('drain', resolve))
      }
      gzip.end()
    }
    const [answer] = await Promise.all([put(test, headers, body), write()])
    expect(answer.status).toBe(200)

    const watch = watchLoop()
    const before = process.memoryUsage().rss
    expect(await namesOf(test, id, { query: 'document 777777', limit: 10 })).toEqual(['Document 777777.pdf'])
    const wide = await find(test, await ask(test, id, { query: 'document', sort: 'name', limit: 3 }))
    expect(wide['results']).toMatchObject({ files: { length: 3 }, truncated: { files: true } })
    const { longestMs } = watch.end()
    const grown = (process.memoryUsage().rss - before) / 1024 ** 2
    // a busy machine stops any process for a while
    expect(longestMs).toBeLessThan(150)
    expect(grown).toBeLessThan(200)
  },
)

/** The longest pause between two turns of the event loop. */
function watchLoop() {
  let longestMs = 0
  let last = performance.now()
  const timer = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - last - 5)
    last = performance.now()
  }, 5)
  return {
    end() {
      clearInterval(timer)
      return { longestMs: Math.round(longestMs) }
    },
  }
}

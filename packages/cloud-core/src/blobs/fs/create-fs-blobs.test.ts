import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { blobStoreConformance } from '../../testing/index.ts'
import { CloudStoreError, createFsBlobs } from './index.ts'

let folder = ''

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'homeward-blobs-')), 'files of ann')
})
afterEach(() => rm(join(folder, '..'), { recursive: true }))

for (const { name, run } of blobStoreConformance) {
  it(name, () =>
    run({
      create: async () => ({
        blobs: createFsBlobs({ folder }),
        reopen: async () => createFsBlobs({ folder }),
      }),
    }),
  )
}

async function* chunks(count: number, size = 64 * 1024) {
  for (let index = 0; index < count; index += 1) yield new Uint8Array(size).fill(index)
}

const allFiles = async () => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

const traversals = [
  '',
  '.',
  '..',
  '../x',
  'a/b',
  'a\\b',
  '/etc/passwd',
  'a\0',
  'a.b',
  'C:x',
  'ü',
  'a\n',
  'x'.repeat(129),
]

it.each(traversals)('refuses %j as an id and touches nothing', async (id) => {
  const blobs = createFsBlobs({ folder })
  const calls = [blobs.put({ id, fileName: 'x', content: chunks(1) }), blobs.open(id), blobs.delete(id)]
  for (const outcome of await Promise.allSettled(calls)) {
    const reason: unknown = outcome.status === 'rejected' ? outcome.reason : undefined
    expect(CloudStoreError.is(reason) && reason.code).toBe('BLOB_ID_INVALID')
  }
  await expect(stat(folder)).rejects.toThrow(/ENOENT/)
})

it.each([undefined, null, {}, { folder: '' }, { folder: 5 }])(
  'names the folder when it is missing: %j',
  (given) => {
    const message = 'Creating the folder of files failed: "folder" must be a string that is not empty.'
    expect(() => createFsBlobs(given as never)).toThrow(new TypeError(message))
  },
)

it('keeps files for this user alone, spread over folders', async () => {
  const blobs = createFsBlobs({ folder })
  for (const id of ['aa1', 'bb2', 'c', 'x'.repeat(128)])
    await blobs.put({ id, fileName: '../../evil', content: chunks(1) })
  const files = await allFiles()
  expect(files).toHaveLength(4)
  for (const file of files) {
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o700)
  }
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
})

it('leaves no staging file behind when an upload breaks off', async () => {
  const blobs = createFsBlobs({ folder })
  const cut = async function* () {
    yield* chunks(2)
    throw new Error('cut')
  }
  await expect(blobs.put({ id: 'a', fileName: 'a', content: cut() })).rejects.toThrow('cut')
  expect(await allFiles()).toEqual([])
})

it('removes what dead processes left an hour ago, and nothing newer', async () => {
  const staging = join(folder, 'staging')
  await mkdir(staging, { recursive: true })
  const now = new Date('2026-01-01T12:00:00Z')
  for (const [name, minutes] of [
    ['old', 61],
    ['new', 59],
  ] as const) {
    await writeFile(join(staging, name), 'half')
    const writtenAt = new Date(now.getTime() - minutes * 60_000)
    await utimes(join(staging, name), writtenAt, writtenAt)
  }
  await createFsBlobs({ folder, now: () => now.getTime() }).open('x')
  expect(await readdir(staging)).toEqual(['new'])
})

it('says what to do when the folder cannot be used', async () => {
  await mkdir(join(folder, '..'), { recursive: true })
  await writeFile(folder, 'a file')
  const error = await createFsBlobs({ folder })
    .open('a')
    .catch((thrown: unknown) => thrown)
  expect(CloudStoreError.is(error) && error.code).toBe('BLOB_UNAVAILABLE')
})

it('stores and reads 200 MB in constant memory', async () => {
  const blobs = createFsBlobs({ folder })
  const before = process.memoryUsage.rss()
  let peak = before
  const watched = async function* () {
    for await (const chunk of chunks(3200)) {
      peak = Math.max(peak, process.memoryUsage.rss())
      yield chunk
    }
  }
  await blobs.put({ id: 'large', fileName: 'large', content: watched() })
  const blob = await blobs.open('large')
  let size = 0
  for await (const chunk of blob?.content ?? []) {
    size += chunk.length
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  expect(size).toBe(3200 * 64 * 1024)
  expect(peak - before).toBeLessThan(100 * 1024 * 1024)
})

it('a process that is killed in the middle of an upload leaves nothing that can be opened', async () => {
  const module = fileURLToPath(new URL('./index.ts', import.meta.url))
  const program = `
    const { createFsBlobs } = await import(${JSON.stringify(module)})
    const blobs = createFsBlobs({ folder: ${JSON.stringify(folder)} })
    const whole = async function* () { yield new Uint8Array(9) }
    await blobs.put({ id: 'whole', fileName: 'x', content: whole() })
    const endless = async function* () { while (true) { yield new Uint8Array(65536); process.stdout.write('.') } }
    await blobs.put({ id: 'cut', fileName: 'x', content: endless() })`
  const args = ['--conditions=@homeward/source', '--input-type=module', '--eval', program]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')

  const blobs = createFsBlobs({ folder })
  expect(await blobs.open('cut')).toBeUndefined()
  const whole = await blobs.open('whole')
  expect(whole?.size).toBe(9)
  await whole?.content.cancel()
})

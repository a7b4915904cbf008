import { execFile } from 'node:child_process'
import { glob, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createFsBlobs } from '@homeward/cloud-core/blobs/fs'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createReplicatedBlobs } from '@homeward/cloud-core/blobs/replicated'
import { createUserClient, createDeviceClient } from '@homeward/device-sdk'
import { describe, expect, it } from 'vitest'
import { faces, openCloud, type FacedCloud } from './cloud-faces.ts'

const text = 'one two three four five'

/** Puts a file into a cloud by way of a device; gives its address. */
async function upload({ baseUrl, fetch }: FacedCloud, content = text): Promise<string> {
  const users = createUserClient({ baseUrl, fetch })
  const registered = await users.registerDevice({
    body: { name: 'd', type: 'laptop', platform: 'linux', metadata: {} },
  })
  const asked = await users.createUploads({ body: { deviceIds: [registered.device.id], filePath: '/a.txt' } })
  const device = createDeviceClient({ baseUrl, fetch, apiKey: registered.apiKey })
  const blob = new Blob([content])
  const file = { content: blob.stream(), size: blob.size, fileName: 'a.txt' }
  const result = await device.uploadFile({ requestId: asked.uploadRequests[0]!.id, file })
  return (result as { fileUrl: string }).fileUrl
}

const withBody = async (response: Response) => ({
  status: response.status,
  range: response.headers.get('content-range'),
  text: await response.text(),
})

describe.each(faces)('downloads from $store over $transport', (face) => {
  it('C26: gives a part of a file, under the guards of the whole', async () => {
    await using cloud = await openCloud(face)
    const url = await upload(cloud)
    const ask = (headers: Record<string, string>, method = 'GET') => cloud.fetch(url, { headers, method })

    const whole = await ask({})
    expect(whole.headers.get('accept-ranges')).toBe('bytes')
    const etag = whole.headers.get('etag')!
    expect(etag).toMatch(/^"[\w-]+"$/)
    expect(await withBody(whole)).toEqual({ status: 200, range: null, text })

    const part = await ask({ range: 'bytes=4-6' })
    for (const name of ['content-disposition', 'content-security-policy', 'cache-control', 'etag'])
      expect([name, part.headers.get(name)]).toEqual([name, whole.headers.get(name)])
    expect(part.headers.get('x-content-type-options')).toBe('nosniff')
    expect(part.headers.get('content-length')).toBe('3')
    expect(await withBody(part)).toEqual({ status: 206, range: 'bytes 4-6/23', text: 'two' })
    expect(await withBody(await ask({ range: 'bytes=14-' }))).toMatchObject({
      status: 206,
      text: 'four five',
    })
    expect(await withBody(await ask({ range: 'bytes=-4' }))).toMatchObject({ status: 206, text: 'five' })
    expect(await withBody(await ask({ range: 'bytes=0-1,4-5' }))).toMatchObject({ status: 200, text })

    // the whole file twice, and parts of it that belong to the first
    const { entries } = await cloud.cloud.listAudit({ userId: 'local' }, { action: 'file:downloaded' })
    expect(entries).toHaveLength(2)

    const beyond = await ask({ range: 'bytes=23-' })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */23'])
    expect(await beyond.json()).toEqual({
      error: 'Range not satisfiable',
      message: 'The file has 23 bytes.',
    })

    const head = await ask({ range: 'bytes=4-6' }, 'HEAD')
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '23'])

    expect(await withBody(await ask({ range: 'bytes=4-6', 'if-range': etag }))).toMatchObject({ text: 'two' })
    for (const other of ['"other"', `W/${etag}`, 'Wed, 21 Oct 2026 07:28:00 GMT'])
      expect(await withBody(await ask({ range: 'bytes=4-6', 'if-range': other }))).toMatchObject({ text })
    expect(cloud.errors).toEqual([])
  })

  it('C26: says what a file is, and that it has not changed, which is no download', async () => {
    await using cloud = await openCloud(face)
    const url = await upload(cloud)
    const entries = async () => (await cloud.cloud.listAudit({ userId: 'local' }, {})).entries.length
    const before = await entries()
    const etag = (await cloud.fetch(url, { method: 'HEAD' })).headers.get('etag')!
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const same = await cloud.fetch(url, { headers: { 'if-none-match': tags, range: 'bytes=0-1' } })
      expect([same.status, same.headers.get('etag'), await same.text()]).toEqual([304, etag, ''])
      expect(same.headers.get('content-length')).toBeNull()
    }
    expect(await entries()).toBe(before)
    const other = await cloud.fetch(url, { headers: { 'if-none-match': '"other"' } })
    expect([other.status, await other.text()]).toEqual([200, text])
  })
})

const face = { store: 'memory', transport: 'node:http' } as const

it('C26: an empty file is given whole, whatever part is asked for', async () => {
  await using cloud = await openCloud(face)
  const answer = await cloud.fetch(await upload(cloud, ''), { headers: { range: 'bytes=0-' } })
  expect(await withBody(answer)).toEqual({ status: 200, range: null, text: '' })
})

it('C26: a store of files that opens no parts gives whole files, and says so', async () => {
  const { openPart: _, ...blobs } = createMemoryBlobs()
  await using cloud = await openCloud(face, { blobs })
  const answer = await cloud.fetch(await upload(cloud), { headers: { range: 'bytes=4-6' } })
  expect(answer.headers.get('accept-ranges')).toBe('none')
  expect(await withBody(answer)).toEqual({ status: 200, range: null, text })
})

it('C26: a part that is not the one that was asked for is never given', async () => {
  const blobs = createMemoryBlobs()
  await using cloud = await openCloud(face, { blobs: { ...blobs, openPart: (id) => blobs.open(id) } })
  const answer = await cloud.fetch(await upload(cloud), { headers: { range: 'bytes=4-6' } })
  expect(answer.status).toBe(500)
  expect(cloud.errors).toHaveLength(1)
})

it('a file of which the storage has lost a piece is never given as if it were whole', async () => {
  const blobs = createMemoryBlobs()
  const openHalf = (id: string) => blobs.openPart!(id, { start: 0, end: 10 })
  await using cloud = await openCloud(face, { blobs: { ...blobs, open: openHalf, openPart: openHalf } })
  const answer = await cloud.fetch(await upload(cloud))
  expect([answer.status, await answer.json()]).toEqual([500, { error: 'Failed to process request' }])
  expect(String(cloud.errors[0])).toContain('the store has 10 of 23 bytes')
})

it('a file of which one storage has lost a piece is given from another one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-copies-'))
  try {
    const stores = ['one', 'two'].map((name) => createFsBlobs({ folder: join(folder, name) }))
    await using cloud = await openCloud(face, { blobs: createReplicatedBlobs({ stores }) })
    const url = await upload(cloud)
    for await (const path of glob(join(folder, 'one', 'files', '*', '*'))) await truncate(path, 10)
    expect(await withBody(await cloud.fetch(url))).toEqual({ status: 200, range: null, text })
    const part = await cloud.fetch(url, { headers: { range: 'bytes=4-12' } })
    expect(await withBody(part)).toMatchObject({ status: 206, text: text.slice(4, 13) })
    for await (const path of glob(join(folder, 'two', 'files', '*', '*'))) await truncate(path, 11)
    expect((await cloud.fetch(url)).status).toBe(500)
  } finally {
    await rm(folder, { recursive: true })
  }
})

const run = promisify(execFile)
const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
)

it.runIf(hasCurl)('C26: curl goes on with a file that it has half of', async () => {
  await using cloud = await openCloud({ store: 'sqlite', transport: 'node:http' })
  const content = 'a line of the file\n'.repeat(20_000)
  const url = await upload(cloud, content)
  const folder = await mkdtemp(join(tmpdir(), 'homeward-curl-'))
  try {
    const path = join(folder, 'file')
    await writeFile(path, content.slice(0, 123_456))
    await run('curl', ['--fail', '--silent', '--continue-at', '-', '--output', path, url])
    expect(await readFile(path, 'utf8')).toBe(content)
  } finally {
    await rm(folder, { recursive: true })
  }
})

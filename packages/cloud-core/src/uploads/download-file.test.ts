import { expect, it, onTestFinished } from 'vitest'
import { createMemoryBlobs } from '../blobs/memory/index.ts'
import { createDeviceCloud } from '../cloud/create-device-cloud.ts'
import { createMemoryStore } from '../memory/index.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import { createSingleUserSessions } from '../sessions/single-user-sessions.ts'
import { storeFile } from './testing/store-file.ts'

const ann = { userId: 'ann' }

async function open(changes: Partial<BlobStore> = {}) {
  const blobs = { ...createMemoryBlobs(), ...changes }
  let time = Date.UTC(2026, 0, 1)
  const cloud = createDeviceCloud({
    store: createMemoryStore(),
    blobs,
    sessions: createSingleUserSessions(),
    now: () => (time += 1), // what happens within one millisecond has no order
  })
  onTestFinished(() => cloud.close({ graceMs: 0 }))
  return { cloud, blobs, id: await storeFile(cloud, ann, 'one two three') }
}

const asking = (headers: Readonly<Record<string, string>>) => ({
  method: 'GET',
  header: (name: string) => headers[name],
})

it('gives a file as what no browser shows, runs or keeps, and no other site embeds', async () => {
  const { cloud, id } = await open()
  const { status, headers, body } = await cloud.downloadFile(ann, id)
  expect({ status, headers }).toEqual({
    status: 200,
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': '13',
      'content-disposition': `attachment; filename="a.txt"; filename*=UTF-8''a.txt`,
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'same-origin',
      etag: `"${id}"`,
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store',
    },
  })
  expect(await new Response(body as ReadableStream).text()).toBe('one two three')
})

it('C26: says of what is not given what may be asked for', async () => {
  const { cloud, id } = await open()
  expect(await cloud.downloadFile(ann, id, asking({ 'if-none-match': ' * ' }))).toEqual({
    status: 304,
    body: null,
    headers: { etag: `"${id}"`, 'accept-ranges': 'bytes', 'cache-control': 'private, no-store' },
  })
  await expect(cloud.downloadFile(ann, id, asking({ range: 'bytes=13-' }))).rejects.toMatchObject({
    status: 416,
    headers: { 'content-range': 'bytes */13', 'accept-ranges': 'bytes' },
  })
})

it('C26: gives a file to those who have another one', async () => {
  const { cloud, id } = await open()
  for (const tags of ['', '"other"', id, `XW/"${id}"`]) {
    const { status } = await cloud.downloadFile(ann, id, asking({ 'if-none-match': tags }))
    expect([tags, status]).toEqual([tags, 200])
  }
})

it('C24: records who has downloaded what, and who was refused', async () => {
  const { cloud, blobs, id } = await open()
  await cloud.downloadFile(ann, id)
  const notFound = { status: 404, body: { error: 'File not found' } }
  await expect(cloud.downloadFile({ userId: 'bob' }, id)).rejects.toMatchObject(notFound)
  await blobs.delete(id)
  await expect(cloud.downloadFile(ann, id)).rejects.toMatchObject(notFound)
  const downloads = async (userId: string) =>
    (await cloud.listAudit({ userId })).entries
      .filter(({ action }) => action === 'file:downloaded')
      .map(({ outcome, reason, subjectId, name }) => [outcome, reason, subjectId, name])
  expect(await downloads('bob')).toEqual([['refused', 'File not found', id, null]])
  expect(await downloads('ann')).toEqual([
    ['refused', 'File not found', id, null],
    ['done', null, id, 'a.txt'],
  ])
})

it('lets go of a file that it does not give', async () => {
  let left = 0
  const openCut = async () => ({
    size: 5,
    content: new ReadableStream<Uint8Array>({ cancel: () => void (left += 1) }),
  })
  const { cloud, id } = await open({ open: openCut, openPart: openCut })
  await expect(cloud.downloadFile(ann, id)).rejects.toThrow('the store has 5 of 13 bytes')
  expect(left).toBe(2) // all of it, and all of it as a part
})

import {
  CloudStoreError,
  createMemoryBlobs,
  type CloudStoreErrorCode,
} from '@homeward/cloud-core/blobs/memory'
import { createReplicatedBlobs } from '@homeward/cloud-core/blobs/replicated'
import type { BlobLinks, BlobStore } from '@homeward/cloud-core'
import { expect, it } from 'vitest'
import { createTestCloud, type TestCloud } from './test-cloud.ts'

/** A store that also gives links, as those at other services do. */
function createLinkedBlobs(links: BlobLinks): BlobStore {
  const blobs = createMemoryBlobs()
  return { ...blobs, put: async (blob, signal) => ({ ...(await blobs.put(blob, signal)), links }) }
}

const spaces = () => createLinkedBlobs({ spacesFile: { publicUrl: 'https://s3.example/a' } })
const drive = () => createLinkedBlobs({ driveFile: { webViewLink: 'https://drive.example/a' } })

async function upload(test: TestCloud) {
  const device = await test.register()
  const asked = { deviceIds: [device.id], filePath: '/notes.txt' }
  const { body } = await test.send('POST', '/api/devices/files/upload-requests', { body: asked })
  const form = new FormData()
  form.append('file', new Blob(['content']), 'notes.txt')
  form.append('requestId', body.uploadRequests![0]!.id)
  const send = () => test.send('POST', '/api/devices/files/upload', { body: form, headers: device.headers })
  const row = async () => (await test.send('GET', '/api/devices/files/upload-requests')).body.results![0]!
  return { send, row }
}

it('C13: an answer has the links of each store that took the file, and of no other', async () => {
  const cases: [BlobStore, string[]][] = [
    [createMemoryBlobs(), []],
    [spaces(), ['spacesFile']],
    [drive(), ['driveFile']],
    [createReplicatedBlobs({ stores: [spaces(), drive()] }), ['spacesFile', 'driveFile']],
  ]
  for (const [blobs, links] of cases) {
    await using test = await createTestCloud('memory', { blobs })
    const { send, row } = await upload(test)
    const { status, body } = await send()
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['success', 'fileName', 'fileUrl', ...links])
    const { success: _, ...shown } = body
    expect(await row()).toMatchObject({ ...shown, status: 'completed' })
    expect((await send()).body).toEqual(body)
  }
})

const failure = (code: CloudStoreErrorCode) =>
  new CloudStoreError(code, 'Storing a file failed: the storage is full.')

/** Two stores of which the second fails. */
async function startWithFailing(code: CloudStoreErrorCode) {
  const ids: string[] = []
  const first = createMemoryBlobs()
  const watched: BlobStore = {
    ...first,
    put: (blob, signal) => {
      ids.push(blob.id)
      return first.put(blob, signal)
    },
  }
  let isDown = true
  const second = drive()
  const full: BlobStore = {
    ...second,
    put: (blob, signal) => (isDown ? Promise.reject(failure(code)) : second.put(blob, signal)),
  }
  const blobs = createReplicatedBlobs({ stores: [watched, full] })
  const test = await createTestCloud('memory', { blobs })
  return {
    test,
    ...(await upload(test)),
    left: async () => (await Promise.all(ids.map((id) => first.open(id)))).filter(Boolean),
    mend: () => (isDown = false),
  }
}

const told = ['CloudStoreError: Storing a file failed: the storage is full.']

it('C13: a store that is down fails the attempt; the others keep nothing of it, and the next one works', async () => {
  const { test, send, row, left, mend } = await startWithFailing('BLOB_UNAVAILABLE')
  await using _ = test
  expect([(await send()).status, await left()]).toEqual([500, []])
  expect(await row()).toMatchObject({ status: 'pending' })
  expect(test.errors.map(String)).toEqual(told)
  mend()
  expect((await send()).body).toMatchObject({ success: true, driveFile: {} })
})

it('C13: a store that refuses fails the request with its reason; the others keep nothing of it', async () => {
  const { test, send, row, left } = await startWithFailing('BLOB_REFUSED')
  await using _ = test
  const error = 'the cloud could not store the file: Storing a file failed: the storage is full.'
  const answer = await send()
  expect([answer.status, answer.body]).toEqual([200, { success: false, error }])
  expect(await left()).toEqual([])
  expect(await row()).toMatchObject({ status: 'failed', error })
  expect(test.errors.map(String)).toEqual(told)
})

it('C13: links that expire are made anew each time that they are shown', async () => {
  let count = 0
  const memory = createMemoryBlobs()
  const linksOf = async () => ({ spacesFile: { publicUrl: `https://s3.example/${(count += 1)}` } })
  await using test = await createTestCloud('memory', { blobs: { ...memory, linksOf } })
  const { send, row } = await upload(test)
  const link = async () => (await row())['spacesFile']
  await send()
  expect([await link(), await link()]).toEqual([
    { publicUrl: 'https://s3.example/2' },
    { publicUrl: 'https://s3.example/3' },
  ])
})

import { readFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { deviceCloudOperations } from '@homeward/contract/device-cloud'
import { describe, expect, it } from 'vitest'
import { createMemoryBlobs } from '../blobs/memory/index.ts'
import { createDeviceCloud, type DeviceCloud } from './create-device-cloud.ts'
import { createMemoryStore } from '../memory/index.ts'
import { createSingleUserSessions } from '../sessions/single-user-sessions.ts'
import { storeFile } from '../uploads/testing/store-file.ts'

const ann = { userId: 'ann' }
const laptop = { name: 'laptop', type: 'laptop', platform: 'linux', metadata: {} }
const search = { query: 'x', scope: ['files' as const], deviceIds: ['d'] }

function open() {
  return createDeviceCloud({
    store: createMemoryStore(),
    blobs: createMemoryBlobs(),
    sessions: createSingleUserSessions(),
  })
}

/** Calls as a program makes them that no compiler has looked at. */
type AnyCalls = Readonly<Record<string, (...given: readonly unknown[]) => Promise<unknown>>>
const callsOf = (cloud: DeviceCloud) => cloud as unknown as AnyCalls

describe("what the host's own code gives is checked as a request is", () => {
  it.each<[name: string, given: unknown, problem: string]>([
    ['registerDevice', undefined, 'body: is missing, expected object'],
    ['registerDevice', { ...laptop, name: 5 }, 'name: Invalid input: expected string, received number'],
    ['createSearches', { ...search, deviceIds: undefined }, 'deviceIds: must be given, or filter'],
    ['createSearches', { ...search, scope: [] }, 'scope: Too small'],
    ['createSearches', { ...search, ttlSeconds: Number.NaN }, 'ttlSeconds: Invalid input'],
    ['createUploads', { deviceIds: ['d'] }, 'filePath: is missing, expected string'],
    ['listDevices', { limit: 'abc' }, 'limit: must be an integer'],
    ['listSearches', { limit: Number.NaN }, 'limit: must be an integer'],
    ['listSearches', { limit: 501 }, 'limit: Too big'],
    ['listSearches', { status: 'done' }, 'status: Invalid option'],
    ['listUploads', 5, 'query: Invalid input'],
    ['listAudit', { from: 'yesterday' }, 'from: must be ISO 8601, such as 2026-01-31T22:59:59Z'],
    ['deleteDevice', undefined, 'id: is missing, expected string'],
    ['rotateDeviceKey', 5, 'id: Invalid input'],
    ['revealDeviceKey', '', 'id: Too small'],
    ['cancelUpload', null, 'id: Invalid input'],
    ['downloadFile', {}, 'id: Invalid input'],
  ])('%s(%j)', async (name, given, problem) => {
    await using cloud = open()
    const refused = { name: 'HttpError', status: 400, message: expect.stringContaining(problem) }
    await expect(callsOf(cloud)[name]!(ann, given)).rejects.toMatchObject(refused)
    expect((await cloud.listAudit(ann)).entries).toEqual([])
  })

  it('takes the limit of a list as a number', async () => {
    await using cloud = open()
    for (const name of ['one', 'two']) await cloud.registerDevice(ann, { ...laptop, name })
    const { devices, nextCursor } = await cloud.listDevices(ann, { limit: 1 })
    expect(devices).toHaveLength(1)
    const rest = await cloud.listDevices(ann, { limit: 500, ...(nextCursor && { cursor: nextCursor }) })
    expect(rest.devices).toHaveLength(1)
  })
})

it.each([undefined, null, 'ann', {}, { userId: '' }, { userId: 5 }])(
  'a call for nobody (%j) is refused, by its name',
  async (call) => {
    await using cloud = open()
    await expect(callsOf(cloud)['listDevices']!(call)).rejects.toThrow(
      new TypeError(
        'Calling listDevices failed: the first argument must be { userId }, the user that you call it for.',
      ),
    )
  },
)

it('a call may say where it comes from', async () => {
  await using cloud = open()
  const call = { ...ann, idempotencyKey: 'k', address: '192.0.2.1', origin: 'https://a.example' }
  expect(await callsOf(cloud)['registerDevice']!(call, laptop)).toMatchObject({ device: { name: 'laptop' } })
})

it('an idempotency key that is no text is refused', async () => {
  await using cloud = open()
  const call = { ...ann, idempotencyKey: 5 }
  await expect(callsOf(cloud)['registerDevice']!(call, laptop)).rejects.toThrow(
    'Calling registerDevice failed: "idempotencyKey" must be a string.',
  )
  expect((await cloud.listDevices(ann)).devices).toEqual([])
})

it('a download that the host makes for a request heeds its range', async () => {
  await using cloud = open()
  const id = await storeFile(cloud, ann, 'one two three')
  const request = { method: 'GET', header: (name: string) => (name === 'range' ? 'bytes=4-6' : undefined) }
  const reply = await cloud.downloadFile(ann, id, request)
  expect(reply.status).toBe(206)
  expect(await new Response(reply.body as ReadableStream).text()).toBe('two')
})

describe('a cloud that closes', () => {
  it('waits for the calls that are under way', async () => {
    const store = createMemoryStore()
    const going = Promise.withResolvers<void>()
    const insertDevice: typeof store.insertDevice = async (...given) => {
      await going.promise
      return store.insertDevice(...given)
    }
    const cloud = createDeviceCloud({
      store: { ...store, insertDevice },
      blobs: createMemoryBlobs(),
      sessions: createSingleUserSessions(),
    })
    const registering = cloud.registerDevice(ann, laptop)
    const closing = cloud.close()
    await setImmediate()
    await expect(cloud.listDevices(ann)).rejects.toMatchObject({ code: 'CLOSED' })
    going.resolve()
    expect(await registering).toMatchObject({ device: { name: 'laptop' } })
    await closing
  })

  it('waits for a file that is being read', async () => {
    const cloud = open()
    const reply = await cloud.downloadFile(ann, await storeFile(cloud, ann, 'one two three'))
    let isClosed = false
    const closing = cloud.close().then(() => (isClosed = true))
    await setImmediate()
    expect(isClosed).toBe(false)
    expect(await new Response(reply.body as ReadableStream).text()).toBe('one two three')
    await closing
  })
})

it('describes each call as the interface describes its route', async () => {
  const source = await readFile(new URL('device-cloud-calls.ts', import.meta.url), 'utf8')
  const described = [...source.matchAll(/\/\*\* (.+?) \*\/\n {2}(\w+)\(/g)].map(([, text, name]) => [
    name,
    text,
  ])
  const routes: Readonly<Record<string, { readonly summary: string }>> = deviceCloudOperations
  expect(described).toHaveLength(49)
  for (const [name, text] of described) expect(text).toBe(routes[name!]?.summary)
})

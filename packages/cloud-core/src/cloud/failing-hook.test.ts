import { createHash } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { createMemoryBlobs } from '../blobs/memory/index.ts'
import type { DeviceCloudOptions } from './cloud-options.ts'
import { createDeviceCloud } from './create-device-cloud.ts'
import { createMemoryStore } from '../memory/index.ts'
import { createSingleUserSessions } from '../sessions/single-user-sessions.ts'

const local = { userId: 'local' }
const base = 'http://127.0.0.1:3000'
const content = 'hello'

/** Hooks of hosts that fail. That of a promise nobody looks at would end the process: vitest fails the run for it. */
const hooks: Record<string, NonNullable<DeviceCloudOptions['onError']>> = {
  throws: () => {
    throw new Error('the logger is broken')
  },
  // oxlint-disable-next-line typescript/no-misused-promises -- what hosts do all the same
  rejects: () => Promise.reject(new Error('the logger is broken')),
}

async function open(onError: DeviceCloudOptions['onError'], options: Partial<DeviceCloudOptions> = {}) {
  const cloud = createDeviceCloud({
    store: createMemoryStore(),
    blobs: createMemoryBlobs(),
    chunks: createMemoryBlobs(),
    sessions: createSingleUserSessions(),
    ...options,
    ...(onError && { onError }),
  })
  const laptop = { name: 'laptop', type: 'laptop', platform: 'linux', metadata: {} }
  const { apiKey, device } = await cloud.registerDevice(local, laptop)
  const wish = { deviceIds: [device.id], filePath: '/notes.txt', destination: 'cloud' as const }
  const { uploadRequests } = await cloud.createUploads(local, wish)
  const send = async (method: string, path: string, body?: object, headers = {}) => {
    const answer = await cloud.fetch(
      new Request(base + path, {
        method,
        headers: { authorization: `Bearer ${apiKey}`, ...headers },
        ...(body && { body: body as BodyInit }),
      }),
      { remoteAddress: '127.0.0.1' },
    )
    return { status: answer.status, text: await answer.text() }
  }
  /** Downloads as the local user: a header with a key would be somebody in particular. */
  const download = async (fileUrl: string) => {
    const answer = await cloud.fetch(new Request(fileUrl), { remoteAddress: '127.0.0.1' })
    return { status: answer.status, text: await answer.text() }
  }
  return { cloud, send, download, id: uploadRequests[0]!.id }
}

type Open = Awaited<ReturnType<typeof open>>

function sendForm({ send, id }: Open) {
  const form = new FormData()
  form.set('requestId', id)
  form.set('file', new Blob([content]), 'notes.txt')
  return send('POST', '/api/devices/files/upload', form)
}

async function sendChunks({ send, id }: Open) {
  const digest = createHash('sha256').update(content).digest('base64')
  const path = `/api/devices/files/uploads/${id}`
  const plan = { fileName: 'notes.txt', size: content.length, chunkBytes: 65_536, digests: [digest] }
  const asJson = { 'content-type': 'application/json' }
  await send('PUT', path, new Blob([JSON.stringify(plan)]), asJson)
  const asChunk = { 'content-type': 'application/octet-stream', 'content-digest': `sha-256=:${digest}:` }
  await send('PUT', `${path}/chunks/0`, new Blob([content]), asChunk)
  return send('POST', `${path}/complete`)
}

/** What goes wrong once an upload is settled, and is no caller's fault. */
const troubles: Record<string, (state: { isSettled: boolean }) => Partial<DeviceCloudOptions>> = {
  'links cannot be made': () => ({
    blobs: { ...createMemoryBlobs(), linksOf: () => Promise.reject(new Error('the bucket is down')) },
  }),
  'chunks cannot be removed': (state) => {
    const chunks = createMemoryBlobs()
    const remove = (id: string) =>
      state.isSettled ? Promise.reject(new Error('the disk is gone')) : chunks.delete(id)
    return { chunks: { ...chunks, delete: remove } }
  },
  'a listener throws': () => ({}),
}

const ways = { 'one form': sendForm, chunks: sendChunks }
const cases = Object.entries(ways).flatMap(([way, send]) => {
  return Object.entries(troubles).map(([trouble, make]) => ({ way, send, trouble, make }))
})

describe.each(Object.entries(hooks))('an onError that %s', (_, onError) => {
  it.each(cases)(
    'takes no file with it that came as $way: $trouble',
    async ({ way, send, trouble, make }) => {
      const state = { isSettled: false }
      const opened = await open(onError, make(state))
      opened.cloud.events.on('upload:settled', () => {
        state.isSettled = true
        if (trouble === 'a listener throws') throw new Error(trouble)
      })
      const answer = await send(opened)
      expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('"success":true') })
      const { fileUrl } = JSON.parse(answer.text)
      // of a request that is over, only a form can be sent again whole
      if (way === 'one form') expect(await send(opened)).toEqual(answer)
      expect(await opened.download(fileUrl)).toEqual({ status: 200, text: content })
      state.isSettled = false
      await opened.cloud.close()
    },
  )

  it('does not stop heartbeats that are written later', async () => {
    const ticks: (() => void)[] = []
    const timers = { setTimeout: (tick: () => void) => ticks.push(tick), clearTimeout() {} }
    const store = createMemoryStore()
    let isDown = true
    let tries = 0
    const { cloud, send } = await open(onError, {
      timers,
      store: {
        ...store,
        writeHeartbeats(...beats) {
          tries += 1
          return isDown ? Promise.reject(new Error('the database is down')) : store.writeHeartbeats(...beats)
        },
      },
    })
    const beat = new Blob(['{"metadata":{}}'])
    await send('POST', '/api/devices/heartbeat', beat, { 'content-type': 'application/json' })
    const tickAndCount = () => {
      for (const tick of ticks.splice(0)) tick()
      return tries
    }
    await expect.poll(tickAndCount).toBeGreaterThan(1)
    isDown = false
    await cloud.close()
  })
})

it('an upload whose answer cannot be made after it was settled keeps its file', async () => {
  const blobs = createMemoryBlobs()
  const store = createMemoryStore()
  let deleted = 0
  const opened = await open(undefined, {
    store,
    blobs: {
      ...blobs,
      delete: (id) => {
        deleted += 1
        return blobs.delete(id)
      },
    },
  })
  // stands for whatever may fail there: the bus itself never does
  const broken = vi.spyOn(opened.cloud.events, 'listeners').mockImplementation(() => {
    throw new Error('broken')
  })
  expect((await sendForm(opened)).status).toBe(500)
  expect(deleted).toBe(0)
  broken.mockRestore()
  const again = await sendForm(opened)
  expect(again.status).toBe(200)
  const { fileUrl } = JSON.parse(again.text)
  expect(await opened.download(fileUrl)).toEqual({ status: 200, text: content })
  await opened.cloud.close()
})

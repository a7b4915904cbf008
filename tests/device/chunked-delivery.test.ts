import { createHash } from 'node:crypto'
import { createDeviceCloud, createSingleUserSessions } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { createDeviceAgent, type FileSource } from '@homeward/device-sdk'
import { describe, expect, it } from 'vitest'

const chunkBytes = 65_536
const bytes = Uint8Array.from({ length: 3 * chunkBytes + 7 }, (_, index) => (index * 13) % 251)
const digestOf = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')
const base = 'http://127.0.0.1:3000'
const user = { userId: 'local', origin: base }

type Interfere = (path: string, request: Request, send: () => Promise<Response>) => Promise<Response>

/** The real agent against the real handlers; `interfere` stands in the line between them. */
async function deliver(
  interfere: Interfere = (_path, _request, send) => send(),
  { content = bytes, files, ticks = 1 }: { content?: Uint8Array; files?: FileSource; ticks?: number } = {},
) {
  const cloud = createDeviceCloud({
    store: createMemoryStore(),
    blobs: createMemoryBlobs(),
    chunks: createMemoryBlobs(),
    chunkBytes,
    sessions: createSingleUserSessions(),
    checkReplies: true,
  })
  const registration = { name: 'd', type: 'server', platform: 'linux', metadata: {} }
  const { device, apiKey } = await cloud.registerDevice(user, registration)
  const asked = { deviceIds: [device.id], filePath: '/data.bin', destination: 'cloud' as const }
  await cloud.createUploads(user, asked)
  const calls: string[] = []
  const errors: string[] = []
  const fetch = async (input: string, init: RequestInit) => {
    const request = new Request(input, { ...init, ...(init.body ? { duplex: 'half' as const } : {}) })
    const path = new URL(input).pathname
    const name = path.replace(/^.*\/files\//, '').replace(/uploads\/[^/]+/, 'uploads')
    if (path.includes('/files/')) calls.push(`${request.method} ${name}`)
    return interfere(path, request, () => cloud.fetch(request, { remoteAddress: '127.0.0.1' }))
  }
  const source: FileSource = {
    open: async () => ({
      fileName: 'data.bin',
      size: content.length,
      content: new Blob([new Uint8Array(content)]),
      close: async () => {},
    }),
  }
  const agent = createDeviceAgent({
    baseUrl: base,
    apiKey,
    fetch,
    providers: {},
    files: files ?? source,
    random: () => 0,
  })
  agent.on('upload:error', ({ error }) => {
    errors.push(error.code)
    if (errors.length >= ticks) void agent.stop().catch(() => {})
  })
  await agent.runOnce().catch(() => {})
  const [row] = (await cloud.listUploads(user)).results
  const fileId = row?.fileUrl?.split('/').at(-2)
  const stored = fileId === undefined ? undefined : await cloud.downloadFile(user, fileId)
  const body = stored && new Uint8Array(await new Response(stored.body as ReadableStream).arrayBuffer())
  await cloud.close()
  return { calls: calls.slice(1), row, stored: body, errors }
}

const inChunks = ['PUT uploads', ...[0, 1, 2, 3].map((index) => `PUT uploads/chunks/${index}`)]

describe('C25: the agent sends a file in chunks where the cloud offers it', () => {
  it('C25: all of them, once', async () => {
    const { calls, row, stored } = await deliver()
    expect(calls).toEqual([...inChunks, 'POST uploads/complete'])
    expect(row).toMatchObject({ status: 'completed', size: bytes.length })
    expect(digestOf(stored!)).toBe(digestOf(bytes))
  })

  it('C25: a chunk whose answer is lost is sent again, alone', async () => {
    let lost = 0
    const { calls, stored } = await deliver(async (path, _, send) => {
      const response = await send()
      if (path.endsWith('/chunks/1') && ++lost < 3) throw new TypeError('connection reset')
      return response
    })
    expect(calls.filter((call) => call.endsWith('/1'))).toHaveLength(3)
    expect(calls).toHaveLength(8)
    expect(digestOf(stored!)).toBe(digestOf(bytes))
  })

  it('C25: an outcome whose answer is lost is asked for at the next attempt, and nothing is sent twice', async () => {
    let isLost = false
    const { row, errors } = await deliver(async (path, _, send) => {
      const response = await send()
      if (path.endsWith('/complete') && !isLost) {
        isLost = true
        throw new TypeError('connection reset')
      }
      return response
    })
    expect([row?.status, errors]).toEqual(['completed', ['UNREACHABLE']])
  })

  it('C25: one form where the file is small, or cannot be read in pieces', async () => {
    const small = await deliver(undefined, { content: bytes.slice(0, chunkBytes) })
    expect(small.calls).toEqual(['POST upload'])
    const stream: FileSource = {
      open: async () => ({
        fileName: 'data.bin',
        size: bytes.length,
        content: new Blob([bytes]).stream() as ReadableStream<Uint8Array>,
        close: async () => {},
      }),
    }
    const streamed = await deliver(undefined, { files: stream })
    expect(streamed.calls).toEqual(['POST upload'])
    expect(digestOf(streamed.stored!)).toBe(digestOf(bytes))
  })

  it.each(['0', '-1', 'x', '10', '999999999', '1e6', ''])(
    'C25: one form where the cloud offers chunks of %j bytes',
    async (told) => {
      const { calls, row } = await deliver(async (path, _, send) => {
        const response = await send()
        if (!path.endsWith('/pending')) return response
        return new Response(response.body, { headers: { 'upload-chunk-bytes': told } })
      })
      expect([calls, row?.status]).toEqual([['POST upload'], 'completed'])
    },
  )

  it.each([400, 404, 405, 409, 415, 501])(
    'C25: one form, and the file whole, where the calls about chunks are answered with %i',
    async (status) => {
      const refuse: Interfere = (path, _, send) =>
        /\/files\/uploads\//.test(path) ? Promise.resolve(new Response('', { status })) : send()
      const { calls, row, stored, errors } = await deliver(refuse)
      if (status === 501) return expect(errors).toEqual(['SERVER_FAILED'])
      expect(calls).toEqual(['PUT uploads', 'POST upload'])
      expect(row?.status).toBe('completed')
      expect(digestOf(stored!)).toBe(digestOf(bytes))
    },
  )

  it('C25: one form where something on the way changes chunks', async () => {
    const { calls, stored } = await deliver(async (path, request, send) => {
      if (!path.endsWith('/chunks/2')) return send()
      return Response.json(
        { error: 'Validation error', message: `Content-Digest: ${request.method}` },
        { status: 400 },
      )
    })
    expect(calls.at(-1)).toBe('POST upload')
    expect(digestOf(stored!)).toBe(digestOf(bytes))
  })

  it('C25: a file that changes while it is read is put off, and nothing of the mixture is stored', async () => {
    let reads = 0
    const changing: FileSource = {
      open: async () => ({
        fileName: 'data.bin',
        size: bytes.length,
        content: new Blob([bytes]),
        read: async (start, end) =>
          (reads += 1) > 5 ? new Uint8Array(end - start) : bytes.slice(start, end),
        close: async () => {},
      }),
    }
    const { errors, row } = await deliver(undefined, { files: changing })
    expect(errors).toEqual(['FILE_UNAVAILABLE'])
    expect(row?.status).not.toBe('completed')
  })

  it('C25: a file that the cloud does not want at all is refused in words', async () => {
    const { calls, row } = await deliver((path, request, send) =>
      request.method === 'PUT' && path.includes('/files/uploads/')
        ? Promise.resolve(Response.json({ error: 'Payload too large', message: 'x' }, { status: 413 }))
        : send(),
    )
    expect(calls).toEqual(['PUT uploads', 'POST upload'])
    expect(row).toMatchObject({ status: 'failed', error: 'the file is larger than the cloud accepts' })
  })
})

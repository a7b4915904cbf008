import { createHash, randomBytes } from 'node:crypto'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createHome, startServer } from '../server/server-process.ts'
import { createRawClient } from '../wire/raw-client.ts'
import { startAgentProcess } from './agent-process.ts'
import { createTestDevice, tempFolder, type TestDevice } from './test-device.ts'

const mebibyte = 1024 * 1024
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const isChunk = (path: string) => /^\/api\/devices\/files\/uploads\/[^/]+\/chunks\/\d+$/.test(path)

/** Counts chunks; `reached` resolves with the request of the chunk of that number. */
function countChunks(device: TestDevice) {
  const waiting = new Map<number, () => void>()
  let count = 0
  device.fault = (path) => {
    if (isChunk(path)) waiting.get((count += 1))?.()
    return undefined
  }
  return {
    count: () => count,
    reached: (number: number) => new Promise<void>((resolve) => waiting.set(number, resolve)),
  }
}

async function createChunkedDevice() {
  const device = await createTestDevice(undefined, { chunks: createMemoryBlobs(), chunkBytes: mebibyte })
  const bytes = randomBytes(24 * mebibyte + 5)
  const filePath = join(device.root, 'large.bin')
  await writeFile(filePath, bytes)
  return { device, bytes, filePath, chunks: countChunks(device) }
}

describe('uploads that resume', { timeout: 120_000 }, () => {
  it('C25: a device that is killed goes on where it was, and the file is whole', async () => {
    const { device, bytes, filePath, chunks } = await createChunkedDevice()
    const id = await device.requestFile(filePath)
    const eighth = chunks.reached(8)
    const first = device.start()
    await eighth
    await first.kill()
    // Killed between two chunks, it leaves a lease of 30 s.
    device.advance(31_000)
    device.start()
    await device.settlement(id)
    expect(await device.uploadOf(id)).toMatchObject({ status: 'completed', size: bytes.length })
    expect(hashOf(await device.fileOf(id))).toBe(hashOf(bytes))
    expect(chunks.count()).toBeGreaterThanOrEqual(25)
    expect(chunks.count()).toBeLessThanOrEqual(27)
    expect(device.settled.get(id)).toBe(1)
  })

  it('C25: a device whose connection breaks sends the broken chunk again, and nothing else', async () => {
    const { device, bytes, filePath, chunks } = await createChunkedDevice()
    const id = await device.requestFile(filePath)
    const cuts = [5, 12].map((number) => chunks.reached(number).then(() => device.cut()))
    const agent = device.start()
    await Promise.all(cuts)
    await device.settlement(id)
    expect(hashOf(await device.fileOf(id))).toBe(hashOf(bytes))
    expect(chunks.count()).toBeLessThanOrEqual(29)
    expect(agent.lines.filter((line) => line.startsWith(`upload ${id} failed`))).toEqual([])
  })

  it('C25: a server that is killed finds the chunks again', async () => {
    await using home = await createHome()
    const [root, stateFolder] = await Promise.all([tempFolder(), tempFolder()])
    const bytes = randomBytes(48 * mebibyte)
    await writeFile(join(root, 'large.bin'), bytes)
    const line = await startLine()
    const chunkFiles = async () =>
      (await readdir(join(home.path, 'chunks', 'files'), { recursive: true }).catch(() => [])).filter(
        (name) => name.includes('b_chunk_'),
      ).length

    const clientOf = (baseUrl: string) =>
      createRawClient({ baseUrl, fetch: (input, init) => fetch(input, init) })
    const before = await startServer(home.path)
    await using _ = before
    line.target = before.port
    const { id: deviceId, apiKey } = await clientOf(before.url).register()
    const [id] = await clientOf(before.url).askForFile([deviceId], join(root, 'large.bin'))
    startAgentProcess({ cloudUrl: line.url, apiKey, roots: [root], stateFolder, intervalMs: 500 })
    await vi.waitFor(async () => expect(await chunkFiles()).toBeGreaterThanOrEqual(4), {
      timeout: 60_000,
      interval: 5,
    })
    expect((await before.end('SIGKILL')).signal).toBe('SIGKILL')

    await using server = await startServer(home.path)
    line.target = server.port
    const client = clientOf(server.url)
    const row = async () => {
      const { json } = await client.get(`/api/devices/files/upload-requests?requestId=${id}`)
      return (json['results'] as { status: string; fileUrl?: string }[])[0]!
    }
    await vi.waitFor(async () => expect((await row()).status).toBe('completed'), {
      timeout: 90_000,
      interval: 100,
    })
    const stored = await fetch((await row()).fileUrl!)
    expect(hashOf(Buffer.from(await stored.arrayBuffer()))).toBe(hashOf(bytes))
    // 12 chunks; the one that was on its way when the server died may be there without an answer.
    expect(line.chunks).toBeGreaterThanOrEqual(11)
    expect(line.chunks).toBeLessThanOrEqual(12)
    await vi.waitFor(async () => expect(await chunkFiles()).toBe(0), 60_000)
    expect(server.output()).not.toMatch(/^cloud:/m)
  })
})

/** An address that stays while the server behind it changes; counts the chunks that a server acknowledged. */
async function startLine() {
  const line = { url: '', target: 0, chunks: 0 }
  const server = createServer((request, response) => {
    const { method, url: path = '', headers } = request
    const own = { ...headers, host: `127.0.0.1:${line.target}` }
    const options = { host: '127.0.0.1', port: line.target, method, path, headers: own }
    const onward = forward(options, (answer) => {
      if (isChunk(path) && answer.statusCode === 200) line.chunks += 1
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
      answer.on('error', () => response.destroy())
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  line.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return line
}

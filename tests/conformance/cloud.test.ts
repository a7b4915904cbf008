import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createUserClient } from '@homeward/device-sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startFaultyCloud } from '../device/faulty-cloud.ts'
import { runConformance } from './run-conformance.ts'

/** A server in front of a cloud that answers `broken` for one path. */
async function startBroken(target: string, path: string, broken: object): Promise<string> {
  const server = createServer((request, response) => {
    void forward()
    async function forward() {
      const pieces: Buffer[] = []
      for await (const piece of request) pieces.push(piece as Buffer)
      if (request.url === path && request.headers.authorization) return response.end(JSON.stringify(broken))
      const {
        host: _,
        connection: __,
        'content-length': ___,
        'transfer-encoding': ____,
        ...headers
      } = request.headers
      const answer = await fetch(target + (request.url ?? ''), {
        method: request.method ?? 'GET',
        headers: headers as Record<string, string>,
        ...(pieces.length > 0 && { body: new Uint8Array(Buffer.concat(pieces)) }),
      })
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      return response.end(Buffer.from(await answer.arrayBuffer()))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('homeward-conformance cloud', () => {
  it('passes our cloud at every level, and leaves nothing behind', async () => {
    const { url } = await startFaultyCloud(createMemoryBlobs(), {
      chunks: createMemoryBlobs(),
      chunkBytes: 65_536,
    })
    const { code, results } = await runConformance([
      'cloud',
      url,
      '--level',
      'chunked,selective,work,documents,catalog',
    ])
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([])
    expect(results.filter(({ outcome }) => outcome === 'skipped').map(({ id }) => id)).toEqual([
      'session-needed',
    ])
    expect(code).toBe(0)
    expect((await createUserClient({ baseUrl: url }).listDevices()).devices).toEqual([])
  })

  it('fails a server whose heartbeat gets another answer, and shows no key', async () => {
    const { url } = await startFaultyCloud()
    const broken = await startBroken(url, '/api/devices/heartbeat', { success: true })
    const { code, results } = await runConformance([
      'cloud',
      broken,
      '--only',
      'heartbeat',
      '--only',
      'list-devices',
    ])
    expect(results.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['list-devices', 'passed'],
      ['heartbeat', 'failed'],
    ])
    expect(code).toBe(1)
    expect(JSON.stringify(results)).not.toContain('hw_')
  })

  it('says that nobody answers', async () => {
    await expect(runConformance(['cloud', 'http://127.0.0.1:9'])).rejects.toThrow(
      'the server does not respond',
    )
  })
})

import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDeviceClient } from '@homeward/device-sdk'
import { createFileSource } from '@homeward/device-sdk/node'
import { afterEach, beforeEach, expect, it } from 'vitest'

const mebibyte = 1024 * 1024
const size = 512 * mebibyte
let folder: string
let server: Server | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'large-upload-'))
  await writeFile(join(folder, 'large.bin'), '')
  await truncate(join(folder, 'large.bin'), size)
})
afterEach(async () => {
  server?.closeAllConnections()
  server?.close()
  await rm(folder, { recursive: true })
})

async function upload(listener: RequestListener) {
  server = createServer(listener)
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { signal } = new AbortController()
  const file = await createFileSource({ roots: [folder] }).open(join(folder, 'large.bin'), {
    maxBytes: size,
    signal,
  })
  return createDeviceClient({ baseUrl, apiKey: 'hw_test' }).uploadFile({ requestId: 'u', file })
}

it('sends a file in constant memory, however large it is', async () => {
  const before = process.memoryUsage().arrayBuffers
  let received = 0
  let looked = 0
  let largest = 0
  const result = await upload((request, response) => {
    request.on('data', (chunk: Uint8Array) => {
      received += chunk.length
      if (received - looked < 8 * mebibyte) return
      looked = received
      largest = Math.max(largest, process.memoryUsage().arrayBuffers - before)
    })
    request.on('end', () => {
      response.setHeader('content-type', 'application/json')
      response.end('{"success":true,"fileName":"large.bin","fileUrl":"https://cloud.example/large.bin"}')
    })
  })
  expect(result).toMatchObject({ success: true })
  expect(received).toBeGreaterThan(size)
  expect(largest).toBeLessThan(192 * mebibyte)
})

it('sends a file nowhere else when the cloud redirects', async () => {
  let elsewhere = 0
  const other = createServer(() => (elsewhere += 1))
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`
  const failure = upload((request, response) => {
    request.resume()
    response.writeHead(307, { location }).end()
  })
  await expect(failure).rejects.toMatchObject({ code: 'REDIRECTED', retryable: true })
  expect(elsewhere).toBe(0)
  other.close()
})

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ClientError } from '@homeward/contract/client'
import { expect, it } from 'vitest'
import { createDeviceClient, DeviceCloudError } from '../index.ts'
import { toDeviceCloudError } from './to-device-cloud-error.ts'

it('gives the error of the content itself, though fetch hides it behind one of its own', async () => {
  const server = createServer((request, response) => request.resume().on('end', () => response.end('{}')))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const changed = new DeviceCloudError('FILE_UNAVAILABLE', 'it became longer')
  let pulls = 0
  const content = new ReadableStream<Uint8Array>({
    pull(controller) {
      if ((pulls += 1) > 1) throw changed
      controller.enqueue(new Uint8Array(1000))
    },
  })
  const { port } = server.address() as AddressInfo
  const client = createDeviceClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'hw_x' })
  const file = { fileName: 'a.log', size: 2000, content }
  await expect(client.uploadFile({ requestId: 'u', file })).rejects.toBe(changed)
  server.closeAllConnections()
  server.close()
})

it('does not follow causes for ever', () => {
  const circle = new Error('down')
  circle.cause = circle
  const error = new ClientError('UNREACHABLE', 'uploadFile failed', { cause: circle })
  expect(toDeviceCloudError(error)).toMatchObject({ code: 'UNREACHABLE', cause: circle })
})

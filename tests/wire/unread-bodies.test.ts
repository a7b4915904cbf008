import { Agent, request, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { H3, serve } from 'h3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openCloud } from './cloud-faces.ts'

// Many clients send all of a body before they look at the answer. A server that answers early and takes no more of it
// leaves them waiting for ever, and each other request on their connection as well.

const options = { maxUploadBytes: 1_000_000 }
const ann = { userId: 'local' }
const large = Buffer.alloc(8_000_000, 'x')
const field = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const file = (content: Buffer | string) => [
  '--b\r\nContent-Disposition: form-data; name="file"; filename="notes.txt"\r\n\r\n',
  content,
  '\r\n',
]

const hosts = {
  'node:http, by the Node face': async () => {
    const faced = await openCloud({ store: 'memory', transport: 'node:http' }, options)
    return { faced, url: faced.baseUrl, close: async () => {} }
  },
  'h3, by the fetch face': async () => {
    const faced = await openCloud({ store: 'memory', transport: 'fetch' }, options)
    const answer = (request: Request) => faced.cloud.fetch(request, { remoteAddress: '127.0.0.1' })
    const app = new H3().all('/api/**', (event) => answer(event.req))
    const server = serve(app, { port: 0, hostname: '127.0.0.1', silent: true })
    await server.ready()
    return { faced, url: server.url!.replace(/\/$/, ''), close: () => server.close(true) }
  },
}

describe.each(Object.entries(hosts))('D6: inside %s, an upload that is answered early', (_, open) => {
  let host: Awaited<ReturnType<typeof open>>
  let authorization = ''
  let requestId = ''
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })

  beforeAll(async () => {
    host = await open()
    const { cloud } = host.faced
    const laptop = { name: 'laptop', type: 'laptop', platform: 'linux', metadata: {} }
    const { device, apiKey } = await cloud.registerDevice(ann, laptop)
    authorization = `Bearer ${apiKey}`
    const asked = { deviceIds: [device.id], filePath: '/notes.txt', destination: 'cloud' as const }
    requestId = (await cloud.createUploads(ann, asked)).uploadRequests[0]!.id
  })
  afterAll(async () => {
    agent.destroy()
    await host.close()
    await host.faced[Symbol.asyncDispose]()
  })

  /** Sends a form to its end, then reads the answer; gives the connection's own port along. */
  async function send(parts: readonly (string | Buffer)[]): Promise<{ status: number; port: number }> {
    const body = Buffer.concat([...parts, '--b--\r\n'].map((part) => Buffer.from(part)))
    const type = 'multipart/form-data; boundary=b'
    // Without its length, or what is too large would be refused before any of it is read.
    const headers = { authorization, 'content-type': type, 'transfer-encoding': 'chunked' }
    const url = `${host.url}/api/devices/files/upload`
    const sending = request(url, { method: 'POST', agent, headers })
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>
    sending.end(body)
    await once(sending, 'finish')
    const [answer] = await answered
    const port = sending.socket?.localPort ?? 0
    await once(answer.resume(), 'end')
    return { status: answer.statusCode ?? 0, port }
  }

  const cases: [name: string, status: number, parts: () => (string | Buffer)[]][] = [
    ['for a request that does not exist', 404, () => [field('requestId', 'nothing'), ...file(large)]],
    ['with a field that stands twice', 400, () => [field('x', '1'), field('x', '2'), ...file(large)]],
    ['with a file over the limit', 413, () => [field('requestId', requestId), ...file(large)]],
    ['of a file', 200, () => [field('requestId', requestId), ...file('hello')]],
    ['of a file that is there already', 200, () => [field('requestId', requestId), ...file(large)]],
  ]
  it.each(cases)('%s can be sent to its end, and its connection used again', async (__, status, parts) => {
    const answer = await send(parts())
    expect(answer.status).toBe(status)
    const next = await send([field('requestId', 'nothing'), field('error', 'gone')])
    expect(next).toEqual({ status: 404, port: answer.port })
    expect(host.faced.errors).toEqual([])
  })
})

import type { DeviceCloudOptions } from '@homeward/cloud-core'
import { createWebhookSender, type ResolveWebhookHost } from '@homeward/cloud-core/webhooks'
import { describe, expect, it } from 'vitest'
import { signatureOf, startReceiver, type Receiver } from '../webhooks/receiver.ts'
import { createTestCloud, storeKinds, type StoreKind, type TestCloud } from './test-cloud.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Looks at the store all the time; what is due is decided by the clock of the test. */
const timers = {
  setTimeout: (run: () => void, ms: number) => setTimeout(run, Math.min(ms, 5)),
  clearTimeout: (timer: unknown) => clearTimeout(timer as number),
}

let nowMs = 0
const advance = (ms: number) => (nowMs += ms)

interface Hook {
  readonly id: string
  readonly enabled: boolean
  readonly disabledReason?: string
  readonly failingSince?: string
}
interface Delivery {
  readonly id: string
  readonly type: string
  readonly status: string
  readonly attempts: number
  readonly nextAttemptAt?: string
  readonly responseCode?: number
  readonly error?: string
}

async function start(kind: StoreKind, options: Partial<DeviceCloudOptions> = {}) {
  await using stack = new AsyncDisposableStack()
  const receiver = stack.use(await startReceiver())
  const webhooks = createWebhookSender({ hosts: () => '127.0.0.1' })
  nowMs = Date.parse('2026-01-01T00:00:00.000Z')
  const now = () => nowMs
  const test = stack.use(await createTestCloud(kind, { webhooks, timers, now, ...options }))
  const owned = stack.move()
  return { receiver, test, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

async function create({ send }: TestCloud, url: string, events: readonly string[], more: object = {}) {
  const { status, body } = await send('POST', '/api/webhooks', { body: { url, events, ...more } })
  expect(status).toBe(201)
  return body as unknown as { webhook: Hook; secret: string }
}

const hookOf = async ({ send }: TestCloud, id: string) =>
  (await send('GET', `/api/webhooks/${id}`)).body['webhook'] as Hook
const deliveriesOf = async ({ send }: TestCloud, id: string) =>
  (await send('GET', `/api/webhooks/${id}/deliveries`)).body['deliveries'] as readonly Delivery[]

/** Waits until the newest delivery was attempted so many times, and that was recorded. */
function attempted(test: TestCloud, id: string, attempts: number, status: string) {
  const ended = { attempts, status, lastAttemptAt: new Date(nowMs).toISOString() }
  return expect.poll(async () => (await deliveriesOf(test, id))[0]).toMatchObject(ended)
}

const answering =
  (...statuses: number[]): Receiver['respond'] =>
  (response) =>
    response.writeHead(statuses.length > 1 ? statuses.shift()! : statuses[0]!, { location: '/other' }).end()

for (const kind of storeKinds) {
  describe(`webhooks over ${kind}`, () => {
    it('C33: runs four tests of one webhook at a time, and rejects a fifth', async () => {
      await using started = await start(kind)
      const { receiver, test } = started
      const { webhook } = await create(test, receiver.url, ['device.online'])
      const held: Parameters<Receiver['respond']>[0][] = []
      receiver.respond = (response) => void held.push(response)
      const path = `/api/webhooks/${webhook.id}/test`
      const tests = Array.from({ length: 4 }, () => test.send('POST', path))
      await expect.poll(() => held.length).toBe(4)
      expect(await test.send('POST', path)).toMatchObject({ status: 409, body: { error: 'Conflict' } })
      receiver.respond = answering(204)
      for (const response of held) response.writeHead(204).end()
      for (const { status } of await Promise.all(tests)) expect(status).toBe(200)
      expect((await test.send('POST', path)).status).toBe(200)
    })

    it('C33: sends an event until it is taken, each time with the same id', async () => {
      await using started = await start(kind)
      const { receiver, test } = started
      const { webhook } = await create(test, receiver.url, ['device.registered'])
      receiver.respond = answering(500, 500, 500, 200)
      const { id: deviceId } = await test.register()
      for (const attempts of [1, 2, 3]) {
        await attempted(test, webhook.id, attempts, 'pending')
        advance(10 * 1000)
      }
      await attempted(test, webhook.id, 4, 'delivered')
      expect(new Set(receiver.requests.map(({ id }) => id)).size).toBe(1)
      const { body, headers } = receiver.requests[0]!
      const timestamp = '2026-01-01T00:00:00.000Z'
      expect(body).toEqual({ type: 'device.registered', timestamp, data: { deviceId } })
      expect(headers['content-type']).toBe('application/json')
      expect((await hookOf(test, webhook.id)).failingSince).toBeUndefined()
      await test.send('POST', `/api/webhooks/${webhook.id}/test`)
      expect(receiver.requests.at(-1)?.body.type).toBe('webhook.test')
    })

    it('C33: sends events of one device in order, and does not let others wait for them', async () => {
      await using started = await start(kind)
      const { receiver, test } = started
      const { webhook } = await create(test, receiver.url, ['device.registered', 'device.deleted'])
      receiver.respond = (response, { body }) =>
        response.writeHead(body.data['deviceId'] === first.id ? 503 : 200).end()
      const first = { id: '' }
      Object.assign(first, await test.register())
      await test.send('DELETE', `/api/devices/${first.id}`)
      const second = await test.register()
      const sent = () =>
        receiver.requests.map(({ body }) => `${body.type} ${body.data['deviceId'] === second.id}`)
      await expect.poll(sent).toContain('device.registered true')
      expect(sent()).not.toContain('device.deleted false')
      receiver.respond = answering(200)
      advance(10 * 1000)
      await expect.poll(sent).toContain('device.deleted false')
      const states = (await deliveriesOf(test, webhook.id)).map(({ status }) => status)
      expect(new Set(states)).toEqual(new Set(['delivered']))
    })

    it('C33: follows no redirect, and disables a webhook at 410 until it is enabled again', async () => {
      await using started = await start(kind)
      const { receiver, test } = started
      const { webhook } = await create(test, receiver.url, ['device.registered'])
      receiver.respond = answering(307, 410)
      await test.register()
      await attempted(test, webhook.id, 1, 'pending')
      expect((await deliveriesOf(test, webhook.id))[0]?.error).toMatch(/redirected with 307/)
      advance(10 * 1000)
      await attempted(test, webhook.id, 2, 'failed')
      expect(receiver.requests.map(({ path }) => path)).toEqual(['/hook', '/hook'])
      const disabled = { enabled: false, disabledReason: 'The receiver responded with 410 Gone' }
      expect(await hookOf(test, webhook.id)).toMatchObject(disabled)
      await test.register()
      receiver.respond = answering(200)
      const path = `/api/webhooks/${webhook.id}`
      const { body } = await test.send('PUT', path, { body: { enabled: true } })
      expect(body['webhook']).toMatchObject({ enabled: true })
      expect(body['webhook']).not.toHaveProperty('disabledReason')
      const { id: deviceId } = await test.register()
      await attempted(test, webhook.id, 1, 'delivered')
      expect(receiver.requests.slice(2).map(({ body: { data } }) => data)).toEqual([{ deviceId }])
    })

    it('C33: gives a delivery up after 24 hours, and disables the webhook after 5 days', async () => {
      await using started = await start(kind)
      const { receiver, test } = started
      const { webhook } = await create(test, receiver.url, ['device.registered'])
      receiver.respond = answering(500)
      await test.register()
      await attempted(test, webhook.id, 1, 'pending')
      advance(dayMs)
      await attempted(test, webhook.id, 2, 'failed')
      const failingSince = '2026-01-01T00:00:00.000Z'
      expect(await hookOf(test, webhook.id)).toMatchObject({ enabled: true, failingSince })
      advance(4 * dayMs - 2 * hourMs)
      await test.register()
      await attempted(test, webhook.id, 1, 'pending')
      expect((await hookOf(test, webhook.id)).enabled).toBe(true)
      advance(2 * hourMs)
      await attempted(test, webhook.id, 2, 'failed')
      const disabledReason = `Every attempt failed since ${failingSince}`
      expect(await hookOf(test, webhook.id)).toMatchObject({ enabled: false, disabledReason })
    })
  })
}

it('C33: rejects private addresses when a webhook is made, changed, and again when it is used', async () => {
  let address = '93.184.215.14'
  const resolveHost: ResolveWebhookHost = (_host, _options, callback) =>
    callback(null, [{ address, family: address.includes(':') ? 6 : 4 }])
  await using started = await start('sqlite', { webhooks: createWebhookSender({ resolveHost }) })
  const { receiver, test } = started
  const { port } = new URL(receiver.url)
  const post = (url: string) =>
    test.send('POST', '/api/webhooks', { body: { url, events: ['device.online'] } })
  const refused = ['127.0.0.1', '169.254.169.254', '[::1]', '[fd00:ec2::254]', '0x7f.1', '2130706433']
  for (const host of [...refused, '10.0.0.1', '[::ffff:10.0.0.1]', '0.0.0.0']) {
    const { status, text } = await post(`http://${host}:${port}/`)
    expect([host, status]).toEqual([host, 400])
    expect(text).toMatch(/private address|serves credentials/)
  }
  for (const url of ['file:///etc/passwd', 'http://user:word@hook.example/', 'gopher://hook.example/'])
    expect((await post(url)).status).toBe(400)
  const { webhook } = await create(test, `http://hook.example:${port}/`, ['device.registered'])
  const path = `/api/webhooks/${webhook.id}`
  expect((await test.send('PUT', path, { body: { url: receiver.url } })).status).toBe(400)
  for (const rebound of ['127.0.0.1', '::1', '169.254.169.254']) {
    address = rebound
    const { body } = await test.send('POST', `${path}/test`)
    const { status, error } = body['delivery'] as Delivery
    expect([status, error]).toEqual(['failed', expect.stringMatching(/private address|credentials/)])
  }
  expect(receiver.requests).toEqual([])
})

it('C33: signs as the published library does, shows the secret once, and writes who changed a webhook and its host, never its address', async () => {
  await using started = await start('sqlite')
  const { receiver, test } = started
  const given = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const url = `${receiver.url}/path-of-secrets`
  const { webhook, secret } = await create(test, url, ['search.settled'], { secret: given })
  expect(secret).toBe(given)
  const path = `/api/webhooks/${webhook.id}`
  const tested = await test.send('POST', `${path}/test`)
  expect(tested.body['delivery']).toMatchObject({ status: 'delivered', attempts: 1, responseCode: 204 })
  const [request] = receiver.requests
  expect(request!.headers['webhook-signature']).toBe(signatureOf(given, request!))
  const seen = await Promise.all(
    [path, '/api/webhooks', `${path}/deliveries`, '/api/export'].map((each) => test.send('GET', each)),
  )
  for (const { text } of seen) expect(text).not.toContain(given.slice(6))
  await test.send('DELETE', path)
  const { text } = await test.send('GET', '/api/audit')
  for (const act of ['created', 'tested', 'deleted']) expect(text).toContain(`webhook:${act}`)
  expect(text).toContain('127.0.0.1')
  expect(text).not.toContain('path-of-secrets')
  expect(await test.send('GET', `${path}/deliveries`)).toMatchObject({ status: 404 })
})

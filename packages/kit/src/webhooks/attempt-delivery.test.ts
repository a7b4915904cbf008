import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createWebhookSender } from '../node/index.ts'
import { attemptDelivery } from './attempt-delivery.ts'
import type { StoredDelivery } from './webhook-store.ts'

const startMs = Date.parse('2026-01-01T00:00:00.000Z')
const hourMs = 3_600_000
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

let respond: (response: ServerResponse) => void
let arrived: PromiseWithResolvers<void>
let left: PromiseWithResolvers<void>
const server = createServer((incoming, response) => {
  response.once('close', () => left.resolve())
  incoming.resume().once('end', () => {
    arrived.resolve()
    respond(response)
  })
})
let url: string

beforeEach(async () => {
  ;[arrived, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterEach(async () => {
  vi.useRealTimers()
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
})

const deliveryOf = (changes: Partial<StoredDelivery>): StoredDelivery => ({
  id: 'evt_1',
  webhookId: 'w1',
  type: 'x.happened',
  subject: 's',
  data: {},
  at: new Date(startMs).toISOString(),
  status: 'pending',
  attempts: 1,
  nextAt: null,
  lastAttemptAt: null,
  responseCode: null,
  error: null,
  ...changes,
})

function attempt(changes: Partial<StoredDelivery> = {}, nowMs = startMs) {
  const webhook = { id: 'w1', owner: 'ann', url, secret }
  return attemptDelivery(
    { delivery: deliveryOf(changes), webhook },
    {
      sender: createWebhookSender({ hosts: () => '127.0.0.1' }),
      now: () => nowMs,
      random: () => 0.5,
      reveal: async (stored) => stored,
      signal: new AbortController().signal,
    },
  )
}

const secondsUntil = (nextAt: string | null, fromMs = startMs) => (Date.parse(nextAt ?? '') - fromMs) / 1000

it('retries after 2 seconds, then twice as long each time, at most an hour, and for 24 hours', async () => {
  respond = (response) => response.writeHead(500).end()
  const waits: number[] = []
  for (const attempts of [1, 2, 3, 4, 20]) {
    const { status, responseCode, nextAt } = await attempt({ attempts })
    expect({ status, responseCode }).toEqual({ status: 'pending', responseCode: 500 })
    waits.push(secondsUntil(nextAt))
  }
  expect(waits).toEqual([2, 4, 8, 16, 3600])
  const last = await attempt({ attempts: 30 }, startMs + 23 * hourMs + 1)
  const error = 'The receiver responded with 500'
  expect(last).toMatchObject({ status: 'failed', nextAt: null, error, disable: null })
})

it('waits as long as Retry-After asks, but no longer than an hour', async () => {
  for (const [asked, waited] of [
    ['60', 60],
    ['999999', 3600],
  ] as const) {
    respond = (response) => response.writeHead(429, { 'retry-after': asked }).end()
    const seconds = secondsUntil((await attempt()).nextAt)
    expect(seconds).toBeGreaterThanOrEqual(waited)
    expect(seconds).toBeLessThanOrEqual(waited * 1.25)
  }
})

it('asks to disable a webhook that is gone, and does not try it again', async () => {
  respond = (response) => response.writeHead(410).end()
  const disable = 'The receiver responded with 410 Gone'
  expect(await attempt()).toMatchObject({ status: 'failed', nextAt: null, responseCode: 410, disable })
})

it('gives up a receiver that does not respond within 15 seconds, and one whose response does not end at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  respond = () => {}
  const hanging = attempt()
  await arrived.promise
  vi.advanceTimersByTime(15_000)
  const error = 'No response within 15 s'
  expect(await hanging).toMatchObject({ status: 'pending', responseCode: null, error })
  await left.promise
  left = Promise.withResolvers()
  respond = (response) => response.writeHead(200).write('endless')
  expect(await attempt()).toMatchObject({ status: 'delivered', responseCode: 200 })
  await left.promise
})

it('names no secret in an error, whatever breaks', async () => {
  respond = (response) => response.destroy()
  const broken = await attempt()
  expect(broken).toMatchObject({ status: 'pending', responseCode: null })
  expect(JSON.stringify(broken)).not.toContain(secret.slice(6))
  const sealed = await attemptDelivery(
    { delivery: deliveryOf({}), webhook: { id: 'w1', owner: 'ann', url, secret: 'sealed' } },
    {
      sender: createWebhookSender(),
      now: () => startMs,
      random: () => 0.5,
      reveal: async () => undefined,
      signal: new AbortController().signal,
    },
  )
  expect(sealed.error).toBe('The secret cannot be read: it was sealed with another key')
})

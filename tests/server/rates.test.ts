import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { textOf, type RawAnswer, type RawClient, type RawDevice } from '../wire/raw-client.ts'
import { runServer, type RunningServer } from './running-server.ts'

let running: RunningServer
let client: RawClient
let device: RawDevice
let neighbour: RawDevice
beforeAll(async () => {
  running = await runServer()
  client = running.client
})
beforeEach(async () => {
  device = await client.register()
  neighbour = await client.register()
})
afterAll(() => running[Symbol.asyncDispose]())

const calls: Record<string, (as: RawDevice) => Promise<RawAnswer>> = {
  heartbeat: (as) => client.post('/api/devices/heartbeat', { metadata: {} }, as.headers),
  'search poll': (as) => client.get('/api/devices/search/pending', as.headers),
  'upload poll': (as) => client.get('/api/devices/files/upload-requests/pending', as.headers),
  report: (as) => client.post('/api/devices/search', { queryId: 'x', results: {} }, as.headers),
  upload: (as) => client.upload(as, 'x', 'content'),
}

/** Sends many at once, faster than any bucket refills by more than a few. */
async function burst(call: (as: RawDevice) => Promise<RawAnswer>, count: number): Promise<RawAnswer[]> {
  return Promise.all(Array.from({ length: count }, () => call(device)))
}

const limited = (answers: readonly RawAnswer[]) => answers.filter((answer) => answer.status === 429)

describe('rates of the running server', () => {
  it.each([
    ['heartbeat', 10],
    ['search poll', 10],
    ['upload poll', 10],
    ['report', 20],
    ['upload', 10],
  ])('C12: answers 429 to a %s past its burst of %i, with how long to wait', async (name, allowed) => {
    const answers = await burst(calls[name]!, 60)
    const passed = answers.length - limited(answers).length
    expect(passed).toBeGreaterThanOrEqual(allowed)
    expect(passed).toBeLessThan(60)
    for (const answer of limited(answers)) {
      expect(answer.json).toEqual({ error: 'Rate limit exceeded', message: expect.any(String) })
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    }
  })

  it.each(Object.keys(calls))('C12: the %s of another device is not held back', async (name) => {
    expect(limited(await burst(calls[name]!, 60))).not.toEqual([])
    expect((await calls[name]!(neighbour)).status).not.toBe(429)
  })

  it('C12: one operation over its rate holds back no other of the same device', async () => {
    expect(limited(await burst(calls['heartbeat']!, 30))).not.toEqual([])
    for (const name of ['search poll', 'upload poll', 'report', 'upload']) {
      expect((await calls[name]!(device)).status, name).not.toBe(429)
    }
  })

  it('C12: what is refused for its rate changes nothing', async () => {
    for (;;) {
      const [queryId = ''] = await client.search([device.id])
      const report = () => client.post('/api/devices/search', { queryId, results: {} }, device.headers)
      // among many others: behind them a slow machine would have given it time to be allowed again
      const [, answer] = await Promise.all([burst(calls['report']!, 60), report()])
      if (answer.status !== 429) continue
      const { json } = await client.get(`/api/devices/search/query?queryId=${queryId}`)
      expect(json['results']).toMatchObject([{ status: 'pending' }])
      return
    }
  })

  it('C12: past the limit of failed keys the devices of the same address still work, new ones too', async () => {
    await calls['heartbeat']!(device)
    const guesses = await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        client.get('/api/devices/search/pending', {
          Authorization: `Bearer hw_${String(index).padStart(43, 'g')}`,
        }),
      ),
    )
    const refused = limited(guesses)
    expect(refused.length).toBeGreaterThan(200)
    expect(new Set(guesses.map((answer) => answer.status))).toEqual(new Set([401, 429]))
    for (const answer of refused) {
      expect(answer.json).toEqual({ error: 'Rate limit exceeded', message: expect.any(String) })
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    }
    expect((await calls['search poll']!(device)).status).toBe(200)
    expect((await calls['search poll']!(neighbour)).status).toBe(200)
    const later = await client.register()
    expect((await calls['search poll']!(later)).status).toBe(200)
    const rotated = await client.post(`/api/devices/${later.id}/rotate-key`, {})
    const headers = { Authorization: `Bearer ${textOf(rotated.json, 'apiKey')}` }
    expect((await client.get('/api/devices/search/pending', headers)).status).toBe(200)
  })
})

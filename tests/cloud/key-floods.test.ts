import { createMemoryStore } from '@homeward/cloud-core/memory'
import type { CloudStore } from '@homeward/cloud-core'
import { describe, expect, it } from 'vitest'
import { createTestCloud, type TestCloud } from './test-cloud.ts'

const beat = { metadata: { os: 'Linux', version: '6.1', hardware: 'x86' } }
let guesses = 0

const authorize = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` })
const guess = () => authorize(`hw_${String((guesses += 1)).padStart(43, 'x')}`)

async function send(test: TestCloud, headers: Record<string, string>): Promise<number> {
  return (await test.send('POST', '/api/devices/heartbeat', { body: beat, headers })).status
}

/** Sends guesses, one each 10 ms of the cloud's clock. */
async function flood(test: TestCloud, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await send(test, guess())
    test.advance(10)
  }
}

/** The same storage under a cloud that remembers nothing: what a restart leaves. */
async function restarted(store: CloudStore): Promise<{ test: TestCloud; lookUps: () => number }> {
  let lookUps = 0
  const counting: CloudStore = {
    ...store,
    findDeviceByKeyHash: (...input) => {
      lookUps += 1
      return store.findDeviceByKeyHash(...input)
    },
    close: async () => {},
  }
  return { test: await createTestCloud('memory', { store: counting }), lookUps: () => lookUps }
}

async function registered(): Promise<{ store: CloudStore; apiKeys: string[] }> {
  const store = createMemoryStore()
  await using test = await createTestCloud('memory', { store: { ...store, close: async () => {} } })
  const apiKeys: string[] = []
  for (const name of ['a', 'b', 'c']) apiKeys.push((await test.register(name)).apiKey)
  return { store, apiKeys }
}

describe('C12: a flood of bad keys from the address of good devices', () => {
  it('C12: lets a device in at its second try after a restart, while the flood goes on', async () => {
    const { store, apiKeys } = await registered()
    const { test, lookUps } = await restarted(store)
    await using _ = test
    await flood(test, 300)
    for (const apiKey of apiKeys) expect(await send(test, authorize(apiKey))).toBe(429)
    await flood(test, 500)
    const before = lookUps()
    for (const apiKey of apiKeys) expect(await send(test, authorize(apiKey))).toBe(200)
    expect(lookUps() - before).toBe(3)
    await flood(test, 100)
    for (const apiKey of apiKeys) expect(await send(test, authorize(apiKey))).toBe(200)
  })

  it('C12: touches the storage no more than a few times a second, guesses that come back included', async () => {
    const { store } = await registered()
    const { test, lookUps } = await restarted(store)
    await using _ = test
    const bad = Array.from({ length: 400 }, guess)
    for (let round = 0; round < 10; round += 1) {
      for (const headers of bad) await send(test, headers)
      test.advance(5000)
    }
    // 60 at once and one a second; of those that come back 20 at once and five a second.
    expect(lookUps()).toBeLessThanOrEqual(60 + 50 + 20 + 5 * 50)
  })

  it('C12: gives a fleet with dead keys no second chances that its neighbours need', async () => {
    const { store, apiKeys } = await registered()
    const { test, lookUps } = await restarted(store)
    await using _ = test
    const dead = Array.from({ length: 150 }, guess)
    for (let round = 0; round < 12; round += 1) {
      for (const headers of dead) await send(test, headers)
      test.advance(15_000)
    }
    // Each was looked up; from then on their beats cost next to nothing.
    const before = lookUps()
    for (const headers of dead) expect(await send(test, headers)).not.toBe(200)
    expect(lookUps() - before).toBeLessThanOrEqual(15)
    await send(test, authorize(apiKeys[0]!))
    test.advance(5000)
    expect(await send(test, authorize(apiKeys[0]!))).toBe(200)
  })

  it('C12: refuses what cannot be a key, and says how long to wait', async () => {
    const { store } = await registered()
    const { test, lookUps } = await restarted(store)
    await using _ = test
    for (let index = 0; index < 60; index += 1) await send(test, { authorization: `Basic ${index}` })
    const answer = await test.send('POST', '/api/devices/heartbeat', { body: beat, headers: guess() })
    expect(answer.status).toBe(429)
    expect(answer.body).toEqual({ error: 'Rate limit exceeded', message: expect.any(String) })
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect(lookUps()).toBe(0)
  })
})

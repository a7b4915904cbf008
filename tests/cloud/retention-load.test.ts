import { expect, it } from 'vitest'
import { createTestCloud } from './test-cloud.ts'

const day = 24 * 60 * 60 * 1000
const count = 100_000
const atOnce = 1000
const createdAt = '2026-01-01T00:00:00.000Z'

it('C31: removes 100,000 old results while devices go on reporting, none of them much later than before', async () => {
  await using test = await createTestCloud('sqlite', { retention: { resultsDays: 90, searchesDays: 90 } })
  const { id: deviceId, headers } = await test.register()
  const outcome = { status: 'completed', results: { notes: ['x'.repeat(200)] }, error: null } as const
  for (let start = 0; start < count; start += atOnce) {
    const ids = Array.from({ length: atOnce }, (_, index) => `s${start + index}`)
    const searches = ids.map((id) => ({
      id,
      deviceId,
      query: 'old',
      scope: ['notes'],
      createdAt,
      expiresAt: '2026-01-02T00:00:00.000Z',
      groupId: null,
    }))
    await test.store.insertSearches('local', searches, undefined)
    await Promise.all(ids.map((id) => test.store.settleSearch({ id, deviceId, outcome, now: createdAt })))
  }
  const beat = { metadata: { os: 'Linux', version: '1', hardware: 'x' } }
  const poll = async () => {
    test.advance(1000) // within the rates of a device
    const startedAt = performance.now()
    const { status } = await test.send('POST', '/api/devices/heartbeat', { body: beat, headers })
    expect(status).toBe(200)
    return performance.now() - startedAt
  }
  const p99 = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]!

  const before: number[] = []
  for (let index = 0; index < 500; index += 1) before.push(await poll())
  test.advance(91 * day)
  let isOver = false
  const retention = test.cloud.applyRetention().finally(() => (isOver = true))
  const during: number[] = []
  while (!isOver) {
    during.push(await poll())
    await new Promise((resolve) => void setTimeout(resolve, 1))
  }
  await retention
  expect(during.length).toBeGreaterThan(500)
  expect(p99(during)).toBeLessThan(p99(before) + 50)
  expect((await test.send('GET', '/api/devices/search/query')).body.results).toEqual([])
  expect(test.errors).toEqual([])
}, 120_000)

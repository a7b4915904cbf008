import { createHash, randomBytes } from 'node:crypto'
import { createPostgresStore } from '@homeward/cloud-core/postgres'
import { expect, it, vi } from 'vitest'
import type { TestDatabase } from '../postgres/test-database.ts'
import { useTestDatabase } from '../postgres/use-test-database.ts'
import { createTestCloud, type Answer, type TestCloud } from './test-cloud.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let database: TestDatabase
useTestDatabase((made) => (database = made))

/** Two clouds on one database, each with a store of its own, as two processes have them. */
async function createTwo() {
  await using stack = new AsyncDisposableStack()
  const open = async () => {
    const store = await createPostgresStore({
      connectionString: database.connectionString,
      schema: 'enrollment',
    })
    return stack.use(await createTestCloud('memory', { store }))
  }
  const [here, there] = [await open(), await open()]
  const owned = stack.move()
  return { here, there, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

const enrollmentOf = ({ body }: Answer) =>
  body['enrollment'] as { id: string; userCode: string; status: string }

async function enroll({ send }: TestCloud, apiKey: string, more: object = {}) {
  const keyHash = createHash('sha256').update(apiKey).digest('hex')
  const body = { keyHash, keyHint: apiKey.slice(-4), name: 'pi', type: 'iot', platform: 'linux', ...more }
  return send('POST', '/api/devices/enrollments', { body })
}

const newKey = () => `hw_${randomBytes(32).toString('base64url')}`

it('C28: a device that waits at one process hears at once that another one approved it, and works at both', async () => {
  await using clouds = await createTwo()
  const { here, there } = clouds
  const apiKey = newKey()
  const headers = { authorization: `Bearer ${apiKey}` }
  const { id, userCode } = enrollmentOf(await enroll(here, apiKey))
  expect(enrollmentOf(await enroll(there, apiKey))).toMatchObject({ id, userCode })
  const beat = () => here.send('POST', '/api/devices/heartbeat', { headers, body: { metadata: {} } })
  expect((await beat()).status).toBe(401) // remembered there as unknown
  const startedMs = performance.now()
  const waiting = here.send('GET', `/api/devices/enrollments/${id}`, {
    headers: { ...headers, prefer: 'wait=50' },
  })
  const found = await there.send('GET', `/api/devices/enrollments?code=${userCode}`)
  expect(enrollmentOf(found).id).toBe(id)
  await there.send('POST', `/api/devices/enrollments/${id}/approve`)
  const answer = await waiting
  expect(enrollmentOf(answer).status).toBe('approved')
  expect(answer.headers.get('preference-applied')).toBe('wait=50')
  expect(performance.now() - startedMs).toBeLessThan(20_000)
  expect((await beat()).status).toBe(200)
})

it('C28: a token admits as many devices as it may, however many come to two processes at once', async () => {
  await using clouds = await createTwo()
  const { here, there } = clouds
  const created = await here.send('POST', '/api/devices/enrollment-tokens', {
    body: { label: 'shop floor', maxDevices: 3, approval: 'auto' },
  })
  const token = created.body['secret']
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => enroll(index % 2 === 0 ? here : there, newKey(), { token })),
  )
  const countOf = (status: number) => answers.filter((answer) => answer.status === status).length
  expect([countOf(201), countOf(403)]).toEqual([3, 47])
})

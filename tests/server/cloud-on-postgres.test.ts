import { expect, it, vi } from 'vitest'
import { createTestDatabase } from '../postgres/test-database.ts'
import { createHome, startServer } from './server-process.ts'

// Real servers and a real database on a machine that may be busy.
vi.setConfig({ testTimeout: 180_000 })

const json = { 'content-type': 'application/json' }

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) })
}

it('DATABASE_URL: two servers share a device cloud, and lose nothing that they answered when one is killed', async () => {
  await using stack = new AsyncDisposableStack()
  const database = await createTestDatabase()
  stack.defer(() => database.drop())
  const environment = { DATABASE_URL: database.connectionString }
  const homes = [stack.use(await createHome()), stack.use(await createHome())] as const
  const one = stack.use(await startServer(homes[0].path, environment))
  const other = stack.use(await startServer(homes[1].path, environment))

  const registration = { name: 'laptop', type: 'laptop', platform: 'linux', metadata: {} }
  const registered = await post(`${one.url}/api/devices`, registration)
  const { device, apiKey } = (await registered.json()) as { device: { id: string }; apiKey: string }
  const authorization = `Bearer ${apiKey}`
  const create = async () => {
    const body = { query: 'q', scope: ['files'], deviceIds: [device.id] }
    const answer = await post(`${one.url}/api/devices/search/query`, body)
    return ((await answer.json()) as { searchQueries: { id: string }[] }).searchQueries[0]!.id
  }
  const report = async (server: string, queryId: string) => {
    const body = { queryId, query: 'q', scope: ['files'], results: { files: [] }, error: null }
    const answer = await post(`${server}/api/devices/search`, body, { authorization })
    return answer.status
  }

  // C22: a poll that the other one holds is answered with what this one adds.
  const held = fetch(`${other.url}/api/devices/search/pending`, {
    headers: { authorization, prefer: 'wait=60' },
  })
  const first = await create()
  const { requests } = (await (await held).json()) as { requests: { id: string }[] }
  expect(requests.map(({ id }) => id)).toEqual([first])

  // Reports go to the server that is about to be killed; what it answered counts.
  const ids = [first]
  for (let index = 0; index < 15; index += 1) ids.push(await create())
  const answered = new Set<string>()
  const reports = ids.map(async (id, index) => {
    const status = await report(one.url, id).catch(() => 0)
    if (status === 200) answered.add(id)
    if (index === 7) await one.end('SIGKILL')
  })
  await Promise.all(reports)
  const list = async (status: string) => {
    const answer = await fetch(`${other.url}/api/devices/search/query?status=${status}`)
    return ((await answer.json()) as { results: { id: string }[] }).results.map(({ id }) => id)
  }
  const completed = await list('completed')
  expect([...answered].filter((id) => !completed.includes(id))).toEqual([])
  for (const id of ids) expect(await report(other.url, id)).toBe(200)
  expect((await list('completed')).toSorted()).toEqual(ids.toSorted())
  expect(await list('pending')).toEqual([])

  // C24: who did it is in the shared audit, and no output has the password.
  const audit = await fetch(`${other.url}/api/audit?action=device:registered`)
  expect(((await audit.json()) as { entries: { deviceId: string }[] }).entries[0]?.deviceId).toBe(device.id)
  expect(one.output() + other.output()).not.toContain('test-password')
})

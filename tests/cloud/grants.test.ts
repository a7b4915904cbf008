import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Grant } from '@homeward/contract'
import { grants } from '@homeward/contract'
import { deviceCloudOperations } from '@homeward/contract/device-cloud'
import { toOpenApi } from '@homeward/contract/openapi'
import { createDeviceCloud, type Session } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { createSqliteStore } from '@homeward/cloud-core/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTestCloud } from './test-cloud.ts'

interface Documented {
  readonly id: string
  readonly method: string
  readonly path: string
  /** `any`: at least one. */
  readonly needs: Grant | 'any'
}

/** The operations for sessions, as a reader of the OpenAPI document sees them. */
function documentedOperations(): readonly Documented[] {
  const { paths = {} } = toOpenApi({ operations: deviceCloudOperations, title: 'Device cloud', version: '1' })
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Record<string, unknown>>).flatMap(([method, operation]) =>
      operation['x-needs'] === undefined
        ? []
        : [
            {
              id: String(operation['operationId']),
              method: method.toUpperCase(),
              path: path.replaceAll(/\{\w+\}/g, 'nothing'),
              needs: operation['x-needs'] as Documented['needs'], // the document holds the words of the table
            },
          ],
    ),
  )
}

const operations = documentedOperations()

/** Hash of every row of every table. */
function fingerprint(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true })
  const tables = database.prepare("select name from sqlite_schema where type = 'table' order by name").all()
  const rows = tables.map(({ name }) => [name, database.prepare(`select * from "${String(name)}"`).all()])
  database.close()
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex')
}

async function createGrantCloud() {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-grants-'))
  const path = join(folder, 'cloud.db')
  let session: Session = { userId: 'ann' }
  const cloud = createDeviceCloud({
    store: createSqliteStore({ path }),
    blobs: createMemoryBlobs(),
    sessions: { resolve: () => session },
  })
  onTestFinished(async () => {
    await cloud.close()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    path,
    cloud,
    become: (next: Session) => (session = next),
    call: async ({ method, path: to }: Pick<Documented, 'method' | 'path'>) => {
      const hasBody = method !== 'GET' && method !== 'DELETE'
      const request = new Request(`https://cloud.example${to}`, {
        method,
        ...(hasBody && { body: '{}', headers: { 'content-type': 'application/json' } }),
      })
      const response = await cloud.fetch(request, { remoteAddress: '192.0.2.1' })
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
      if (isStream) await response.body?.cancel() // it does not end
      return { status: response.status, body: isStream ? '' : await response.text() }
    },
  }
}

describe('grants of a session', () => {
  it('C30: every operation for sessions names in the OpenAPI document which grant it needs', () => {
    const table = Object.entries(deviceCloudOperations).filter(([, { auth }]) => auth === 'session')
    expect(operations.map(({ id }) => id).toSorted()).toEqual(table.map(([id]) => id).toSorted())
    expect(new Set(operations.map(({ needs }) => needs))).toEqual(new Set([...grants, 'any']))
  })

  it('C30: exactly the operations that need a grant accept it, and the others change nothing', async () => {
    const test = await createGrantCloud()
    const registration = { name: 'laptop', type: 'laptop', platform: 'linux', metadata: {} }
    await test.cloud.registerDevice({ userId: 'ann' }, registration)
    const before = fingerprint(test.path)
    for (const grant of grants) {
      test.become({ userId: 'ann', may: [grant] })
      for (const operation of operations.filter(({ needs }) => needs !== grant && needs !== 'any')) {
        const { status, body } = await test.call(operation)
        expect([operation.id, grant, status, JSON.parse(body)]).toEqual([
          operation.id,
          grant,
          403,
          { error: 'Forbidden', message: expect.stringContaining(`"${operation.needs}"`) },
        ])
      }
    }
    expect(fingerprint(test.path)).toBe(before)
    for (const grant of grants) {
      test.become({ userId: `user with ${grant}`, may: [grant] })
      for (const operation of operations.filter(({ needs }) => needs === grant)) {
        const { status } = await test.call(operation)
        expect([operation.id, status === 403 || status === 401 || (status >= 500 && status !== 501)]).toEqual(
          [operation.id, false],
        )
      }
    }
  })

  it('C30: a session with an empty list of grants may do nothing, one without a list everything', async () => {
    const test = await createGrantCloud()
    test.become({ userId: 'ann', may: [] })
    const refused = await Promise.all(operations.map(test.call))
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([403]))
    test.become({ userId: 'ann' })
    const allowed = await Promise.all(operations.map(test.call))
    expect(allowed.filter(({ status }) => status === 403)).toEqual([])
  })
})

const strange: readonly (readonly [string, unknown, string])[] = [
  ['an empty actor', { userId: 'ann', actor: '' }, '"actor" must be a string of 1 to 512 characters.'],
  [
    'a long actor',
    { userId: 'ann', actor: 'x'.repeat(513) },
    '"actor" must be a string of 1 to 512 characters.',
  ],
  ['an unknown grant', { userId: 'ann', may: ['write'] }, '"may" must be a list of read, search, fetch'],
  ['grants as a text', { userId: 'ann', may: 'read' }, '"may" must be a list of read, search, fetch'],
]

it.each(strange)('C30: %s is an error of the host, and lets nobody in', async (_name, session, message) => {
  const errors: unknown[] = []
  await using cloud = createDeviceCloud({
    store: createMemoryStore(),
    blobs: createMemoryBlobs(),
    sessions: { resolve: () => session as Session }, // what a host without types returns
    onError: (error) => errors.push(error),
  })
  const { status } = await cloud.fetch(new Request('https://cloud.example/api/devices'))
  expect(status).toBe(500)
  expect(String(errors[0])).toContain(`Authenticating the caller by sessions.resolve() failed: ${message}`)
})

describe('actors of a session', () => {
  const sessions = {
    resolve: (request: { header(name: string): string | undefined }): Session => {
      const actor = request.header('x-actor')
      return { userId: 'company', ...(actor !== undefined && { actor }) }
    },
  }
  const registration = { name: 'laptop', type: 'laptop', platform: 'linux', metadata: {} }

  it('C30: two actors share the devices of their user, and the audit tells them apart', async () => {
    await using test = await createTestCloud('sqlite', { sessions })
    const ann = { 'x-actor': 'ann' }
    const bob = { 'x-actor': 'bob' }
    await test.send('POST', '/api/devices', { body: registration, headers: ann })
    const { body } = await test.send('GET', '/api/devices', { headers: bob })
    test.advance(1)
    await test.send('DELETE', `/api/devices/${body.devices![0]!.id}`, { headers: bob })
    const audit = await test.send('GET', '/api/audit', { headers: ann })
    expect(audit.body['entries']).toMatchObject([
      { action: 'device:deleted', userId: 'company', actor: 'bob' },
      { action: 'device:registered', userId: 'company', actor: 'ann' },
    ])
    const ofBob = await test.send('GET', '/api/audit?actor=bob')
    expect(ofBob.body['entries']).toMatchObject([{ action: 'device:deleted' }])
  })

  it('C30: without an actor an entry of the audit has no such field', async () => {
    await using test = await createTestCloud('sqlite', { sessions })
    const events: unknown[] = []
    test.cloud.events.on('audit:recorded', (entry) => events.push(entry))
    await test.send('POST', '/api/devices', { body: registration })
    const { body } = await test.send('GET', '/api/audit')
    const [entry] = body['entries'] as readonly object[]
    expect(entry).not.toHaveProperty('actor')
    expect(events).toEqual([entry])
  })
})

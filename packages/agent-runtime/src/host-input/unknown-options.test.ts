import { afterAll, describe, expect, it } from 'vitest'
import { createRuntime } from '../index.ts'
import { createPostgresStore } from '../store/postgres/index.ts'
import { createGraphileQueue } from '../queue/graphile/index.ts'
import { createAgentPlatformHandler, createEventSockets } from '../server/index.ts'
import { createSqliteStore } from '../store/sqlite/index.ts'

const runtime = createRuntime()
afterAll(() => runtime.close())
const served = { runtime, auth: { kind: 'none' } } as const

describe('an option whose name is not known', () => {
  it.each<[attempt: string, create: (strange: object) => unknown, known: RegExp]>([
    ['Creating the runtime', (strange) => createRuntime(strange), /^home, store, .*, random$/],
    [
      'Creating the handler',
      (strange) => createAgentPlatformHandler({ ...served, ...strange }),
      /^runtime, auth, /,
    ],
    [
      'Creating the event sockets',
      (strange) => createEventSockets({ ...served, ...strange }),
      /^runtime, auth, /,
    ],
    ['Opening the database', (strange) => createSqliteStore({ path: ':memory:', ...strange }), /^path, /],
    ['Opening Postgres', (strange) => createPostgresStore(strange), /^connectionString, /],
    [
      'Creating the task queue',
      (strange) => createGraphileQueue({ connectionString: 'postgres://db', ...strange }),
      /^connectionString, /,
    ],
  ])('is refused: %s', async (attempt, create, known) => {
    const creating = (async () => create({ hoem: '/srv/agents' }))()
    const refused: unknown = await creating.catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'validation_error' })
    const [, names] = String(refused).split(`${attempt} failed: "hoem" is unknown. Use `)
    expect(names?.slice(0, -1)).toMatch(known)
    expect(String(refused)).not.toContain('/srv')
  })

  it('is refused when it is one that every object has', () => {
    expect(() => createRuntime(JSON.parse('{"constructor": 1}') as object)).toThrow(
      '"constructor" is unknown',
    )
  })
})

import { expect, it } from 'vitest'
import { createRuntime } from '../index.ts'
import { createPostgresStore } from '../store/postgres/index.ts'
import { createGraphileQueue } from '../queue/graphile/index.ts'
import { createAgentPlatformHandler, createEventSockets } from '../server/index.ts'
import { createSqliteStore } from '../store/sqlite/index.ts'

const missing = Number(undefined)
const refusal = (name: string) =>
  expect.objectContaining({
    code: 'validation_error',
    message: expect.stringMatching(new RegExp(`failed: "?${name}"? must be`)),
  })

it.each([undefined, null, {}])('names what is missing when it is given %j', (given) => {
  const none = given as never
  expect(() => createSqliteStore(none)).toThrow(refusal('path'))
  expect(() => createGraphileQueue(none)).toThrow(refusal('connectionString'))
  expect(() => createAgentPlatformHandler(none)).toThrow(refusal('runtime'))
  expect(() => createEventSockets(none)).toThrow(refusal('runtime'))
})

it('names the option of a store, a handler and the event sockets', async () => {
  await using runtime = createRuntime()
  const served = { runtime, auth: { kind: 'none' } } as const
  const maxVectors = missing
  expect(() => createSqliteStore({ path: ':memory:', maxVectors })).toThrow(refusal('maxVectors'))
  await expect(createPostgresStore({ maxVectors })).rejects.toThrow(refusal('maxVectors'))
  await expect(createPostgresStore({ connectTimeoutMs: -1 })).rejects.toThrow(refusal('connectTimeoutMs'))
  expect(() => createAgentPlatformHandler({ ...served, maxJsonBytes: missing })).toThrow(
    refusal('maxJsonBytes'),
  )
  expect(() => createEventSockets({ ...served, maxMessages: 0 })).toThrow(refusal('maxMessages'))
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { codeIn, openChannelRuntime } from '../../channels/testing/channel-runtime.ts'
import type { RuntimeOptions } from '../../runtime/runtime-options.ts'
import { createScriptedModel } from '../../testing/scripted-model.ts'
import { createPostgresStore } from './index.ts'
import { createTestDatabase, type TestDatabase } from './testing/test-database.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const open = async (options: RuntimeOptions) =>
  openChannelRuntime(
    {},
    {
      store: await createPostgresStore({ connectionString: database.connectionString }),
      leaseMs: 8000,
      ...options,
    },
  )

it('A1: two processes give a stranger one code, and either of them stops what the other one works on', async () => {
  const model = createScriptedModel([{ text: 'Well', hang: true }, { text: 'second' }])
  const worker = await open({ models: { mine: () => model } })
  const other = await open({ models: { mine: () => model }, workers: { concurrency: 0 } })
  await worker.runtime.agents.update('parrot', { model: 'mine/x' })
  await Promise.all([worker.runtime.start(), other.runtime.start()])
  const arrived = () => [...worker.texts(), ...other.texts()]

  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      (index % 2 === 0 ? worker : other).write({ text: `hello ${index}`, sender: 'ann' }),
    ),
  )
  expect(replies.filter((reply) => reply === 'ok')).toHaveLength(1)
  await other.until(() => expect(arrived()).toHaveLength(1))
  await other.runtime.channels.pair('test', codeIn(arrived()[0]))

  await other.write({ text: 'work for ever', sender: 'ann' })
  const running = async () => (await other.runtime.runs.list({ status: 'running' })).runs
  await other.until(async () => expect(await running()).toHaveLength(1))
  await other.write({ text: 'next', sender: 'ann' })
  await other.write({ text: '/stop', sender: 'ann' })
  await other.until(() => expect(arrived()).toContain('*second*'))
  expect(arrived().filter((text) => text.includes('Stopping the current task'))).toHaveLength(1)
  expect(arrived().filter((text) => text.includes('The task was stopped'))).toHaveLength(1)
})

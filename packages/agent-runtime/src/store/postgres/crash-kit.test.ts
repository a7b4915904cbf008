import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createRuntime } from '../../runtime/create-runtime.ts'
import { crashConformance } from '../../testing/crash-kit.ts'
import { crashScenarios } from '../../testing/crash-scenarios.ts'
import { createPostgresStore } from './index.ts'
import type { TestDatabase } from './testing/test-database.ts'
import { createTestDatabase } from './testing/test-database.ts'
import { emptySchema } from './testing/test-schemas.ts'

vi.setConfig({ testTimeout: 1_800_000 })

const schema = 'crashes'
let database: TestDatabase
let home: string

beforeAll(async () => {
  database = await createTestDatabase()
  home = await mkdtemp(join(tmpdir(), 'homeward-crashes-'))
})
afterAll(async () => {
  await database.drop()
  await rm(home, { recursive: true, force: true })
})

const harness = {
  async create() {
    const { connectionString } = database
    await emptySchema(database, schema)
    let current = await createPostgresStore({ connectionString, schema })
    const reopen = async () => {
      await current.close()
      return (current = await createPostgresStore({ connectionString, schema }))
    }
    return { store: current, reopen, dispose: () => current.close() }
  },
}

// More of the same points are tried in memory: here the store is what may go wrong.
const every = Number(process.env['CRASH_POINTS_EVERY'] ?? 90)

it.each(crashScenarios.map((scenario) => ({ name: scenario.name, scenario })))(
  'A8: loses nothing and does nothing twice, wherever it is killed: $name',
  async ({ scenario }) => {
    const create = (options: Parameters<typeof createRuntime>[0]) => createRuntime({ ...options, home })
    const { crashes, problems } = await crashConformance(scenario, { createRuntime: create, harness, every })
    expect(problems).toEqual([])
    expect(crashes).toBeGreaterThan(0)
  },
)

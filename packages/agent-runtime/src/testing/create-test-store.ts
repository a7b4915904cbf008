import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { createSqliteStore } from '../store/sqlite/create-sqlite-store.ts'

/**
 * Creates a store for a test: SQLite in memory, deleted when it is closed.
 *
 * @example
 * const runtime = createRuntime({ store: createTestStore() })
 */
export function createTestStore(): RuntimeStore {
  return createSqliteStore({ path: ':memory:' })
}

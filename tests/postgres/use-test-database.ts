import { afterAll, afterEach, beforeAll } from 'vitest'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

/** What has to end after a test, the newest first. */
interface TestEnds {
  push(end: () => Promise<unknown>): void
}

/**
 * A database for the tests of one file: made before the first, emptied after each if asked to, dropped after the last.
 *
 * @param made gets the database
 * @param empty empties it @default it stays as it is
 */
export function useTestDatabase(
  made: (database: TestDatabase) => void,
  empty?: () => Promise<void>,
): TestEnds {
  let ends: (() => Promise<unknown>)[] = []
  let database: TestDatabase | undefined
  beforeAll(async () => made((database = await createTestDatabase())))
  afterEach(async () => {
    for (const end of ends.toReversed()) await end()
    ends = []
    await empty?.()
  })
  afterAll(() => database?.drop())
  return { push: (end) => void ends.push(end) }
}

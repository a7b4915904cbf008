import { DatabaseSync } from 'node:sqlite'

/** How long a snapshot waits for a writer. */
const busyTimeoutMs = 30_000

/**
 * Writes everything that is committed to a new file, while others read and write the database.
 *
 * @returns the version of its schema; 0 where there is none.
 * @throws {Error} when the database cannot be read.
 */
export function snapshotSqlite(path: string, target: string): number {
  const database = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs })
  try {
    database.prepare('vacuum into ?').run(target)
  } finally {
    database.close()
  }
  return readSqliteVersion(target)
}

/** The version of the schema of a SQLite file; 0 where there is none. */
export function readSqliteVersion(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs })
  try {
    const table = "select 1 from sqlite_master where type = 'table' and name = 'migrations'"
    if (database.prepare(table).get() === undefined) return 0
    const version = database.prepare('select max(version) as version from migrations').get()?.['version']
    return typeof version === 'number' ? version : 0
  } finally {
    database.close()
  }
}

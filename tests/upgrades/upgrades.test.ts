import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../postgres/test-database.ts'
import { startServer } from '../server/server-process.ts'
import { readAnswers } from './data-home.ts'

// Written by scripts/record-upgrade.ts. A landing that is recorded is never changed.
const folder = join(import.meta.dirname, 'landings')
const files = ['cloud.db', 'agents.db']

async function makeHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'homeward-upgrades-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  return home
}

const unpack = async (path: string) => gunzipSync(await readFile(path))
/** Recorded answers. Searches and requests of files that were open then expire, a day after they were made. */
const readJson = async (path: string): Promise<Record<string, unknown>> =>
  JSON.parse(
    await readFile(path, 'utf8'),
    function orExpired(this: { readonly createdAt: string }, key, value: unknown) {
      if (key !== 'completedAt' || value !== null) return value
      const expiry = new Date(Date.parse(this.createdAt) + 24 * 3_600_000).toISOString()
      return expect.toBeOneOf([null, expiry]) as unknown
    },
  )

function versionOf(path: string): number {
  using database = new DatabaseSync(path, { readOnly: true })
  return Number(database.prepare('select max(version) as version from migrations').get()?.['version'])
}

describe.each(await readdir(folder))('a landing of %s', (name) => {
  const landing = join(folder, name)

  it('is opened on SQLite, and answers as it did; files that were upgraded have a copy', async () => {
    const home = await makeHome()
    for (const file of files) await writeFile(join(home, file), await unpack(join(landing, `${file}.gz`)))
    const before = files.map((file) => versionOf(join(home, file)))
    await using server = await startServer(home)
    expect(await readAnswers(server)).toMatchObject(await readJson(join(landing, 'sqlite.json')))
    const copies = files.flatMap((file, index) =>
      versionOf(join(home, file)) === before[index] ? [] : [`${file}.before-${before[index]}`],
    )
    const found = (await readdir(home)).filter((each) => each.includes('.before-'))
    expect(found.toSorted()).toEqual(copies.toSorted())
  })

  it('is opened on Postgres, and answers as it did', async () => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    await database.query((await unpack(join(landing, 'postgres.sql.gz'))).toString())
    await using server = await startServer(await makeHome(), { DATABASE_URL: database.connectionString })
    expect(await readAnswers(server)).toMatchObject(await readJson(join(landing, 'postgres.json')))
  })
})

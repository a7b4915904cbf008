import { existsSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sqliteFiles } from './create-backup.ts'
import { readSchemaVersions } from './schema-versions.ts'
import { readSqliteVersion, snapshotSqlite } from './sqlite-snapshot.ts'

/** Copies of databases, made before a start upgrades them. */
interface UpgradeCopies {
  /** Paths of the copies that this start made. */
  readonly made: readonly string[]
  /** Removes the copies of earlier starts. Call it when this start has succeeded. */
  removeEarlier(): Promise<void>
}

/**
 * Copies each SQLite file that this release will upgrade to `<name>.before-<old version>`, with all committed rows.
 *
 * @param known the newest schema versions that this release supports, by file @default those of the stores
 * @throws {Error} if a newer release has written one of the files. Nothing is copied then.
 */
export async function copyBeforeUpgrade(
  home: string,
  known?: Readonly<Record<string, number>>,
): Promise<UpgradeCopies> {
  const newest = known ?? (await readSchemaVersions()).sqlite
  const found = sqliteFiles
    .map((file) => ({ file, path: join(home, file) }))
    .filter(({ path }) => existsSync(path))
    .map((each) => ({ ...each, version: readSqliteVersion(each.path), supported: newest[each.file] ?? 0 }))
  for (const { path, version, supported } of found) {
    if (version > supported)
      throw new Error(
        `Starting the server failed: ${path} has schema version ${version}, but this release supports at most ${supported}. ` +
          'Start the release that wrote it, or a newer release.',
      )
  }
  const earlier = await listCopies(home)
  const made: string[] = []
  for (const { path, version, supported } of found) {
    if (version === 0 || version === supported) continue
    const copy = `${path}.before-${version}`
    const partial = `${copy}.part`
    await rm(partial, { force: true })
    snapshotSqlite(path, partial)
    await rename(partial, copy) // replaces the copy of a start that failed
    made.push(copy)
  }
  return {
    made,
    async removeEarlier() {
      for (const path of earlier.filter((each) => !made.includes(each))) await rm(path, { force: true })
    },
  }
}

/** Whether a name in the data home is that of a copy. */
const isUpgradeCopy = (name: string): boolean =>
  sqliteFiles.some((file) => name.startsWith(`${file}.before-`))

async function listCopies(home: string): Promise<string[]> {
  const names = await readdir(home).catch((): string[] => [])
  return names.filter(isUpgradeCopy).map((name) => join(home, name))
}

import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

const ofBackup = '.homeward-backup-'
const ofRestore = '.restoring-'

/** A new folder for a backup in progress. Its name says which process it belongs to. */
export const backupScratch = (folder: string) => join(folder, `${ofBackup}${process.pid}-${randomUUID()}`)

/** A new folder for a restore in progress. */
export const restoreScratch = (home: string) => join(home, `${ofRestore}${process.pid}-${randomUUID()}`)

/** Deletes what backups and restores left behind whose process was killed. */
export async function removeLeftOvers(folder: string): Promise<void> {
  const names = await readdir(folder).catch((): string[] => [])
  for (const name of names) {
    const owner = new RegExp(`^(?:${ofBackup}|${ofRestore})(\\d+)-`.replaceAll('.', '\\.')).exec(name)?.[1]
    if (owner !== undefined && !isAlive(Number(owner)))
      await rm(join(folder, name), { recursive: true, force: true })
  }
}

/** @throws {Error} for a data home that a restore has not finished: a server would start there with empty databases. */
export function assertRestored(home: string): void {
  const unfinished = namesIn(home).find((name) => name.startsWith(ofRestore))
  if (unfinished === undefined) return
  throw new Error(
    `Starting the server failed: a restore into ${home} was not finished (${unfinished}). ` +
      'Restore the backup again, or delete that folder to start with an empty data home.',
  )
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // the data home is made later
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

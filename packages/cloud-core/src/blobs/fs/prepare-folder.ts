import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const leftoverAgeMs = 60 * 60 * 1000

/** Makes the folder and removes half-written files that nobody has written to for an hour. */
export async function prepareFolder(folder: string, nowMs: number): Promise<void> {
  const staging = join(folder, 'staging')
  await mkdir(join(folder, 'files'), { recursive: true, mode: 0o700 })
  await mkdir(staging, { recursive: true, mode: 0o700 })
  for (const name of await readdir(staging)) {
    const path = join(staging, name)
    // Another process may finish or remove it meanwhile.
    const writtenAt = await stat(path).then(
      (found) => found.mtimeMs,
      () => undefined,
    )
    if (writtenAt !== undefined && nowMs - writtenAt > leftoverAgeMs) await rm(path, { force: true })
  }
}

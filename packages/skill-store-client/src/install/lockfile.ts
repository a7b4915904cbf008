import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import * as z from 'zod/mini'
import { SkillStoreError } from '../skill-store-error.ts'

const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/))

/** What was installed, and from where. */
export const LockedSkill = z.object({
  version: z.optional(z.string()),
  /** Where the content came from; absent for an upload. */
  url: z.optional(z.string()),
  /** ISO 8601 text in UTC. */
  installed_at: z.string(),
  /** SHA-256 over all files. */
  hash,
  /** SHA-256 of each file, by its path. */
  files: z.record(z.string(), hash),
})
export type LockedSkill = z.infer<typeof LockedSkill>

const Lockfile = z.object({ version: z.literal(1), skills: z.record(z.string(), LockedSkill) })

/** Installed skills by their folder's name. */
export type LockedSkills = Readonly<Record<string, LockedSkill>>

const pathOf = (folder: string) => join(folder, 'skills.lock.json')

/**
 * Reads the lockfile of a folder of skills; a missing one is empty.
 *
 * @throws {SkillStoreError} `INSTALL_FAILED` when it is damaged.
 */
export async function readLockfile(folder: string): Promise<LockedSkills> {
  const text = await readFile(pathOf(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return {}
  try {
    return z.parse(Lockfile, JSON.parse(text)).skills
  } catch {
    throw new SkillStoreError(
      'INSTALL_FAILED',
      `Reading ${pathOf(folder)} failed: it is damaged. Restore it, or delete it and install the skills again.`,
    )
  }
}

/** Writes the lockfile: the whole of it, or nothing. */
export async function writeLockfile(folder: string, skills: LockedSkills): Promise<void> {
  await writeFileAtomic(pathOf(folder), `${JSON.stringify({ version: 1, skills }, null, 2)}\n`)
}

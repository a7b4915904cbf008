import { replaceFile } from '@homeward/kit/node'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { SkillStoreError } from '../skill-store-error.ts'
import { hashSkill } from './hash-files.ts'
import { readSkillFiles } from './read-skill-files.ts'

const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/))

/** What begins like this is not whole yet; the repair of the folder removes it. */
export const incomingPrefix = '.incoming~'

/** An installed skill, with its source. */
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

/**
 * What a change that is under way makes of one skill: its new entry, or none. A folder and the lockfile cannot change at
 * once, so this is written before the folder changes; whether it has come true is seen by the folder.
 */
const LockChange = z.object({ name: z.string(), entry: z.optional(LockedSkill) })
type LockChange = z.infer<typeof LockChange>

const Lockfile = z.object({
  version: z.literal(1),
  skills: z.record(z.string(), LockedSkill),
  changing: z.optional(LockChange),
})

/** Installed skills by folder name. */
export type LockedSkills = Readonly<Record<string, LockedSkill>>

const pathOf = (folder: string) => join(folder, 'skills.lock.json')

/**
 * Reads the lockfile of a folder of skills; a missing one is empty. How its last change ended, a kill included, is told
 * by the skill's folder.
 *
 * @throws {SkillStoreError} `INSTALL_FAILED` when it is damaged.
 */
export async function readLockfile(folder: string): Promise<LockedSkills> {
  const { skills, changing } = await readWritten(folder)
  return changing && (await hasCome(folder, changing)) ? withChange(skills, changing) : skills
}

/**
 * Changes one skill's folder and its entry, both or neither. After a kill between the two the entry is read as the
 * folder has become.
 *
 * @param changeFolder Takes its change back when what it is given fails.
 */
export async function changeLocked<T>(
  folder: string,
  change: LockChange,
  changeFolder: (record: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const before = await readLockfile(folder)
  await writeLockfile(folder, { skills: before, changing: change })
  return await changeFolder(() => writeLockfile(folder, { skills: withChange(before, change) }))
}

/** Writes down how the last change ended, for when the skill's folder changes otherwise. */
export async function repairLockfile(folder: string): Promise<void> {
  if ((await readWritten(folder)).changing)
    await writeLockfile(folder, { skills: await readLockfile(folder) })
}

type Written = Readonly<z.infer<typeof Lockfile>>

async function readWritten(folder: string): Promise<Written> {
  const text = await readFile(pathOf(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return { version: 1, skills: {} }
  try {
    return z.parse(Lockfile, JSON.parse(text))
  } catch {
    throw new SkillStoreError(
      'INSTALL_FAILED',
      `Reading ${pathOf(folder)} failed: the file is damaged. Restore it, or delete it and install the skills again.`,
    )
  }
}

/** Writes the lockfile: the whole of it, or nothing. */
async function writeLockfile(folder: string, content: Omit<Written, 'version'>): Promise<void> {
  const text = `${JSON.stringify({ version: 1, ...content }, null, 2)}\n`
  await replaceFile(pathOf(folder), text, { temporaryPrefix: incomingPrefix })
}

async function hasCome(folder: string, { name, entry }: LockChange): Promise<boolean> {
  const files = await readSkillFiles(join(folder, name)).catch((error: unknown) => {
    if (SkillStoreError.is(error) && error.code === 'NOT_FOUND') return undefined
    throw error
  })
  return (files && hashSkill(files)) === entry?.hash
}

function withChange(skills: LockedSkills, { name, entry }: LockChange): LockedSkills {
  const { [name]: _before, ...others } = skills
  return entry ? { ...others, [name]: entry } : others
}

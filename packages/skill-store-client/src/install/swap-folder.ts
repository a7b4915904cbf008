import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SkillFile } from '../archive/unpack-zip.ts'

// Loaders skip names that begin with a dot; `~` is in no skill's name, so it can be cut at.
const incomingPrefix = '.incoming~'
const replacedPrefix = '.replaced~'

/**
 * Puts files in the place of a skill's folder: written beside it, then renamed. The old version stays until the new
 * one is whole; what a crash leaves between the two renames is put right by {@link repairSkillsFolder}.
 */
export async function swapFolder(
  skillsFolder: string,
  name: string,
  files: readonly SkillFile[],
  token: string,
): Promise<void> {
  const target = join(skillsFolder, name)
  const incoming = join(skillsFolder, `${incomingPrefix}${name}~${token}`)
  const replaced = join(skillsFolder, `${replacedPrefix}${name}~${token}`)
  try {
    await writeFiles(incoming, files)
    const hadOld = await moveAway(target, replaced)
    try {
      await rename(incoming, target)
    } catch (error) {
      if (hadOld) await rename(replaced, target)
      throw error
    }
  } finally {
    await rm(incoming, { recursive: true, force: true })
  }
  await rm(replaced, { recursive: true, force: true })
}

/**
 * Brings back what a crash in the middle of an installation left aside, and removes what it left half written. Call it
 * before anything else uses the folder.
 */
export async function repairSkillsFolder(skillsFolder: string): Promise<void> {
  const names = await readdir(skillsFolder).catch((): string[] => [])
  for (const left of names) {
    const path = join(skillsFolder, left)
    if (left.startsWith(replacedPrefix)) {
      const name = left.slice(replacedPrefix.length).split('~', 1)[0]!
      if (!names.includes(name)) await rename(path, join(skillsFolder, name))
      else await rm(path, { recursive: true, force: true })
    } else if (left.startsWith(incomingPrefix)) {
      await rm(path, { recursive: true, force: true })
    }
  }
}

async function writeFiles(folder: string, files: readonly SkillFile[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const { path, bytes, executable = false } of files) {
    const target = join(folder, path)
    await mkdir(dirname(target), { recursive: true })
    // `wx`: two names that this file system takes for one do not overwrite each other.
    await writeFile(target, bytes, { flag: 'wx', mode: executable ? 0o755 : 0o644, flush: true })
  }
}

async function moveAway(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

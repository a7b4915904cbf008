import { renameSync } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SkillFile } from '../archive/unpack-zip.ts'
import { incomingPrefix, repairLockfile } from './lockfile.ts'

// Loaders skip names that begin with a dot; `~` is in no skill's name, so it can be cut at.
const replacedPrefix = '.replaced~'
const removedPrefix = '.removed~'

/**
 * Puts files in the place of a skill's folder: written beside it, then renamed. The old version stays until the new
 * one is whole; what a crash leaves between the two renames is put right by {@link repairSkillsFolder}. Once the new
 * version is recorded nothing fails any more.
 *
 * @param record Called once the new version is in its place; when it fails the old one comes back.
 * @returns Where the old version lies now, for {@link tryDelete}; undefined when there was none.
 */
export async function swapFolder(
  skillsFolder: string,
  name: string,
  files: readonly SkillFile[],
  token: string,
  record: () => Promise<void>,
): Promise<string | undefined> {
  const target = join(skillsFolder, name)
  const incoming = join(skillsFolder, `${incomingPrefix}${name}~${token}`)
  const replaced = join(skillsFolder, `${replacedPrefix}${name}~${token}`)
  let hadOld: boolean
  try {
    await writeFiles(incoming, files)
    hadOld = exchange(target, incoming, replaced)
    try {
      await record()
    } catch (error) {
      if (hadOld) exchange(target, replaced, incoming)
      else await rename(target, incoming)
      throw error
    }
  } catch (error) {
    await tryDelete(incoming)
    throw error
  }
  if (!hadOld) return undefined
  // Under a name that nothing is brought back from: its skill may be removed before it can be deleted.
  const removed = join(skillsFolder, `${removedPrefix}${name}~${token}`)
  return (await moveAway(replaced, removed).catch(() => false)) ? removed : replaced
}

/** At once, for whoever looks from this process: a wait between the two would show a folder without the skill. */
function exchange(target: string, incoming: string, aside: string): boolean {
  const hadOld = moveAwayAtOnce(target, aside)
  try {
    renameSync(incoming, target)
    return hadOld
  } catch (error) {
    if (hadOld) renameSync(aside, target)
    throw error
  }
}

/**
 * Takes a skill's folder away, all of it at once.
 *
 * @param record Called once it is away; when it fails the folder comes back.
 * @returns Where it lies now, for {@link tryDelete}; undefined when there is none.
 */
export async function removeFolder(
  skillsFolder: string,
  name: string,
  token: string,
  record?: () => Promise<void>,
): Promise<string | undefined> {
  const target = join(skillsFolder, name)
  const removed = join(skillsFolder, `${removedPrefix}${name}~${token}`)
  const wasThere = await moveAway(target, removed)
  try {
    await record?.()
  } catch (error) {
    if (wasThere) await rename(removed, target)
    throw error
  }
  return wasThere ? removed : undefined
}

/**
 * Repairs a folder after a crash during an installation: restores the old version and removes incomplete files. Call
 * it before anything else uses the folder. If one repair fails, the others still run, and the next call retries it.
 */
export async function repairSkillsFolder(skillsFolder: string): Promise<void> {
  const names = new Set(await readdir(skillsFolder).catch((): string[] => []))
  for (const left of names) {
    const path = join(skillsFolder, left)
    if (left.startsWith(replacedPrefix)) {
      const name = left.slice(replacedPrefix.length).split('~', 1)[0]!
      if (names.has(name)) await tryDelete(path)
      else if (await moveAway(path, join(skillsFolder, name)).catch(() => false)) names.add(name)
    } else if (left.startsWith(incomingPrefix) || left.startsWith(removedPrefix)) {
      await tryDelete(path)
    }
  }
  // a damaged one is told to whoever reads it
  await repairLockfile(skillsFolder).catch(() => {})
}

/** What cannot be deleted stays under a name that loaders skip, and is left to the next repair. */
export async function tryDelete(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => {})
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
  return await rename(from, to).then(() => true, notThere)
}

function moveAwayAtOnce(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    return notThere(error)
  }
}

function notThere(error: unknown): false {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
  throw error
}

import { readdir, readFile, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { isResourceExhausted } from '../ports/is-resource-exhausted.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { checkToolFiles } from './definitions/check-tool-files.ts'
import {
  checkSize,
  decodeText,
  parseSkill,
  type SkillFileName,
  skillFileNames,
  type SkillTexts,
} from './read-skill.ts'
import { assertSkillId } from './skill-id.ts'
import type { LoadedSkill } from './skill-library.ts'
import type { Stats } from 'node:fs'

const settledAfterMs = 2000
/** Skills that are looked at together. */
const atOnce = 32

/** What a folder holds: a skill, or why it is none. */
export type ScannedSkill =
  | { readonly id: string; readonly skill: LoadedSkill }
  | { readonly id: string; readonly error: string }

interface SeenFile extends Seen {
  readonly name: SkillFileName
}

interface Known {
  readonly folder: Seen
  /** All files of a skill, and of them those that are there. */
  readonly files: readonly SeenFile[]
  readonly present: readonly SeenFile[]
  /** Whether a file that comes or goes is bound to change the folder's time. */
  settled: boolean
  readonly scanned: ScannedSkill
  /** A skill that only its scripts keep from being used: they lie in folders that nobody looks at. */
  readonly withoutScripts?: LoadedSkill
}

/**
 * Reads all skills of a folder, and of those that it has read before only what changed. Looking at sizes and times of
 * 1,000 skills takes some milliseconds, so it can be done for each run; runs that begin together share one look.
 *
 * @returns the very same list for as long as nothing changed.
 */
export function createSkillScanner(folder: string): () => Promise<readonly ScannedSkill[]> {
  let known = new Map<string, Known>()
  let last: readonly ScannedSkill[] = []
  let next: Promise<readonly ScannedSkill[]> | undefined
  let running: Promise<unknown> = Promise.resolve()

  async function scanAll(): Promise<readonly ScannedSkill[]> {
    const ids = await listFolders(folder)
    const found = await mapSome(ids, async (id) => {
      const before = known.get(id)
      if (before && (await isUnchanged(before)) && (await lacksTheSame(before))) return before
      return readFolder(id, join(folder, id))
    })
    const isOld = ids.length === known.size && ids.every((id, place) => known.get(id) === found[place])
    if (!isOld) {
      known = new Map(found.map((one) => [one.scanned.id, one]))
      last = found.map(({ scanned }) => scanned)
    }
    return last
  }

  async function beginNext(before: Promise<unknown>): Promise<readonly ScannedSkill[]> {
    await before
    next = undefined
    const look = scanAll()
    running = look.catch(() => {})
    return await look
  }

  // Whoever asks before a look has begun sees what it sees.
  return () => (next ??= beginNext(running))
}

/** Maps some at a time: the files of all of them at once would be too many open ones. */
async function mapSome<Item, Mapped>(items: readonly Item[], map: (item: Item) => Promise<Mapped>) {
  const mapped: Mapped[] = []
  for (let start = 0; start < items.length; start += atOnce) {
    mapped.push(...(await Promise.all(items.slice(start, start + atOnce).map(map))))
  }
  return mapped
}

/** Folders in the order of their names. A link to a folder is none: what it points to is not the operator's. */
async function listFolders(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    return names.map(({ name }) => name).toSorted()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Of a folder that has been left alone for a while, only the files are looked at that are there. */
async function isUnchanged(known: Known): Promise<boolean> {
  const { folder, files, present, settled } = known
  const same = await Promise.all([folder, ...(settled ? present : files)].map(isSame))
  if (!same.every(Boolean)) return false
  if (!settled) known.settled = isSettled(folder)
  return true
}

async function lacksTheSame({ scanned, withoutScripts }: Known): Promise<boolean> {
  if (withoutScripts === undefined || 'skill' in scanned) return true
  return (await problemOf(withoutScripts)) === scanned.error
}

async function readFolder(id: string, path: string): Promise<Known> {
  // Looked at before it is read: what changes meanwhile is seen the next time.
  const folder = await look(path)
  const names = await namesIn(path)
  const files = await Promise.all(
    skillFileNames.map((name) => lookAtFile(`${path}${sep}${name}`, name, names)),
  )
  const present = files.filter(({ size }) => size !== missing)
  return { folder, files, present, settled: false, ...(await readOne(id, path, present)) }
}

/** Undefined when that cannot be told: then each name is tried. */
async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  try {
    return await readdir(folder)
  } catch {
    return undefined
  }
}

/** Of the files that a skill may have most have few: one look at the folder costs less than one at each that is missing. */
async function lookAtFile(
  path: string,
  name: SkillFileName,
  names: readonly string[] | undefined,
): Promise<SeenFile> {
  if (names && !hasName(names, name)) return { ...unseen(path, missing), name }
  return { ...(await look(path)), name }
}

/** Some file systems find a file by its name in other letters too. */
function hasName(names: readonly string[], wanted: string): boolean {
  return names.some((name) => name === wanted || name.toLowerCase() === wanted.toLowerCase())
}

// The file system's clock, so not the injected one. Two changes within one of its ticks have the same time.
function isSettled({ changedMs }: Seen): boolean {
  return Date.now() - changedMs > settledAfterMs
}

async function readOne(
  id: string,
  folder: string,
  present: readonly SeenFile[],
): Promise<Pick<Known, 'scanned' | 'withoutScripts'>> {
  try {
    assertSkillId(id)
    const skill = parseSkill(id, folder, await readTexts(present))
    const error = await problemOf(skill)
    if (error === undefined) return { scanned: { id, skill } }
    return { scanned: { id, error }, withoutScripts: skill }
  } catch (error) {
    // The whole look fails then: what is not known of a skill must not be remembered of it.
    if (RuntimeError.is(error) && error.code === 'storage_error') throw error
    return { scanned: { id, error: messageOf(error) } }
  }
}

/** Why the scripts of a skill's tools cannot be run: they must lie inside its folder, links followed. */
async function problemOf({ tools, folder }: LoadedSkill): Promise<string | undefined> {
  if (!tools.some(({ type }) => type === 'exec')) return undefined
  return await checkToolFiles(tools, folder).then(() => undefined, messageOf)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'The folder cannot be read. Check its permissions.'
}

async function readTexts(present: readonly SeenFile[]): Promise<SkillTexts> {
  const texts: Partial<Record<SkillFileName, string>> = {}
  for (const { path, name } of present) {
    const text = await readText(path, name)
    if (text !== undefined) texts[name] = text
  }
  return texts
}

async function readText(path: string, name: SkillFileName): Promise<string | undefined> {
  const found = await statOf(path)
  if (found === missing) return undefined
  if (found === barred) throw unreadable(name)
  if (!found.isFile())
    throw new RuntimeError('invalid_skill', `Reading ${name} failed: it is not a regular file.`)
  checkSize(name, found.size)
  try {
    return decodeText(await readFile(path))
  } catch (cause) {
    throw isResourceExhausted(cause) ? outOfResources(name, cause) : unreadable(name, cause)
  }
}

function outOfResources(name: SkillFileName, cause: unknown): RuntimeError {
  const text = `Reading ${name} failed: the system has run out of open files or memory. Try again later.`
  return new RuntimeError('storage_error', text, { cause, retryable: true })
}

/** Without what the system says, which names a path of the host. */
function unreadable(name: SkillFileName, cause?: unknown): RuntimeError {
  const text = `Reading ${name} failed: the operating system denied access. Check the permissions of the file and the target of its link.`
  return new RuntimeError('invalid_skill', text, { cause })
}

/** Sizes that stand for what cannot be seen: it is not there, or a link in a circle, or lies in a barred folder. */
const missing = -1
const barred = -2

/** A file or a folder as it was looked at. */
interface Seen {
  readonly path: string
  /** In bytes; {@link missing} or {@link barred} for what cannot be seen. */
  readonly size: number
  readonly changedMs: number
  /** Changes with the permissions too, which decide whether it can be read. */
  readonly statusChangedMs: number
  readonly inode: number
}

/** Looks at a file or a folder. */
async function look(path: string): Promise<Seen> {
  const found = await statOf(path)
  if (typeof found === 'number') return unseen(path, found)
  const { size, mtimeMs, ctimeMs, ino } = found
  return { path, size, changedMs: mtimeMs, statusChangedMs: ctimeMs, inode: ino }
}

/** What {@link look} gives of what cannot be seen. */
function unseen(path: string, size: typeof missing | typeof barred): Seen {
  return { path, size, changedMs: -1, statusChangedMs: -1, inode: -1 }
}

/** Whether it is as it was looked at. */
async function isSame({ path, size, changedMs, statusChangedMs, inode }: Seen): Promise<boolean> {
  const found = await statOf(path)
  if (typeof found === 'number') return size === found
  return (
    found.mtimeMs === changedMs &&
    found.ctimeMs === statusChangedMs &&
    found.size === size &&
    found.ino === inode
  )
}

/** What is there, or the size that stands for why nothing can be seen. */
async function statOf(path: string): Promise<Stats | typeof missing | typeof barred> {
  try {
    return await stat(path)
  } catch (error) {
    return isMissing(error) ? missing : barred
  }
}

/** A file in the place of a folder above means the same as no folder. */
const isMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')

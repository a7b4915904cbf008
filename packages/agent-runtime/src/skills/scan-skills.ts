import { readdirSync, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
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
import { barred, isSame, look, missing, type Seen, statOf, unseen } from './seen-file.ts'
import { assertSkillId } from './skill-id.ts'
import type { LoadedSkill } from './skill-library.ts'

/** How long others wait while many skills are read. */
const maxBlockedMs = 20
const settledAfterMs = 2000
/** From here on a look takes long enough to wait for others that want one. */
const manySkills = 100

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
    const ids = listFolders(folder)
    const found = new Map<string, Known>()
    let changed = ids.length !== known.size
    let since = performance.now()
    for (const id of ids) {
      const before = known.get(id)
      if (before !== undefined && isUnchanged(before) && (await lacksTheSame(before))) {
        found.set(id, before)
        continue
      }
      changed = true
      found.set(id, await readFolder(id, join(folder, id)))
      if (performance.now() - since > maxBlockedMs) {
        await letOthersIn()
        since = performance.now()
      }
    }
    known = found
    if (changed) last = Array.from(found.values(), ({ scanned }) => scanned)
    return last
  }

  /** A way round through the event loop that fake timers leave alone. */
  async function letOthersIn(): Promise<void> {
    await stat(folder).catch(() => {})
  }

  async function beginNext(before: Promise<unknown>): Promise<readonly ScannedSkill[]> {
    await before
    if (known.size >= manySkills) await letOthersIn()
    next = undefined
    const look = scanAll()
    running = look.catch(() => {})
    return await look
  }

  // Whoever asks before a look has begun sees what it sees.
  return () => (next ??= beginNext(running))
}

/** Folders in the order of their names. A link to a folder is none: what it points to is not the operator's. */
function listFolders(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    return names.map(({ name }) => name).toSorted()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Of a folder that has been left alone for a while, only the files are looked at that are there. */
function isUnchanged(known: Known): boolean {
  const { folder, files, present, settled } = known
  if (!isSame(folder) || !(settled ? present : files).every(isSame)) return false
  if (!settled) known.settled = isSettled(folder)
  return true
}

async function lacksTheSame({ scanned, withoutScripts }: Known): Promise<boolean> {
  if (withoutScripts === undefined || 'skill' in scanned) return true
  return (await problemOf(withoutScripts)) === scanned.error
}

async function readFolder(id: string, path: string): Promise<Known> {
  // Looked at before it is read: what changes meanwhile is seen the next time.
  const folder = look(path)
  const names = namesIn(path)
  const files = skillFileNames.map((name) => lookAtFile(`${path}${sep}${name}`, name, names))
  const present = files.filter(({ size }) => size !== missing)
  return { folder, files, present, settled: false, ...(await readOne(id, path, present)) }
}

/** Undefined when that cannot be told: then each name is tried. */
function namesIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder)
  } catch {
    return undefined
  }
}

/** Of the files that a skill may have most have few: one look at the folder costs less than one at each that is missing. */
function lookAtFile(path: string, name: SkillFileName, names: readonly string[] | undefined): SeenFile {
  if (names && !hasName(names, name)) return { ...unseen(path, missing), name }
  return { ...look(path), name }
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
    const skill = parseSkill(id, folder, readTexts(present))
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
  return error instanceof Error ? error.message : 'It cannot be read.'
}

// Read at once: for files this small the way through the thread pool costs ten times the reading.
function readTexts(present: readonly SeenFile[]): SkillTexts {
  const texts: Partial<Record<SkillFileName, string>> = {}
  for (const { path, name } of present) {
    const text = readText(path, name)
    if (text !== undefined) texts[name] = text
  }
  return texts
}

function readText(path: string, name: SkillFileName): string | undefined {
  const found = statOf(path)
  if (found === missing) return undefined
  if (found === barred) throw unreadable(name)
  if (!found.isFile()) throw new RuntimeError('invalid_skill', `Reading ${name} failed: it is no file.`)
  checkSize(name, found.size)
  try {
    return decodeText(readFileSync(path))
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
  const text = `Reading ${name} failed: the system does not let it be read. Look at its permissions, and where it links to.`
  return new RuntimeError('invalid_skill', text, { cause })
}

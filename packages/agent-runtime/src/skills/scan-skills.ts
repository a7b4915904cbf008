import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { RuntimeError } from '../runtime-error.ts'
import { readSkill, type SkillFileName, skillFileNames, type SkillTexts } from './read-skill.ts'
import type { LoadedSkill } from './skill-library.ts'

const maxFileBytes = 1024 * 1024
/** Folders that can be named in an agent and in a path of the interface. */
const skillId = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** What a folder holds: a skill, or why it is none. */
export type ScannedSkill =
  | { readonly id: string; readonly skill: LoadedSkill }
  | { readonly id: string; readonly error: string }

interface Known {
  readonly signature: string
  readonly scanned: ScannedSkill
}

/**
 * Reads all skills of a folder, and of those that it has read before only what changed. Looking at sizes and times of
 * 1,000 skills takes about 10 ms, so it can be done for each run.
 */
export function createSkillScanner(folder: string): () => Promise<ScannedSkill[]> {
  let known = new Map<string, Known>()

  async function scanOne(id: string): Promise<Known> {
    const signature = signatureOf(join(folder, id))
    const before = known.get(id)
    if (before?.signature === signature) return before
    return { signature, scanned: await readOne(id, join(folder, id)) }
  }

  return async () => {
    const ids = listFolders(folder)
    const scanned = await Promise.all(ids.map(async (id) => [id, await scanOne(id)] as const))
    known = new Map(scanned)
    return scanned.map(([, { scanned: skill }]) => skill)
  }
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

function signatureOf(folder: string): string {
  return skillFileNames
    .map((name) => {
      const found = statSync(join(folder, name), { throwIfNoEntry: false })
      return found ? `${found.size}:${found.mtimeMs}:${found.ino}` : '-'
    })
    .join('|')
}

async function readOne(id: string, folder: string): Promise<ScannedSkill> {
  try {
    if (!skillId.test(id)) {
      throw new RuntimeError(
        'invalid_skill',
        'Its folder must be named with 1 to 64 letters, digits, "_", "-" or ".".',
      )
    }
    return { id, skill: await readSkill(id, folder, readTexts(folder)) }
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : 'It cannot be read.' }
  }
}

// Read at once: for files this small the way through the thread pool costs ten times the reading.
function readTexts(folder: string): SkillTexts {
  const texts: Partial<Record<SkillFileName, string>> = {}
  for (const name of skillFileNames) {
    const text = readText(join(folder, name), name)
    if (text !== undefined) texts[name] = text
  }
  return texts
}

function readText(path: string, name: SkillFileName): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return undefined
  if (!found.isFile()) throw new RuntimeError('invalid_skill', `Reading ${name} failed: it is no file.`)
  if (found.size > maxFileBytes) {
    throw new RuntimeError(
      'invalid_skill',
      `Reading ${name} failed: it is larger than ${maxFileBytes} bytes.`,
    )
  }
  return readFileSync(path, 'utf8')
}

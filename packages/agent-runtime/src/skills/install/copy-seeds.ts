import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createSkillInstaller, type SkillFile } from '@homeward/skill-store-client'
import { assertSkillId } from '../skill-id.ts'

/** What came of copying seeds. */
export interface CopiedSeeds {
  /** Ids of those that were copied. */
  readonly ids: readonly string[]
  /** Why the first one of those that could not be was not. */
  readonly failure?: unknown
}

/**
 * Copies the skills of a folder that are not there yet. One that cannot be copied does not hold up the others.
 *
 * @param folder Where skills are installed.
 */
export async function copySeeds(
  seedFolder: string,
  folder: string,
  install: (seed: { readonly id: string; readonly files: readonly SkillFile[] }) => Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<CopiedSeeds> {
  const ids: string[] = []
  const failures: unknown[] = []
  const seeds = createSkillInstaller({ folder: seedFolder })
  for (const entry of await readdir(seedFolder, { withFileTypes: true })) {
    signal?.throwIfAborted()
    if (!entry.isDirectory() || entry.name.startsWith('.')) continue
    try {
      // before the look at what is there: the lockfile is, and no skill
      assertSkillId(entry.name)
      if (await stat(join(folder, entry.name)).catch(() => undefined)) continue
      await install({ id: entry.name, files: await seeds.read(entry.name) })
      ids.push(entry.name)
    } catch (error) {
      failures.push(error)
    }
  }
  return { ids: ids.toSorted(), ...(failures.length > 0 && { failure: failures[0] }) }
}

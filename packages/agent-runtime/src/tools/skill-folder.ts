import { realpath } from 'node:fs/promises'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { LoadedSkill } from '../skills/skill-library.ts'

/**
 * The real path of a skill's folder, which may have been deleted since the run began.
 *
 * @throws {RuntimeError} `not_found` that names no path: the model reads it.
 */
export async function skillFolder({ id, folder }: LoadedSkill): Promise<string> {
  try {
    return await realpath(folder)
  } catch (cause) {
    throw new RuntimeError(
      'not_found',
      `Opening the skill "${id}" failed: its folder was deleted. Install the skill again.`,
      { cause },
    )
  }
}

import { validateSkillName } from '@homeward/skill-store-client'
import { RuntimeError } from '../ports/runtime-error.ts'

/** What `GET /api/skills/{id}` would never show: the interface answers something else there. */
const taken: ReadonlySet<string> = new Set(['store-preview', 'store-registry'])

/** @throws {RuntimeError} `invalid_skill` for a name that no skill's folder may have, with the reason. */
export function assertSkillId(id: string): void {
  const refused = validateSkillName(id)
  if (refused !== undefined) {
    throw new RuntimeError(
      'invalid_skill',
      `Reading the skill ${JSON.stringify(id)} failed: its folder has an invalid name: ${refused}. Rename the folder.`,
    )
  }
  if (!taken.has(id)) return
  throw new RuntimeError(
    'invalid_skill',
    `Reading the skill ${id} failed: the name ${id} is reserved. Give the skill another name.`,
  )
}

import { RuntimeError } from '../runtime-error.ts'

/** Folders that can be named in an agent and in a path of the interface. */
const skillId = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
/** What `GET /api/skills/{id}` would never show: the interface answers something else there. */
const taken: ReadonlySet<string> = new Set(['store-preview', 'store-registry'])

/** @throws {RuntimeError} `invalid_skill` for a name that no skill's folder may have, with the reason. */
export function assertSkillId(id: string): void {
  if (!skillId.test(id)) {
    throw new RuntimeError(
      'invalid_skill',
      'Its folder must be named with 1 to 64 letters, digits, "_", "-" or ".", a letter or digit first.',
    )
  }
  if (!taken.has(id)) return
  throw new RuntimeError(
    'invalid_skill',
    `A skill cannot be called ${id}: GET /api/skills/${id} is the store's. Give it another name.`,
  )
}

import { refusedEntryName } from '../archive/entry-name.ts'

const skillName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
/** The lockfile lies beside the skills, and while it is written a file that begins with its name. */
const lockfileName = /^skills\.lock\.json(?:\.|$)/i

/**
 * Returns the problem of a name for a skill's folder, or undefined if the name is valid. Names that collide or are
 * invalid on one system are rejected on all, because skills are moved between machines.
 */
export function validateSkillName(name: string): string | undefined {
  if (typeof name !== 'string' || !skillName.test(name))
    return 'its name must be 1 to 64 letters, digits, "_", "-" or ".", and start with a letter or digit'
  if (lockfileName.test(name)) return "its name is that of the skills' lockfile"
  return refusedEntryName(name)
}

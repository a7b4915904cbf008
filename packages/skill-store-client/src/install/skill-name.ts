import { refusedEntryName } from '../archive/entry-name.ts'

const skillName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
/** The lockfile lies beside the skills, and while it is written a file that begins with its name. */
const lockfileName = /^skills\.lock\.json(?:\.|$)/i

/**
 * Why no skill's folder may have this name, or undefined when it may. Names that only some systems refuse, or take for
 * another one, are refused on all: a skill is moved between machines.
 */
export function skillNameProblem(name: string): string | undefined {
  if (typeof name !== 'string' || !skillName.test(name))
    return 'its name must be 1 to 64 letters, digits, "_", "-" or ".", a letter or digit first'
  if (lockfileName.test(name)) return "its name is that of the skills' lockfile"
  return refusedEntryName(name)
}

import { refusedEntryName } from '../archive/entry-name.ts'
import type { SkillFile } from '../archive/unpack-zip.ts'
import { SkillStoreError } from '../skill-store-error.ts'
import type { SkillInstallation } from './create-skill-installer.ts'
import { skillNameProblem } from './skill-name.ts'

/**
 * Checks what is about to be written: files may come from elsewhere than an archive, and what the lockfile cannot hold
 * would damage it for every other skill.
 *
 * @throws {SkillStoreError} `INVALID_OPTION` that names what is wrong.
 */
export function checkInstallation(skill: Partial<SkillInstallation> | null | undefined): void {
  checkSkillName(skill?.name)
  const { name = '', files = [], ...texts }: Partial<SkillInstallation> = skill ?? {}
  const attempt = `Installing ${name}`
  const isList: boolean = Array.isArray(skill?.files)
  if (!isList) refuse(attempt, '"files" must be a list of { path, bytes }')
  for (const field of ['version', 'url'] as const) {
    const text: unknown = texts[field]
    if (text !== undefined && typeof text !== 'string') refuse(attempt, `"${field}" must be a string`)
  }
  for (const [place, file] of files.entries()) checkFile(attempt, place, file)
}

function checkFile(attempt: string, place: number, file: Partial<SkillFile> | undefined): void {
  const { path, bytes } = { ...file }
  const at = `files[${place}]`
  if (typeof path !== 'string') refuse(attempt, `"${at}.path" must be a string`)
  const reason = refusedEntryName(path)
  if (reason !== undefined) refuse(attempt, `"${at}.path" is invalid: ${reason}`)
  if (!(bytes instanceof Uint8Array)) refuse(attempt, `"${at}.bytes" must be a Uint8Array`)
}

/** @throws {SkillStoreError} `INVALID_OPTION` for what is no name of a skill's folder. */
export function checkSkillName(name: string | undefined): void {
  const reason = skillNameProblem(name ?? '')
  if (reason !== undefined) refuse('Finding the folder of the skill', reason)
}

function refuse(attempt: string, reason: string): never {
  throw new SkillStoreError('INVALID_OPTION', `${attempt} failed: ${reason}.`)
}

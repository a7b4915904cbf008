import { createHash } from 'node:crypto'
import type { SkillFile } from '../archive/unpack-zip.ts'

/** SHA-256 of each file in hexadecimal, by its path, sorted. */
export function hashFiles(files: readonly SkillFile[]): Readonly<Record<string, string>> {
  const hashes = files.map(
    ({ path, bytes }) => [path, createHash('sha256').update(bytes).digest('hex')] as const,
  )
  return Object.fromEntries(hashes.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** One SHA-256 for all of them: over a line `<hash>  <path>` a file, in the order of the paths. */
export function hashOfHashes(hashes: Readonly<Record<string, string>>): string {
  const hash = createHash('sha256')
  for (const [path, value] of Object.entries(hashes)) hash.update(`${value}  ${path}\n`)
  return hash.digest('hex')
}

/** Returns the SHA-256 over the files of a skill in hexadecimal, as recorded in the lockfile under `hash`. */
export function hashSkill(files: readonly SkillFile[]): string {
  return hashOfHashes(hashFiles(files))
}

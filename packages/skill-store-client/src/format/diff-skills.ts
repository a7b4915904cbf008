import type { SkillFile } from '../archive/unpack-zip.ts'
import { type SkillCapabilities, skillCapabilities } from './skill-capabilities.ts'

/** Capabilities that a newer version adds or removes. */
export interface SkillDiff {
  readonly added: SkillCapabilities
  readonly removed: SkillCapabilities
  /** Paths of new or changed files. */
  readonly changedFiles: readonly string[]
}

/**
 * Compares two versions of a skill, so that a person sees new tools, hosts, commands and environment variables before
 * enabling the newer one. Compare the files of a first installation with an empty list.
 *
 * @throws {SkillStoreError} `INVALID_CONTENT` if the YAML of either version is invalid.
 */
export function diffSkills(older: readonly SkillFile[], newer: readonly SkillFile[]): SkillDiff {
  const before = skillCapabilities(older)
  const after = skillCapabilities(newer)
  const olderBytes = new Map(older.map(({ path, bytes }) => [path, bytes]))
  const changed = newer.filter(({ path, bytes }) => !sameBytes(olderBytes.get(path), bytes))
  return {
    added: minus(after, before),
    removed: minus(before, after),
    changedFiles: changed.map(({ path }) => path).toSorted(),
  }
}

function minus(all: SkillCapabilities, without: SkillCapabilities): SkillCapabilities {
  const left = (key: keyof SkillCapabilities) => all[key].filter((value) => !without[key].includes(value))
  return { tools: left('tools'), hosts: left('hosts'), commands: left('commands'), env: left('env') }
}

function sameBytes(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && a.length === b.length && Buffer.compare(a, b) === 0
}

import type { SkillPreview } from '@homeward/contract/agent-platform'
import {
  diffSkills,
  hashSkill,
  skillCapabilities,
  skillWarnings,
  type SkillFile,
} from '@homeward/skill-store-client'
import { toCapabilities } from '../read-capabilities.ts'
import { parseSkill, readTextsOf } from '../read-skill.ts'
import type { LoadedSkill } from '../skill-library.ts'

/** A skill that was delivered and is not installed yet. */
export interface OfferedSkill {
  readonly skill: LoadedSkill
  readonly files: readonly SkillFile[]
  readonly version: string | undefined
  /** Names of the others that it stands beside: in its store, on this machine. */
  readonly others: readonly string[]
}

/** Says what the offered skill asks for, and what changes against the files that are installed. */
export function comparePreview(
  { skill, files, version, others }: OfferedSkill,
  installed: readonly SkillFile[] | undefined,
): SkillPreview {
  const { id, name, description } = skill
  const { added, removed, changedFiles } = diffWith(installed ?? [], files)
  return {
    id,
    name,
    description,
    ...(version !== undefined && { version }),
    hash: hashSkill(files),
    ...(installed && { installed: { ...versionOf(id, installed), hash: hashSkill(installed) } }),
    capabilities: toCapabilities(skillCapabilities(files)),
    added: toCapabilities(added),
    removed: toCapabilities(removed),
    changed_files: [...changedFiles],
    warnings: skillWarnings(files, { own: [id, name], others }),
  }
}

/** An installed skill whose YAML is broken asks for nothing: all of the new one counts as added. */
function diffWith(installed: readonly SkillFile[], files: readonly SkillFile[]) {
  try {
    return diffSkills(installed, files)
  } catch {
    return diffSkills([], files)
  }
}

function versionOf(id: string, files: readonly SkillFile[]): { version?: string } {
  try {
    const { version } = parseSkill(id, '', readTextsOf(files))
    return version === undefined ? {} : { version }
  } catch {
    return {}
  }
}

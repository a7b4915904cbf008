import type { StoreSkillPreview } from '@homeward/contract/agent-platform'
import { diffSkills, hashSkill, skillCapabilities, type SkillFile } from '@homeward/skill-store-client'
import { toCapabilities } from './read-capabilities.ts'
import { parseSkill, readTextsOf } from './read-skill.ts'
import type { LoadedSkill } from './skill-library.ts'

/** A skill as the store delivered it. */
export interface OfferedSkill {
  readonly skill: LoadedSkill
  readonly files: readonly SkillFile[]
  readonly version: string | undefined
}

/** Says what the offered skill asks for, and what changes against the files that are installed. */
export function comparePreview(
  slug: string,
  { skill, files, version }: OfferedSkill,
  installed: readonly SkillFile[] | undefined,
): StoreSkillPreview {
  const { added, removed, changedFiles } = diffWith(installed ?? [], files)
  return {
    slug,
    name: skill.name,
    description: skill.description,
    ...(version !== undefined && { version }),
    hash: hashSkill(files),
    ...(installed && { installed: { ...versionOf(slug, installed), hash: hashSkill(installed) } }),
    capabilities: toCapabilities(skillCapabilities(files)),
    added: toCapabilities(added),
    removed: toCapabilities(removed),
    changed_files: [...changedFiles],
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

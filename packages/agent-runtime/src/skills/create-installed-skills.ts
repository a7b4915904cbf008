import { join } from 'node:path'
import type { JsonObject } from '@homeward/contract/agent-platform'
import { repairSkillsFolder } from '@homeward/skill-store-client'
import { createSkillConfigs, type SkillConfigs } from './config/skill-configs.ts'
import { createSkillScanner } from './scan-skills.ts'
import type { SkillSnapshot } from './skill-library.ts'
import { createSnapshots } from './take-snapshot.ts'

/** Where skills are, and which tool ids are taken. */
export interface InstalledSkillsOptions {
  /** Data home: skills lie in `skills/`, their configs in `configs/`. */
  readonly home: string
  /** Tool ids that no skill may use. */
  readonly reservedToolIds: ReadonlySet<string>
}

/** The skills of a data home as they lie there: what runs need of them. */
export interface InstalledSkills {
  /** Where they lie. */
  readonly folder: string
  readonly configs: SkillConfigs
  readonly reservedToolIds: ReadonlySet<string>
  /** One consistent view; the next call sees a changed folder. */
  snapshot(): Promise<SkillSnapshot>
  /** Config of a skill with its secrets. */
  config(skillId: string): Promise<JsonObject>
}

/** Reads the skills of a data home. Nothing is made there. */
export function createInstalledSkills({ home, reservedToolIds }: InstalledSkillsOptions): InstalledSkills {
  const folder = join(home, 'skills')
  const configs = createSkillConfigs(join(home, 'configs'))
  const scan = createSkillScanner(folder)
  let repaired: Promise<void> | undefined
  return {
    folder,
    configs,
    reservedToolIds,
    snapshot: createSnapshots(async () => {
      // before the first look, which is before the first change: what a crash left aside is a skill too
      await (repaired ??= repairSkillsFolder(folder))
      return scan()
    }, reservedToolIds),
    config: (skillId) => configs.read(skillId),
  }
}

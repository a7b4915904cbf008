import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject } from '@homeward/contract/agent-platform'
import writeFileAtomic from 'write-file-atomic'
import { RuntimeError } from '../runtime-error.ts'

/** Configs of skills: one file each, `configs/<skill id>.json`, readable by their owner only. */
export interface SkillConfigs {
  /** Config of a skill with its secrets; empty when none was saved. @throws {RuntimeError} `storage_error` */
  read(skillId: string): Promise<JsonObject>
  /** Replaces it: the whole file, or nothing. */
  write(skillId: string, config: JsonObject): Promise<void>
}

/** Keeps configs in a folder, which is made when it is missing. */
export function createSkillConfigs(folder: string): SkillConfigs {
  const pathOf = (skillId: string) => join(folder, `${skillId}.json`)
  return {
    async read(skillId) {
      const text = await readFile(pathOf(skillId), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return '{}'
        throw error
      })
      try {
        const config: unknown = JSON.parse(text)
        if (typeof config === 'object' && config !== null && !Array.isArray(config))
          return config as JsonObject // parsed JSON
      } catch {
        // said below, without the text
      }
      throw new RuntimeError(
        'storage_error',
        `Reading the config of ${skillId} failed: ${pathOf(skillId)} is not a JSON object. Correct or delete it.`,
      )
    },
    async write(skillId, config) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFileAtomic(pathOf(skillId), `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 })
    },
  }
}

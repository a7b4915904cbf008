import { replaceFile } from '@homeward/kit/node'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject } from '@homeward/contract/agent-platform'
import * as z from 'zod/mini'
import { parseJson } from '../../json/parse-json.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'

/** Configs of skills: one file each, `configs/<skill id>.json`, readable by their owner only. */
export interface SkillConfigs {
  /** Config of a skill with its secrets; empty when none was saved. @throws {RuntimeError} `storage_error` */
  read(skillId: string): Promise<JsonObject>
  /**
   * Configs of several skills, by their ids; for one that cannot be read the error. What is there is found by one look
   * at the folder.
   */
  readAll(skillIds: readonly string[]): Promise<ReadonlyMap<string, JsonObject | RuntimeError>>
  /** Replaces it: the whole file, or nothing. */
  write(skillId: string, config: JsonObject): Promise<void>
  /** Remembers where a skill came from whose config stays behind. */
  writeSource(skillId: string, source: SkillSource): Promise<void>
  /** Where the skill came from that left its config behind. */
  readSource(skillId: string): Promise<SkillSource | undefined>
}

/** Where a skill came from, and where it sends its secrets. */
export interface SkillSource {
  readonly apiBase?: string | undefined
  /** Absent for an upload. */
  readonly url?: string | undefined
  /** Of all its files. */
  readonly hash: string
}

const Source = z.object({ apiBase: z.optional(z.string()), url: z.optional(z.string()), hash: z.string() })

/** Keeps configs in a folder, which is made when it is missing. */
export function createSkillConfigs(folder: string): SkillConfigs {
  const pathOf = (skillId: string) => join(folder, `${skillId}.json`)
  // no skill can be called so
  const sourcePathOf = (skillId: string) => join(folder, `.removed~${skillId}.json`)

  /** What one file lacks is its own: the configs of other skills may well be read. */
  function readText(skillId: string): string {
    try {
      // some editors begin a file with a byte order mark
      return readFileSync(pathOf(skillId), 'utf8').replace(/^\uFEFF/, '')
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return '{}' // it has gone since somebody looked
      const text = `Reading the config of ${skillId} failed: ${pathOf(skillId)} cannot be read. Check its permissions.`
      throw new RuntimeError('storage_error', text, { cause })
    }
  }

  function readConfig(skillId: string): JsonObject {
    try {
      const config: unknown = JSON.parse(readText(skillId))
      if (typeof config === 'object' && config !== null && !Array.isArray(config)) return config as JsonObject // parsed JSON
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
    }
    throw new RuntimeError(
      'storage_error',
      `Reading the config of ${skillId} failed: ${pathOf(skillId)} is not a JSON object. Correct or delete the file.`,
    )
  }

  function tryRead(skillId: string): JsonObject | RuntimeError {
    try {
      return readConfig(skillId)
    } catch (error) {
      if (RuntimeError.is(error)) return error
      throw error
    }
  }

  return {
    // Asked first: most skills have none, and an error that says so costs more than the look.
    read: async (skillId) => (isThere(pathOf(skillId)) ? readConfig(skillId) : {}),
    async readAll(skillIds) {
      const names = new Set(isThere(folder) ? readdirSync(folder) : [])
      return new Map(skillIds.map((id) => [id, names.has(`${id}.json`) ? tryRead(id) : {}]))
    },
    async write(skillId, config) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await replaceFile(pathOf(skillId), `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 })
    },
    async writeSource(skillId, source) {
      if (isThere(pathOf(skillId)))
        await replaceFile(sourcePathOf(skillId), `${JSON.stringify(source)}\n`, { mode: 0o600 })
    },
    async readSource(skillId) {
      const text = await readFile(sourcePathOf(skillId), 'utf8').catch(() => 'null')
      return z.safeParse(Source, parseJson(text)).data
    },
  }
}

/** Also for what cannot be looked at: reading it says why. */
function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}

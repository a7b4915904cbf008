import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '@homeward/contract/agent-platform'
import { createKeyedMutex } from '../../concurrency/keyed-mutex.ts'
import { isSameOrigin } from '../../host-input/is-same-origin.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { ConfigCheck } from './config-check.ts'
import { redactSecrets, replaceConfig } from './config-secrets.ts'
import type { SkillConfigs } from './skill-configs.ts'
import type { LoadedSkill, SkillLibrary } from '../skill-library.ts'

/** What configuring works with. */
interface SkillConfigurationOptions {
  readonly configs: SkillConfigs
  readonly checkConfig: ConfigCheck
  /** @throws {RuntimeError} when there is no such skill, or it cannot be used. */
  readonly loaded: (skillId: string) => Promise<LoadedSkill>
  readonly onSaved: (skillId: string) => unknown
}

/** The verbs of a library that are about configs. */
interface SkillConfiguration extends Pick<SkillLibrary, 'configSchema' | 'configView' | 'saveConfig'> {
  /** After an update: stored secrets do not follow a skill to another address. */
  followUpdate(before: LoadedSkill | undefined, after: LoadedSkill): Promise<void>
}

/** Builds them. */
export function createSkillConfiguration({
  configs,
  checkConfig,
  loaded,
  onSaved,
}: SkillConfigurationOptions): SkillConfiguration {
  /** Changes of one config go one after the other: each keeps the secrets that the one before has left. */
  const inTurn = createKeyedMutex()
  return {
    async configSchema(skillId) {
      const { configSchema } = await loaded(skillId)
      if (configSchema) return configSchema
      throw new RuntimeError(
        'not_found',
        'Reading the config schema failed: the skill has no config.schema.json.',
      )
    },
    async configView(skillId) {
      const { configSchema } = await loaded(skillId)
      return redactSecrets(configSchema, await configs.read(skillId))
    },
    async saveConfig(skillId, given) {
      const { configSchema } = await loaded(skillId)
      await inTurn(skillId, async () => {
        const next = replaceConfig(configSchema, await configs.read(skillId), given)
        if (configSchema) await checkConfig(configSchema, next)
        await configs.write(skillId, next)
      })
      await onSaved(skillId)
    },
    async followUpdate(before, after) {
      if (!before || before.apiBase === after.apiBase || isSameOrigin(before.apiBase, after.apiBase)) return
      await inTurn(after.id, async () => {
        // one that cannot be read gives no secret to a tool either
        const config = await configs.read(after.id).catch((): JsonObject => ({}))
        // an address that a person chose counts, whatever the skill says
        if (config['base'] || config['api_base']) return
        const next = replaceConfig(after.configSchema, {}, redactSecrets(after.configSchema, config))
        if (!isDeepStrictEqual(next, config)) await configs.write(after.id, next)
      })
    },
  }
}

import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '@homeward/contract/agent-platform'
import { createKeyedMutex } from '../../concurrency/keyed-mutex.ts'
import { isSameOrigin } from '../../host-input/is-same-origin.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { ConfigCheck } from './config-check.ts'
import { redactSecrets, replaceConfig } from './config-secrets.ts'
import type { SkillConfigs, SkillSource } from './skill-configs.ts'
import type { LoadedSkill, SkillLibrary } from '../skill-library.ts'

/** What configuring works with. */
interface SkillConfigurationOptions {
  readonly configs: SkillConfigs
  readonly checkConfig: ConfigCheck
  /** @throws {RuntimeError} when there is no such skill, or it cannot be used. */
  readonly loaded: (skillId: string) => Promise<LoadedSkill>
  readonly onSaved: (skillId: string) => unknown
}

/** A skill, and the file or the store that it came from. */
interface InstalledFrom {
  readonly skill: LoadedSkill
  readonly url?: string | undefined
  readonly hash: string
}

/** The verbs of a library that are about configs. */
interface SkillConfiguration extends Pick<SkillLibrary, 'configSchema' | 'configView' | 'saveConfig'> {
  readonly follow: ConfigFollow
}

/** What becomes of the config of a skill that changes. */
export interface ConfigFollow {
  /** After an update: stored secrets do not follow a skill to another address or store. */
  update(before: InstalledFrom, after: InstalledFrom): Promise<void>
  /** Before a skill is removed: remembers whose config stays. */
  removal(skillId: string, before: SkillSource): Promise<void>
  /** Before a new installation: the config of a removed skill is not for one that comes from elsewhere under the same id. */
  installation(after: InstalledFrom): Promise<void>
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
        'Reading the config schema failed: the skill has no config.schema.json. Add the file to the skill.',
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
    follow: {
      async update({ skill: before, url: oldUrl }, { skill: after, url }) {
        const isMoved = oldUrl !== undefined && url !== undefined && storeOf(oldUrl) !== storeOf(url)
        if (!isMoved && isSameAddress(before.apiBase, after.apiBase)) return
        await inTurn(after.id, async () => {
          // one that cannot be read gives no secret to a tool either
          const config = await configs.read(after.id).catch((): JsonObject => ({}))
          // an address that a person chose counts, whatever the skill says
          if (!isMoved && (config['base'] || config['api_base'])) return
          // by the rules of both: the new one may call a secret something else
          const kept = withoutSecrets(after.configSchema, withoutSecrets(before.configSchema, config))
          if (!isDeepStrictEqual(kept, config)) await configs.write(after.id, kept)
        })
      },
      removal: (skillId, before) => configs.writeSource(skillId, before),
      async installation({ skill, url, hash }) {
        await inTurn(skill.id, async () => {
          const before = await configs.readSource(skill.id)
          if (!before || before.hash === hash) return
          const isSameStore =
            before.url !== undefined && url !== undefined && storeOf(before.url) === storeOf(url)
          if (isSameStore && isSameAddress(before.apiBase, skill.apiBase)) return
          await configs.write(skill.id, {})
        })
      },
    },
  }
}

const isSameAddress = (one: string | undefined, other: string | undefined) =>
  one === other || isSameOrigin(one, other)

/** The origin of a store, and the first folder: some hosts serve the files of many people. */
function storeOf(url: string): string {
  const { origin, pathname } = new URL(url)
  const [, first = '', ...rest] = pathname.split('/')
  return rest.length > 0 ? `${origin}/${first}` : origin
}

const withoutSecrets = (schema: JsonObject | undefined, config: JsonObject) =>
  replaceConfig(schema, {}, redactSecrets(schema, config))

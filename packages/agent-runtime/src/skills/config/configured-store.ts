import type { Settings } from '@homeward/contract/agent-platform'
import type { FetchOption } from '@homeward/kit/http'
import { createSkillStore, type FetchedSkill, type SkillStore } from '@homeward/skill-store-client'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { StoreRegistry } from '../skill-library.ts'

/** What names the store, and how it is reached. */
export interface ConfiguredStoreOptions {
  readonly settings: { read(): Promise<Settings> }
  readonly fetch?: FetchOption | undefined
}

/** The store that the settings name; they are read anew for each call. */
export interface ConfiguredStore {
  /** @throws {RuntimeError} `not_found` when no store is configured; what the store client throws. */
  fetch(slug: string, signal: AbortSignal | undefined): Promise<FetchedSkill>
  /** Slugs and names of all skills of the store but one. */
  namesBeside(slug: string, signal: AbortSignal | undefined): Promise<string[]>
  /** What the store offers; nothing when none is configured. */
  registry(signal: AbortSignal | undefined): Promise<StoreRegistry>
}

/** Makes the store reachable; nothing is read before the first call. */
export function createConfiguredStore(options: ConfiguredStoreOptions): ConfiguredStore {
  async function open(): Promise<{ store: SkillStore; settings: Settings } | undefined> {
    const settings = await options.settings.read()
    const { registry_url: registryUrl, license_token: licenseToken } = settings
    if (!registryUrl) return undefined
    const store = createSkillStore({
      registryUrl,
      ...(licenseToken !== undefined && { licenseToken }),
      ...(options.fetch && { fetch: options.fetch }),
    })
    return { store, settings }
  }

  return {
    async fetch(slug, signal) {
      const opened = await open()
      if (opened) return await opened.store.fetch(slug, signal)
      throw new RuntimeError(
        'not_found',
        'Installing the skill failed: no store is configured. Set registry_url in the settings.',
      )
    },
    async namesBeside(slug, signal) {
      const { skills = [] } = (await (await open())?.store.list(signal)) ?? {}
      return skills.filter((entry) => entry.slug !== slug).flatMap((entry) => [entry.slug, entry.name])
    },
    async registry(signal) {
      const opened = await open()
      if (!opened) return { skills: [], storeBase: null, registryUrl: null }
      const { skills, invalid } = await opened.store.list(signal)
      const { registry_url: registryUrl = null, store_base: storeBase = null } = opened.settings
      return { skills, storeBase, registryUrl, ...(invalid.length > 0 && { invalid }) }
    },
  }
}

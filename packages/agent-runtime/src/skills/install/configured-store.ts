import type { Settings } from '@homeward/contract/agent-platform'
import type { FetchOption } from '@homeward/kit/http'
import { createSkillStore, type FetchedSkill, type SkillStore } from '@homeward/skill-store-client'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { StoreRegistry } from '../skill-library.ts'

/** What names the store, and how it is reached. */
interface ConfiguredStoreOptions {
  readonly settings: { read(): Promise<Settings> }
  readonly fetch?: FetchOption | undefined
}

/** A skill of the store, and what it stands beside there. */
interface StoreSkill extends FetchedSkill {
  /** Slugs and names of all other skills of the store. */
  readonly others: readonly string[]
}

/** The store that the settings name; the settings are read again for each call. */
interface ConfiguredStore {
  /** @throws {RuntimeError} `not_found` without such a skill or without a store; what the store client throws. */
  fetch(slug: string, signal: AbortSignal | undefined): Promise<StoreSkill>
  /** What the store offers; nothing when none is configured. */
  registry(signal: AbortSignal | undefined): Promise<StoreRegistry>
}

/** Makes the store reachable; nothing is read before the first call. */
export function createConfiguredStore(options: ConfiguredStoreOptions): ConfiguredStore {
  let opened: { readonly key: string; readonly store: SkillStore } | undefined

  /** One client for as long as the settings name the same store. */
  function open({ registry_url: registryUrl, license_token: licenseToken }: Settings) {
    if (!registryUrl) return undefined
    const key = JSON.stringify([registryUrl, licenseToken])
    if (opened?.key !== key) {
      const store = createSkillStore({
        registryUrl,
        ...(licenseToken !== undefined && { licenseToken }),
        ...(options.fetch && { fetch: options.fetch }),
      })
      opened = { key, store }
    }
    return opened.store
  }

  return {
    async fetch(slug, signal) {
      const store = open(await options.settings.read())
      if (!store) throw notFound('Installing', 'no store is configured. Set registry_url in the settings')
      const { skills } = await store.list(signal)
      const entry = skills.find((each) => each.slug === slug)
      if (!entry) throw notFound('Looking up', `the store has no skill "${slug.slice(0, 100)}"`)
      const others = skills.filter((each) => each !== entry).flatMap((each) => [each.slug, each.name])
      return { ...(await store.fetch(entry, signal)), others }
    },
    async registry(signal) {
      const settings = await options.settings.read()
      const store = open(settings)
      if (!store) return { skills: [], storeBase: null, registryUrl: null }
      const { skills, invalid } = await store.list(signal)
      const { registry_url: registryUrl = null, store_base: storeBase = null } = settings
      return { skills, storeBase, registryUrl, ...(invalid.length > 0 && { invalid }) }
    },
  }
}

const notFound = (attempt: string, why: string) =>
  new RuntimeError('not_found', `${attempt} the skill failed: ${why}.`)

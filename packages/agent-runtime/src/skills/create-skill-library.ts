import { mkdir } from 'node:fs/promises'
import type { BrokenSkill, InstalledSkill, Settings } from '@homeward/contract/agent-platform'
import type { FetchOption } from '@homeward/kit/http'
import { createSkillInstaller } from '@homeward/skill-store-client'
import { RuntimeError } from '../ports/runtime-error.ts'
import { createConfigCheck } from './config/config-check.ts'
import { createSkillConfiguration } from './config/configure-skill.ts'
import { createSkillDescriber } from './describe-skill.ts'
import { createSkillSources } from './install/create-skill-sources.ts'
import { readCapabilities } from './read-capabilities.ts'
import type { InstalledSkills } from './create-installed-skills.ts'
import type { LoadedSkill, SkillLibrary, SkillTools } from './skill-library.ts'
import { toRuntimeError } from './install/store-failure.ts'

/** What a skill library works with. */
export interface SkillLibraryOptions {
  /** The skills that it reads and changes. */
  readonly installed: InstalledSkills
  /** The tools of skills, as they are now. */
  readonly tools: SkillTools
  /** Makes the data home, before the first change. @default it is there */
  readonly prepareHome?: (() => void) | undefined
  /** Names where the store is, and its license. */
  readonly settings: { read(): Promise<Settings> }
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Folder with skills that `installSystem` copies. @default none */
  readonly seedFolder?: string | undefined
  /** Told when skills were installed, removed or configured; the change waits for it. */
  readonly onChange?:
    | ((skillId: string, change: 'installed' | 'removed' | 'configured') => unknown)
    | undefined
  readonly fetch?: FetchOption | undefined
  readonly now?: (() => number) | undefined
}

/** Opens the skills of a data home. Folders are made when something is installed. */
export function createSkillLibrary(options: SkillLibraryOptions): SkillLibrary {
  const { tools } = options
  const { folder, configs, snapshot, config, reservedToolIds } = options.installed
  const installer = createSkillInstaller({
    folder,
    // a sandbox shows a program the very folder that was there when it started
    inUse: tools.programs,
    ...(options.now && { now: options.now }),
  })
  const checkConfig = createConfigCheck()
  const prepareToDescribe = createSkillDescriber({ ...options, ...tools, configs, checkConfig })
  const changed = (id: string, change: 'installed' | 'removed' | 'configured') =>
    options.onChange?.(id, change)

  const { follow, ...configuration } = createSkillConfiguration({
    configs,
    checkConfig,
    loaded,
    onSaved: (id) => changed(id, 'configured'),
  })

  const { settings, fetch } = options
  const parts = { folder, installer, snapshot, follow }
  const sources = createSkillSources({ ...parts, settings, reservedToolIds, fetch })

  async function install(bring: () => Promise<InstalledSkill>): Promise<InstalledSkill> {
    options.prepareHome?.()
    const skill = await bring()
    await changed(skill.id, 'installed')
    return skill
  }

  async function loaded(skillId: string): Promise<LoadedSkill> {
    const found = await find(skillId)
    if ('error' in found) {
      throw new RuntimeError('invalid_skill', `Reading the skill ${skillId} failed: ${found.error}`)
    }
    return found
  }

  async function find(skillId: string): Promise<LoadedSkill | BrokenSkill> {
    const { skills, broken } = await snapshot()
    const found = skills.get(skillId) ?? broken.find(({ id }) => id === skillId)
    if (found) return found
    throw noSuchSkill('Looking up')
  }

  return {
    snapshot,
    config,
    async list() {
      const { skills, broken } = await snapshot()
      const usable = [...skills.values()]
      const described = await Promise.all(usable.map(await prepareToDescribe(usable)))
      return [...described, ...broken].toSorted((a, b) => (a.id < b.id ? -1 : 1))
    },
    async get(skillId) {
      const found = await find(skillId)
      if ('error' in found) return found
      const describe = await prepareToDescribe([found])
      const described = await describe(found)
      if ('error' in described) return described
      return { ...described, ...(await detailsOf(found, await tools.baseHost(found))) }
    },
    async remove(skillId) {
      await find(skillId).catch(async (error: unknown) => {
        // its folder is gone, by hand or with a backup: what the lockfile says of it goes too
        if (!Object.hasOwn(await installer.installed(), skillId)) throw error
      })
      // of those who saw it and remove it at once, one does
      if (!(await sources.remove(skillId))) throw noSuchSkill('Removing')
      await changed(skillId, 'removed')
    },
    install: (wanted, signal) =>
      install(() => sources.fromStore(typeof wanted === 'string' ? { slug: wanted } : wanted, signal)),
    preview: (slug, signal) => sources.preview(slug, signal),
    uploadZip: (content, signal) => install(() => sources.fromZip(content, signal)),
    previewUpload: (content, signal) => sources.previewUpload(content, signal),
    uploadMarkdown: (text) => install(() => sources.fromMarkdown(text)),
    async installSystem(signal) {
      options.prepareHome?.()
      await mkdir(folder, { recursive: true })
      if (options.seedFolder === undefined) return []
      const { ids, failure } = await sources.fromSeeds(options.seedFolder, signal)
      for (const id of ids) await changed(id, 'installed')
      if (failure !== undefined) throw toRuntimeError(failure)
      return [...ids]
    },
    registry: (signal) => sources.registry(signal),
    ...configuration,
    async setup(skillId) {
      const { setup } = await loaded(skillId)
      if (setup !== undefined) return setup
      throw new RuntimeError('not_found', 'Reading the setup text failed: the skill has no SETUP.md. Add it.')
    },
  }
}

const noSuchSkill = (attempt: string) =>
  new RuntimeError(
    'not_found',
    `${attempt} the skill failed: no skill has this id. List the skills to find it.`,
  )

async function detailsOf(skill: LoadedSkill, baseHost: string | null | undefined) {
  const { instructions, metadata, configSchema, setup, tools } = skill
  const requests = tools.flatMap((tool) =>
    tool.type === 'http' ? [{ tool: tool.id, method: tool.method, path: tool.path }] : [],
  )
  return {
    ...(requests.length > 0 && { requests }),
    instructions,
    metadata,
    capabilities: await readCapabilities(skill.folder, baseHost),
    ...(baseHost !== undefined && { base_host: baseHost }),
    has_config: configSchema !== undefined,
    has_setup: setup !== undefined,
  }
}

import { realpath } from 'node:fs/promises'
import type { JsonObject } from '@homeward/contract/agent-platform'
import { once } from '../concurrency/once.ts'
import type { Logger } from '../ports/logger.ts'
import { silentLogger } from '../ports/logger.ts'
import type { RuntimeSettings } from '../settings/runtime-settings.ts'
import type { InstalledSkills } from '../skills/create-installed-skills.ts'
import type { LoadedSkill } from '../skills/skill-library.ts'
import { detectSandbox } from './exec/detect-sandbox.ts'
import type { ExecLimits } from './exec/exec-limits.ts'
import { detectLimits } from './exec/exec-limits.ts'
import type { SandboxFound } from './exec/detect-sandbox.ts'
import type { SandboxMode } from './exec/sandbox.ts'
import { resolveBase } from './http/base-address.ts'
import type { HttpClient } from './http/http-client.ts'
import type { SkillToolContext } from './skill-tool-context.ts'

/** What the tools of skills work with. */
interface SkillContextsOptions {
  readonly home: string
  readonly skills: Pick<InstalledSkills, 'config'>
  readonly settings: Pick<RuntimeSettings, 'read'>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly skillBase?: string | Readonly<Record<string, string>>
  readonly platformOrigins?: () => readonly string[]
  readonly sandbox?: SandboxMode
  readonly execLimits?: ExecLimits
  readonly maxResultBytes: number
  readonly http: HttpClient
  readonly logger?: Logger
  readonly now?: () => number
}

/** Gathers what the tools of skills need for one run, and finds the system's sandbox when one has programs. */
interface SkillContexts {
  /**
   * Contexts of skills that are used together, by their ids.
   *
   * @param configs Their configs, where somebody has read them already.
   */
  contextsOf(
    skills: readonly LoadedSkill[],
    configs?: ReadonlyMap<string, JsonObject>,
  ): Promise<ReadonlyMap<string, SkillToolContext>>
  findSandbox(): Promise<SandboxFound>
  /** The end of every program that was started by now; undefined when none runs. */
  programs(): Promise<unknown> | undefined
}

/** Shares one HTTP client, one trial of the sandbox and the list of running programs among all skills. */
export function createSkillContexts(options: SkillContextsOptions): SkillContexts {
  const { sandbox: mode = 'auto', logger = silentLogger, environment, http, now = Date.now } = options
  const underWay = new Set<Promise<unknown>>()
  const { PATH = '' } = environment

  const findSandbox = once(async (): Promise<SandboxFound> => {
    if (mode === 'off') return { reason: 'the operator disabled it' }
    const result = await detectSandbox(PATH)
    if (result.sandbox === undefined) {
      logger.warn('Programs of skills run without a sandbox', { reason: result.reason })
    }
    return result
  })

  const findLimits = once(async () => detectLimits((await findSandbox()).sandbox, PATH, options.execLimits))

  return {
    findSandbox,
    programs: () => (underWay.size === 0 ? undefined : Promise.allSettled(underWay)),
    async contextsOf(skills, configs) {
      if (skills.length === 0) return noContexts
      const hasPrograms = skills.some(({ tools }) => tools.some((tool) => tool.type === 'exec'))
      const [known, settings, sandbox, limits, home] = await Promise.all([
        configs ?? readConfigs(options, skills),
        options.settings.read(),
        hasPrograms ? findSandbox() : { reason: 'not needed' },
        hasPrograms ? findLimits() : [],
        realpath(options.home).catch(() => options.home),
      ])
      const platformOrigins = options.platformOrigins?.() ?? []
      const shared = {
        home,
        environment,
        settings,
        platformOrigins,
        http,
        sandboxMode: mode,
        sandbox,
        limits,
        underWay,
        now,
        maxResultBytes: options.maxResultBytes,
      }
      const contexts = skills.map(({ id, apiBase }): [string, SkillToolContext] => {
        const config = known.get(id) ?? {}
        const base = resolveBase({ config, apiBase, runtimeBase: baseFor(options, id), platformOrigins })
        return [id, { ...shared, config, base }]
      })
      return new Map(contexts)
    },
  }
}

const noContexts: ReadonlyMap<string, SkillToolContext> = new Map()

async function readConfigs(
  options: SkillContextsOptions,
  skills: readonly LoadedSkill[],
): Promise<ReadonlyMap<string, JsonObject>> {
  const read = skills.map(async ({ id }) => [id, await options.skills.config(id)] as const)
  return new Map(await Promise.all(read))
}

function baseFor({ skillBase }: SkillContextsOptions, skillId: string): string | undefined {
  if (typeof skillBase !== 'object') return skillBase
  return Object.hasOwn(skillBase, skillId) ? skillBase[skillId] : undefined
}

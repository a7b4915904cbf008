import { realpath } from 'node:fs/promises'
import type { Logger } from '../ports/logger.ts'
import { silentLogger } from '../ports/logger.ts'
import type { RuntimeSettings } from '../settings/runtime-settings.ts'
import type { LoadedSkill, SkillLibrary } from '../skills/skill-library.ts'
import { detectSandbox } from './exec/detect-sandbox.ts'
import type { SandboxFound } from './exec/detect-sandbox.ts'
import type { SandboxMode } from './exec/sandbox.ts'
import { resolveBase } from './http/base-address.ts'
import { createHttpClient } from './http/http-client.ts'
import type { ResolveHost } from './http/http-client.ts'
import type { SkillToolContext } from './skill-tool-context.ts'

/** What the tools of skills work with. */
export interface SkillContextsOptions {
  readonly home: string
  readonly skills: Pick<SkillLibrary, 'config'>
  readonly settings: Pick<RuntimeSettings, 'read'>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly skillBase?: string | Readonly<Record<string, string>>
  readonly platformOrigins?: () => readonly string[]
  readonly sandbox?: SandboxMode
  readonly maxResultBytes: number
  readonly logger?: Logger
  readonly now?: () => number
  readonly resolveHost?: ResolveHost
}

/** Gathers what the tools of a skill need for one run, and finds the system's sandbox when a skill has programs. */
export interface SkillContexts {
  contextOf(skill: LoadedSkill): Promise<SkillToolContext>
  findSandbox(): Promise<SandboxFound>
  /** Waits until every program that was started has ended. */
  settled(): Promise<void>
}

/** Shares one HTTP client, one trial of the sandbox and the list of running programs among all skills. */
export function createSkillContexts(options: SkillContextsOptions): SkillContexts {
  const { sandbox: mode = 'auto', logger = silentLogger, environment, now = Date.now } = options
  const http = createHttpClient(options.resolveHost)
  const underWay = new Set<Promise<unknown>>()
  let found: Promise<SandboxFound> | undefined

  const findSandbox = (): Promise<SandboxFound> => {
    if (mode === 'off') return Promise.resolve({ reason: 'the operator turned it off' })
    return (found ??= detectSandbox(environment['PATH'] ?? '').then((result) => {
      if (result.sandbox === undefined) {
        logger.warn('Programs of skills run without a sandbox', { reason: result.reason })
      }
      return result
    }))
  }

  return {
    findSandbox,
    async settled() {
      await Promise.allSettled(underWay)
    },
    async contextOf(skill) {
      const hasPrograms = skill.tools.some((tool) => tool.type === 'exec')
      const [config, settings, sandbox, home] = await Promise.all([
        options.skills.config(skill.id),
        options.settings.read(),
        hasPrograms ? findSandbox() : { reason: 'not needed' },
        realpath(options.home).catch(() => options.home),
      ])
      const platformOrigins = options.platformOrigins?.() ?? []
      const runtimeBase = baseFor(options, skill.id)
      return {
        home,
        environment,
        settings,
        config,
        base: resolveBase({ config, apiBase: skill.apiBase, runtimeBase, platformOrigins }),
        platformOrigins,
        http,
        sandboxMode: mode,
        sandbox,
        maxResultBytes: options.maxResultBytes,
        underWay,
        now,
      }
    },
  }
}

function baseFor({ skillBase }: SkillContextsOptions, skillId: string): string | undefined {
  if (typeof skillBase !== 'object') return skillBase
  return Object.hasOwn(skillBase, skillId) ? skillBase[skillId] : undefined
}

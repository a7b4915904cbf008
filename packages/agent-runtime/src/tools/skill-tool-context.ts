import type { JsonObject, Settings } from '@homeward/contract/agent-platform'
import type { HttpClient } from './http/http-client.ts'
import type { SandboxFound } from './exec/detect-sandbox.ts'
import type { SandboxMode } from './exec/sandbox.ts'
import type { BaseAddress } from './http/base-address.ts'

/** What the tools of one skill are made with, for one run. */
export interface SkillToolContext {
  /** Absolute, real path of the data home. */
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly settings: Settings
  /** The skill's config with its secrets. */
  readonly config: JsonObject
  readonly base: BaseAddress
  /** Addresses of the platform itself, which no skill may act on. */
  readonly platformOrigins: readonly string[]
  readonly http: HttpClient
  readonly sandboxMode: SandboxMode
  readonly sandbox: SandboxFound
  /** Arguments before a program's own that bound what it takes of the machine. */
  readonly limits: readonly string[]
  /** Largest result in bytes. */
  readonly maxResultBytes: number
  /** Calls that started programs which may still be ending. Whoever closes the runtime waits for them. */
  readonly underWay: Set<Promise<unknown>>
  /** Clock that durations are measured with, in milliseconds. */
  readonly now: () => number
}

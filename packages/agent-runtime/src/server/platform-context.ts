import type { AgentPlatformOperations } from '@homeward/contract/agent-platform'
import type { HandlersOf } from '@homeward/contract/handler'
import type { AgentRuntime } from '../runtime/runtime.ts'
import type { RuntimeServices } from '../runtime/services.ts'

/** What every group of handlers works with. */
export interface PlatformContext {
  readonly runtime: AgentRuntime
  /** The runtime's services for callers that have parsed what they pass, as the handler has. */
  readonly services: RuntimeServices
  readonly keepaliveMs: number
  readonly maxUploadBytes: number
  /** Told of failures that the caller only gets a word about. */
  readonly onError: (error: unknown) => void
}

/** Whoever passed the access check is the one local user. */
export type PlatformCallers = { local: void }

/** One function per operation of the table. */
export type PlatformHandlers = HandlersOf<AgentPlatformOperations, PlatformCallers>

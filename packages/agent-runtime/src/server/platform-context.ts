import type { AgentPlatformOperations } from '@homeward/contract/agent-platform'
import type { HandlersOf, RequestView, Respond } from '@homeward/contract/handler'
import type { PlatformCaller } from './access/platform-caller.ts'
import type { AgentRuntime } from '../runtime/runtime.ts'
import type { RuntimeServices } from '../runtime/services.ts'

/** What every group of handlers works with. */
export interface PlatformContext {
  readonly runtime: AgentRuntime
  /** The runtime's services for callers that have parsed what they pass, as the handler has. */
  readonly services: RuntimeServices
  readonly keepaliveMs: number
  readonly maxUploadBytes: number
  /** The address that a call came from: limits by address use it. */
  readonly clientAddress: (request: RequestView) => string
  /** Seals cursors of callers who reach a part only. */
  readonly cursorSecret: string
  /** Scheme and host by which a caller reached the server. */
  readonly requestOrigin: (request: RequestView) => string
  /** Told of failures that the caller only gets a word about. */
  readonly onError: (error: unknown) => void
  /** Path below which the server is mounted: links begin with it. Empty without one. */
  readonly basePath: string
  /** Answers a request as if it had come from outside, with every check of its caller. */
  readonly respond: Respond
}

/** Who calls, and what they may do (A26). */
export type PlatformCallers = { local: PlatformCaller }

/** One function per operation of the table. */
export type PlatformHandlers = HandlersOf<AgentPlatformOperations, PlatformCallers>

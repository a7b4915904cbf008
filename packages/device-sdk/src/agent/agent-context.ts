import type { DeviceClient } from '../client/create-device-client.ts'
import type { DevicePolicy } from '../policy/device-policy.ts'
import type { AuditEntry, Timers } from '../ports/index.ts'
import type { AgentEmitter } from './agent-emitter.ts'

/** What the parts of one agent share. */
export interface AgentContext {
  readonly client: DeviceClient
  readonly policy: DevicePolicy
  readonly intervalMs: number
  readonly emit: AgentEmitter['emit']
  readonly now: () => number
  readonly random: () => number
  readonly timers: Timers
  /** How soon the device may be back after its connection broke, as the cloud said last. */
  readonly reconnect: { withinMs: number | undefined }
  /** Resolves once the cloud accepts this device; at once while it does. Never rejects. */
  readonly admitted: (signal: AbortSignal) => Promise<void>
  /** Tells the agent that a request failed, so that a refused key stops everything. */
  readonly noteError: (error: unknown) => void
  /** Does something with the device's own state; a failure becomes an event, and `false`. */
  readonly guard: (
    part: 'outbox' | 'audit',
    attempt: string,
    job: () => Promise<void> | undefined,
    queryId?: string,
  ) => Promise<boolean>
  /** Writes to the audit log; a failure becomes an event. */
  readonly audit: (entry: Omit<AuditEntry, 'at'>) => Promise<unknown>
}

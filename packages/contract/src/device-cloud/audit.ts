import * as z from 'zod/mini'
import { DeviceFilterView } from './device-filter.ts'
import { Id, Timestamp } from './text.ts'

/** What a user did, or tried to do. */
export const AuditAction = z.enum([
  'device:registered',
  'device:updated',
  'device:deleted',
  'catalog:removed',
  'key:revealed',
  'key:rotated',
  'search:created',
  'search:canceled',
  'search:erased',
  'search-group:removed',
  'search-group:exported',
  'saved-search:created',
  'saved-search:changed',
  'saved-search:deleted',
  'upload:created',
  'upload:canceled',
  'file:downloaded',
  'enrollment:approved',
  'enrollment:denied',
  'enrollment-token:created',
  'enrollment-token:revoked',
  'token:created',
  'token:deleted',
  'webhook:created',
  'webhook:updated',
  'webhook:deleted',
  'webhook:tested',
  'owner:exported',
  'owner:erased',
])
export type AuditAction = z.infer<typeof AuditAction>

/** Who acted on behalf of a user: a colleague, or `token:<name>` for an API token. 1 to 512 characters. */
export const Actor = z.string().check(z.minLength(1), z.maxLength(512))

/** A request to a device, as the device itself reads it. */
export const OwnAuditEntry = z.object({
  id: Id,
  at: Timestamp,
  /** Who asked: the actor of the session, or else `owner`. */
  actor: z.string(),
  action: z.enum(['search:created', 'upload:created']),
  /** Id of the search or of the upload request. */
  requestId: Id,
  /** Why the device has not answered: it has not fetched the request or works on it, time ran out, or a user canceled. */
  unanswered: z.optional(z.enum(['pending', 'expired', 'canceled'])),
})
export type OwnAuditEntry = z.infer<typeof OwnAuditEntry>

/** Devices of an act on several of them. */
export const AuditedDevices = z.object({
  /** How many there were. */
  count: z.int().check(z.gte(0)),
  /** Their ids; the first 100 where there were more. */
  ids: z.array(z.string()),
  /** The filter that they were meant by. */
  filter: z.optional(DeviceFilterView),
})
export type AuditedDevices = z.infer<typeof AuditedDevices>

/** An act of a user, as it was recorded. Never holds keys, search texts, results or file contents. One entry stands for an act on many devices. */
export const AuditEntry = z.object({
  id: Id,
  createdAt: Timestamp,
  /** On whose behalf it was done. */
  userId: z.string(),
  /** Who did it, where the session names an actor besides its user. */
  actor: z.optional(z.string()),
  action: AuditAction,
  /** `refused`: it was tried, and nothing was done. */
  outcome: z.enum(['done', 'refused']),
  /** Why it was refused; null when it was done. */
  reason: z.nullable(z.string()),
  /** The device that it was about, as the caller named it. */
  deviceId: z.nullable(z.string()),
  /** The devices of an act on several; `deviceId` is null then. */
  devices: z.optional(AuditedDevices),
  /**
   * The search, the upload request, the file, the enrollment or the enrollment token that it was about; with `devices` the
   * group.
   */
  subjectId: z.nullable(z.string()),
  /** Name of the device, path of the requested file, name of the downloaded one, label of the token, or host of the webhook. */
  name: z.nullable(z.string()),
  /** Network address that the call came from; null for the host's own calls. */
  address: z.nullable(z.string()),
})
export type AuditEntry = z.infer<typeof AuditEntry>

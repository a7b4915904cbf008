import * as z from 'zod/mini'
import { DeviceFilterView } from './device-filter.ts'
import { Id, Timestamp } from './text.ts'

/** Action of a user, completed or rejected. */
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

/** Person or token that acted for a user: a colleague, or `token:<name>` for an API token. 1 to 512 characters. */
export const Actor = z.string().check(z.minLength(1), z.maxLength(512))

/** A request to a device, as the device itself reads it from the audit log. */
export const OwnAuditEntry = z.object({
  id: Id,
  at: Timestamp,
  /** Requester: the actor of the session, or else `owner`. */
  actor: z.string(),
  action: z.enum(['search:created', 'upload:created']),
  /** Id of the search or of the upload request. */
  requestId: Id,
  /**
   * Reason for a missing response: the device has not fetched the request or still works on it, the time ran out, or
   * a user canceled.
   */
  unanswered: z.optional(z.enum(['pending', 'expired', 'canceled'])),
})
export type OwnAuditEntry = z.infer<typeof OwnAuditEntry>

/** Devices of an action on several devices. */
export const AuditedDevices = z.object({
  /** Number of devices. */
  count: z.int().check(z.gte(0)),
  /** Ids of the devices, at most the first 100. */
  ids: z.array(z.string()),
  /** Filter that selected the devices. */
  filter: z.optional(DeviceFilterView),
})
export type AuditedDevices = z.infer<typeof AuditedDevices>

/**
 * A recorded action of a user. One entry can stand for many devices. Never contains keys, search texts, results or
 * file contents.
 */
export const AuditEntry = z.object({
  id: Id,
  createdAt: Timestamp,
  /** User for whom the action was done. */
  userId: z.string(),
  /** Person or token that acted, if the session names an actor in addition to its user. */
  actor: z.optional(z.string()),
  action: AuditAction,
  /** `refused`: the action was rejected and nothing was done. */
  outcome: z.enum(['done', 'refused']),
  /** Reason for the rejection; null if the action was done. */
  reason: z.nullable(z.string()),
  /** Device of the action, as the caller named it. */
  deviceId: z.nullable(z.string()),
  /** Devices of an action on several devices. `deviceId` is then null. */
  devices: z.optional(AuditedDevices),
  /** Id of the search, upload request, file, enrollment or enrollment token; with `devices`, id of the group. */
  subjectId: z.nullable(z.string()),
  /**
   * Name of the device, path of the requested file, name of the downloaded file, label of the token, or host of the
   * webhook.
   */
  name: z.nullable(z.string()),
  /** Network address of the caller; null for calls by your own code. */
  address: z.nullable(z.string()),
})
export type AuditEntry = z.infer<typeof AuditEntry>

import type { Operation } from '../operation.ts'
import { enrollmentOperations } from './enrollment-operations.ts'
import { ownDeviceOperations } from './own-device-operations.ts'
import { savedSearchOperations, searchOperations } from './search-operations.ts'
import * as z from 'zod/mini'
import { Actor, AuditAction, AuditEntry } from './audit.ts'
import { Cursor, limitParameter, TimestampParameter } from './list-query.ts'
import { boundedString, Id } from './text.ts'
import { ApiToken, NewApiToken } from './api-token.ts'
import { hasOneTarget, targets } from './operation-parts.ts'
import { Quota } from './quota.ts'
import { entityTag, idempotencyKey, ifMatch } from './request-headers.ts'
import { NewWebhook, Webhook, WebhookDelivery, WebhookUpdate } from './webhook.ts'
import { FilePath, Upload, UploadDestination, UploadStatus } from './dashboard-upload.ts'

/** The rows by which users ask for files and get them. */
const fileOperations = {
  createUploads: {
    method: 'POST',
    path: '/api/devices/files/upload-requests',
    auth: 'session',
    needs: 'fetch',
    audit: { action: 'upload:created', device: 'body.deviceIds', name: 'body.filePath' },
    summary: 'Asks devices for a file. Select the devices by ids or by a filter.',
    source: 'C5, C20, C32',
    body: z
      .object({ ...targets, filePath: FilePath, destination: z._default(UploadDestination, 'cloud') })
      .check(hasOneTarget),
    headers: [idempotencyKey],
    status: 201,
    reply: z.object({
      success: z.boolean(),
      /** Id that all these requests share. To list the requests, pass it as `groupId`. */
      groupId: Id,
      /** At most the first 1,000 requests. */
      uploadRequests: z.array(z.object({ id: Id, deviceId: Id, status: UploadStatus })),
      message: z.string(),
    }),
    errors: [404, 409],
  },
  listUploads: {
    method: 'GET',
    path: '/api/devices/files/upload-requests',
    auth: 'session',
    needs: 'read',
    summary: "Lists the user's upload requests with their outcome, newest first.",
    source: 'C5, C11, C32',
    query: z.strictObject({
      requestId: z.optional(Id),
      deviceId: z.optional(Id),
      groupId: z.optional(Id),
      status: z.optional(UploadStatus),
      /** Words of the name or the path, in any order, or a glob: as in a search for files. */
      query: z.optional(boundedString(500)),
      limit: limitParameter(500),
      cursor: z.optional(Cursor),
    }),
    reply: z.object({ results: z.array(Upload), nextCursor: z.optional(Cursor) }),
  },
  cancelUpload: {
    method: 'DELETE',
    path: '/api/devices/files/upload-requests/{id}',
    auth: 'session',
    needs: 'fetch',
    audit: { action: 'upload:canceled' },
    summary: 'Cancels an upload request that has not ended.',
    source: 'C4, C5',
    params: z.object({ id: Id }),
    reply: z.object({ success: z.literal(true), id: Id, status: z.literal('canceled') }),
    errors: [404, 409],
  },
  downloadFile: {
    method: 'GET',
    path: '/api/devices/files/{id}/{fileName}',
    auth: 'session',
    needs: 'fetch',
    audit: { action: 'file:downloaded' },
    summary: 'Streams an uploaded file as an attachment. `fileUrl` points here.',
    source: 'Upload result; C13, C20, C26',
    params: z.object({ id: Id, fileName: z.string() }),
    reply: 'bytes',
    inParts: true,
    errors: [404],
  },
} as const satisfies Record<string, Operation>

const byWebhookId = { auth: 'session', needs: 'manage', source: 'C33', params: z.object({ id: Id }) } as const

/** How users have other programs notified. */
const webhookOperations = {
  createWebhook: {
    method: 'POST',
    path: '/api/webhooks',
    auth: 'session',
    needs: 'manage',
    audit: { action: 'webhook:created' },
    summary: 'Creates a webhook, and returns its secret once. The webhook gets events from then on.',
    source: 'C20, C33',
    body: NewWebhook,
    headers: [idempotencyKey],
    status: 201,
    reply: z.object({
      webhook: Webhook,
      /** Verifies the signatures of its requests, by Standard Webhooks. */
      secret: z.string(),
    }),
    errors: [409],
  },
  listWebhooks: {
    method: 'GET',
    path: '/api/webhooks',
    auth: 'session',
    needs: 'manage',
    summary: "Lists the user's webhooks, newest first. There are at most 20.",
    source: 'C33',
    reply: z.object({ webhooks: z.array(Webhook) }),
  },
  getWebhook: {
    ...byWebhookId,
    method: 'GET',
    path: '/api/webhooks/{id}',
    summary: 'Returns a webhook.',
    replyHeaders: [entityTag],
    reply: z.object({ webhook: Webhook }),
    errors: [404],
  },
  updateWebhook: {
    ...byWebhookId,
    method: 'PUT',
    path: '/api/webhooks/{id}',
    audit: { action: 'webhook:updated' },
    summary: 'Changes a webhook, or enables a disabled webhook.',
    body: WebhookUpdate,
    headers: [ifMatch],
    replyHeaders: [entityTag],
    reply: z.object({ webhook: Webhook }),
    errors: [404, 412],
  },
  deleteWebhook: {
    ...byWebhookId,
    method: 'DELETE',
    path: '/api/webhooks/{id}',
    audit: { action: 'webhook:deleted' },
    summary: 'Deletes a webhook with its deliveries.',
    headers: [ifMatch],
    reply: z.object({ success: z.literal(true) }),
    errors: [404, 412],
  },
  testWebhook: {
    ...byWebhookId,
    method: 'POST',
    path: '/api/webhooks/{id}/test',
    audit: { action: 'webhook:tested' },
    summary:
      'Sends an event `webhook.test` once, and returns the outcome. Takes at most 15 seconds. At most four tests run at a time.',
    reply: z.object({ delivery: WebhookDelivery }),
    errors: [404, 409],
  },
  listWebhookDeliveries: {
    ...byWebhookId,
    method: 'GET',
    path: '/api/webhooks/{id}/deliveries',
    summary: 'Lists the newest 100 deliveries of a webhook, newest first.',
    reply: z.object({ deliveries: z.array(WebhookDelivery) }),
    errors: [404],
  },
} as const satisfies Record<string, Operation>

/** How users let scripts act for them. */
const apiTokenOperations = {
  createToken: {
    method: 'POST',
    path: '/api/tokens',
    auth: 'session',
    needs: 'manage',
    audit: { action: 'token:created', name: 'body.name' },
    summary: 'Creates an API token, and returns its secret once. The token may do no more than its creator.',
    source: 'C20, C30',
    body: NewApiToken,
    headers: [idempotencyKey],
    status: 201,
    reply: z.object({
      token: ApiToken,
      /** Send it as `Authorization: Bearer <secret>`. The server stores only its hash. */
      secret: z.string(),
    }),
    errors: [409],
  },
  listTokens: {
    method: 'GET',
    path: '/api/tokens',
    auth: 'session',
    needs: 'manage',
    summary: "Lists the user's API tokens, newest first. There are at most 100.",
    source: 'C30',
    reply: z.object({ tokens: z.array(ApiToken) }),
  },
  deleteToken: {
    method: 'DELETE',
    path: '/api/tokens/{id}',
    auth: 'session',
    needs: 'manage',
    audit: { action: 'token:deleted' },
    summary: 'Revokes an API token: at once in this process, and within 5 seconds in others.',
    source: 'C30',
    params: z.object({ id: Id }),
    reply: z.object({ success: z.literal(true) }),
    errors: [404],
  },
} as const satisfies Record<string, Operation>

/** What an owner does with everything at once. */
const ownerOperations = {
  exportOwner: {
    method: 'GET',
    path: '/api/export',
    auth: 'session',
    needs: 'manage',
    audit: { action: 'owner:exported' },
    summary:
      'Streams all data of the user as NDJSON: a line `{"type", "data"}` for each row, then a line of type `end`. Its `leftOut` names the kinds of rows that the session may not read.',
    source: 'C31',
    reply: 'bytes',
  },
  eraseOwner: {
    method: 'DELETE',
    path: '/api/owner',
    auth: 'session',
    needs: 'manage',
    audit: { action: 'owner:erased' },
    needsSession: true,
    summary: 'Erases all data of the user. API tokens may not call this.',
    source: 'C31',
    reply: z.object({
      success: z.literal(true),
      /** Whether everything is already erased. If not, the server continues, also after a restart. */
      done: z.boolean(),
    }),
  },
} as const satisfies Record<string, Operation>

/** How users see what they may use. */
const quotaOperations = {
  listQuotas: {
    method: 'GET',
    path: '/api/quotas',
    auth: 'session',
    needs: 'read',
    summary: 'Lists the limits of the user, and how much of each is used.',
    source: 'Limits that users can read',
    reply: z.object({ quotas: z.array(Quota) }),
  },
} as const satisfies Record<string, Operation>

/** How users read what they did. */
const auditOperations = {
  listAudit: {
    method: 'GET',
    path: '/api/audit',
    auth: 'session',
    needs: 'audit',
    summary: "Lists the user's actions and rejected attempts, newest first.",
    source: 'C11, C24',
    query: z.strictObject({
      action: z.optional(AuditAction),
      deviceId: z.optional(Id),
      /** Name of the actor in the entry. */
      actor: z.optional(Actor),
      /** Entries at or after this time. */
      from: z.optional(TimestampParameter),
      /** Entries before this time. */
      to: z.optional(TimestampParameter),
      limit: limitParameter(500),
      cursor: z.optional(Cursor),
    }),
    reply: z.object({ entries: z.array(AuditEntry), nextCursor: z.optional(Cursor) }),
  },
} as const satisfies Record<string, Operation>

/** Operations for users. */
export const userOperations = {
  ...ownDeviceOperations,
  ...searchOperations,
  ...savedSearchOperations,
  ...fileOperations,
  ...auditOperations,
  ...apiTokenOperations,
  ...enrollmentOperations,
  ...ownerOperations,
  ...webhookOperations,
  ...quotaOperations,
} as const satisfies Record<string, Operation>

import type { Operation } from '../operation.ts'
import { enrollmentOperations } from './enrollment-operations.ts'
import { fileOperations } from './file-operations.ts'
import { ownDeviceOperations } from './own-device-operations.ts'
import { savedSearchOperations } from './saved-search-operations.ts'
import { searchOperations } from './search-operations.ts'
import { webhookOperations } from './webhook-operations.ts'
import * as z from 'zod/mini'
import { Actor, AuditAction, AuditEntry } from './audit.ts'
import { Cursor, limitParameter, TimestampParameter } from './list-query.ts'
import { Id } from './text.ts'
import { ApiToken, NewApiToken } from './api-token.ts'
import { idempotencyKey } from './operation-parts.ts'

/** How users let scripts act for them. */
const apiTokenOperations = {
  createToken: {
    method: 'POST',
    path: '/api/tokens',
    auth: 'session',
    needs: 'manage',
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
    summary:
      'Streams all data of the user as NDJSON: a line `{"type", "data"}` for each row, then a line of type `end`. Kinds of rows whose own list the session may not read are left out, and `end` names them in `leftOut`.',
    source: 'C31',
    reply: 'bytes',
  },
  eraseOwner: {
    method: 'DELETE',
    path: '/api/owner',
    auth: 'session',
    needs: 'manage',
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

/** What users call. */
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
} as const satisfies Record<string, Operation>

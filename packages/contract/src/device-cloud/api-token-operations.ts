import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { ApiToken, NewApiToken } from './api-token.ts'
import { idempotencyKey } from './operation-parts.ts'
import { Id } from './text.ts'

/** How users let scripts act for them. */
export const apiTokenOperations = {
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

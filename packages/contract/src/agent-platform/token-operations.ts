import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { idempotencyHeader } from './start-options.ts'
import { AccessToken, NewAccessToken } from './token.ts'
import { Done, PlatformId } from './values.ts'

/** Access tokens with scopes. */
export const tokenOperations = {
  createToken: {
    method: 'POST',
    path: '/api/tokens',
    auth: 'local',
    scope: 'admin',
    summary:
      'Creates an access token, and returns its secret once. The token cannot expire later than the token that creates it. There are at most 1,000.',
    source: 'A26',
    headers: [idempotencyHeader],
    body: NewAccessToken,
    status: 201,
    reply: z.object({
      token: AccessToken,
      /** Send it as `Authorization: Bearer <secret>`. The server stores only its hash. */
      secret: z.string(),
    }),
    errors: [409],
  },
  listTokens: {
    method: 'GET',
    path: '/api/tokens',
    auth: 'local',
    scope: 'admin',
    summary: 'Lists the access tokens, newest first. `API_TOKEN` is not among them.',
    source: 'A26',
    reply: z.object({ tokens: z.array(AccessToken) }),
  },
  deleteToken: {
    method: 'DELETE',
    path: '/api/tokens/{id}',
    auth: 'local',
    scope: 'admin',
    summary:
      'Deletes an access token: it is rejected at once. Its open streams and sockets close within 35 seconds.',
    source: 'A26',
    params: z.object({ id: PlatformId }),
    reply: Done,
    errors: [404],
  },
} as const satisfies Record<string, Operation>

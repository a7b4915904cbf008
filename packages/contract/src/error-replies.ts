import type { AuthKind, Operation, Schema } from './operation.ts'

/** Statuses of documented error responses. */
export type ErrorStatus =
  | 400
  | 401
  | 403
  | 404
  | 405
  | 409
  | 412
  | 413
  | 415
  | 416
  | 422
  | 429
  | 500
  | 501
  | 502
  | 503
  | 504

/** A documented error: its condition and its body. */
export interface ErrorReply {
  readonly status: ErrorStatus
  /** Condition of the error, in one sentence. */
  readonly description: string
  /** Value of `error` in the body. For 404 and 409, which name their subject, an example. */
  readonly error: string
  /** Whether the body also contains `message`, which describes the problem. */
  readonly hasMessage: boolean
  /** Response headers: name → description of the value. */
  readonly headers?: Readonly<Record<string, string>>
  /** Value of `code` in the body, for HTTP APIs whose errors have a code. */
  readonly code?: string
}

/** The documented errors of an HTTP API that has its own error body. */
export interface ErrorTable {
  /** Name of the body's schema in the OpenAPI document. @default "Error" */
  readonly name?: string
  /** Schema of the body of every error. */
  readonly body: Schema
  /** Every documented error by its status. */
  readonly replies: Readonly<Record<number, ErrorReply>>
  /** Returns an example of the body. */
  toExample(reply: ErrorReply): object
}

/** Value of `error` in a 401 response, by kind of caller. */
export const unauthorizedErrors: Readonly<Record<Exclude<AuthKind, 'public'>, string>> = {
  device: 'Invalid or missing API key',
  enrolling: 'Invalid or missing API key',
  session: 'Unauthorized',
  local: 'Unauthorized',
  webhook: 'Unauthorized',
}

/** Statuses that every interface has; 401 aside. */
type CommonStatus = Exclude<ErrorStatus, 401 | 422 | 502 | 504>

/** Every documented error except 401, whose body depends on the kind of caller: see {@link unauthorizedErrors}. */
export const errorReplies = {
  400: {
    status: 400,
    description: 'The request failed validation; `message` names the field.',
    error: 'Validation error',
    hasMessage: true,
  },
  403: {
    status: 403,
    description:
      'The request is not allowed. `message` gives the reason: the server does not accept `Host` or `Origin`, the session lacks the grant in `x-needs`, or the enrollment token is not valid for the device.',
    error: 'Forbidden',
    hasMessage: true,
  },
  404: {
    status: 404,
    description: 'The resource does not exist, or belongs to another user. `error` names it.',
    error: 'Device not found',
    hasMessage: false,
  },
  405: {
    status: 405,
    description: 'The path exists, but not with this method.',
    error: 'Method not allowed',
    hasMessage: true,
    headers: { Allow: 'Methods of the path, separated by commas.' },
  },
  409: {
    status: 409,
    description: 'The request conflicts with an earlier request or outcome.',
    error: 'Conflict',
    hasMessage: true,
  },
  412: {
    status: 412,
    description: '`If-Match` does not match: the resource has changed since. Read it again.',
    error: 'Precondition failed',
    hasMessage: true,
  },
  413: {
    status: 413,
    description: 'The body is larger than the server accepts.',
    error: 'Payload too large',
    hasMessage: true,
  },
  415: {
    status: 415,
    description: 'The operation does not support the content type or content encoding of the body.',
    error: 'Unsupported media type',
    hasMessage: true,
  },
  416: {
    status: 416,
    description: '`Range` is outside the file. `Content-Range` has the size of the file.',
    error: 'Range not satisfiable',
    hasMessage: true,
    headers: { 'Content-Range': '`bytes */N`, where N is the size of the file.' },
  },
  429: {
    status: 429,
    description:
      'Too many requests from this device, or too many failed authentications or enrollments from this address.',
    error: 'Rate limit exceeded',
    hasMessage: true,
    headers: { 'Retry-After': 'Seconds to wait before the next request: an integer of at least 1.' },
  },
  500: {
    status: 500,
    description: 'Processing failed.',
    error: 'Failed to process request',
    hasMessage: false,
  },
  501: {
    status: 501,
    description:
      'The operation needs an optional package that is not installed on the server. `message` names it.',
    error: 'Not implemented',
    hasMessage: true,
  },
  503: {
    status: 503,
    description:
      'The server is stopping, or it cannot check sessions because the identity provider does not respond.',
    error: 'Service unavailable',
    hasMessage: true,
    headers: { 'Retry-After': 'Seconds to wait before the next request: an integer of at least 1.' },
  },
} as const satisfies {
  readonly [Status in CommonStatus]: ErrorReply & { readonly status: Status }
}

/**
 * Returns the errors that an operation can respond with, by status.
 *
 * The kind of caller decides about 401, 429 and 503, the request body about 400, 413 and 415, the response about 416,
 * and the row's own `errors` about the rest. 405 belongs to a path and is not included.
 *
 * @param known errors of the HTTP API. @default {@link errorReplies}
 * @throws if the row names a status without a documented error.
 */
export function errorRepliesOf(
  operation: Operation,
  known: ErrorTable['replies'] = errorReplies,
): readonly ErrorReply[] {
  const { auth, body, form, bytes, params, query, inParts, errors = [] } = operation
  const statuses = new Set<number>([403, 500, ...errors])
  if (body || form || bytes || params || query) statuses.add(400)
  if (body || form || bytes) statuses.add(413).add(415)
  if (inParts) statuses.add(416)
  // of a session or a local caller: one that comes with a token
  if (auth !== 'public' && auth !== 'webhook') statuses.add(429)
  // a session that cannot be checked, a server that is stopping
  if (auth !== 'public' && auth !== 'webhook') statuses.add(503)

  const replies = [...statuses].map((status): ErrorReply => {
    const reply = known[status]
    if (reply) return reply
    throw new Error(
      `Listing the errors of ${operation.method} ${operation.path} failed: ${status} has no documented body. Add it to "errorReplies".`,
    )
  })
  if (auth !== 'public') replies.push(known[401] ?? unauthorizedReply(auth))
  return replies.toSorted((a, b) => a.status - b.status)
}

function unauthorizedReply(auth: Exclude<AuthKind, 'public'>): ErrorReply {
  const caller = auth === 'device' || auth === 'enrolling' ? 'The API key' : 'What proves the caller'
  return {
    status: 401,
    description: `${caller} is missing or not valid.`,
    error: unauthorizedErrors[auth],
    hasMessage: false,
  }
}

import type { AuthKind, Operation, Schema } from './operation.ts'

/** Statuses of the answers that are documented errors. */
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

/** A documented error: when it is given, and what its body holds. */
export interface ErrorReply {
  readonly status: ErrorStatus
  /** When it is given; one sentence. */
  readonly description: string
  /** Value of `error` in the body; for 404 and 409, which name their subject, an example of it. */
  readonly error: string
  /** Whether the body also carries `message`, which names the problem. */
  readonly hasMessage: boolean
  /** Headers that come with it, by name, with what they hold. */
  readonly headers?: Readonly<Record<string, string>>
  /** Value of `code` in the body, for interfaces that have one. */
  readonly code?: string
}

/** The errors of an interface whose bodies are its own. */
export interface ErrorTable {
  /** Name of the body's schema in an OpenAPI document. @default "Error" */
  readonly name?: string
  /** Body of every error. */
  readonly body: Schema
  /** Every error by its status. */
  readonly replies: Readonly<Record<number, ErrorReply>>
  /** An example of the body. */
  toExample(reply: ErrorReply): object
}

/** Value of `error` for a caller that is not who it has to be, by kind of caller. */
export const unauthorizedErrors: Readonly<Record<Exclude<AuthKind, 'public'>, string>> = {
  device: 'Invalid or missing API key',
  enrolling: 'Invalid or missing API key',
  session: 'Unauthorized',
  local: 'Unauthorized',
  webhook: 'Unauthorized',
}

/** Statuses that every interface has; 401 aside. */
type CommonStatus = Exclude<ErrorStatus, 401 | 422 | 502 | 504>

/** Every documented error but 401, whose body depends on the kind of caller: see {@link unauthorizedErrors}. */
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
 * The errors that an operation can give, by status.
 *
 * Who may call decides about 401, 429 and 503, what the request carries about 400, 413 and 415, what comes back about
 * 416, the row's own `errors` about the rest. 405 belongs to a path, not to an operation, and is not among them.
 *
 * @param known the errors of the interface; absent for the ones of {@link errorReplies}.
 * @throws when the row names a status that no documented error has.
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

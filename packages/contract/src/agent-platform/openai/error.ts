import * as z from 'zod/mini'
import type { ErrorReply, ErrorTable } from '../../error-replies.ts'
import { platformErrorReplies } from '../errors.ts'

/** Body of every error below `/v1`, in the format of the OpenAI API. */
export const OpenAiError = z.object({
  error: z.object({
    /** Problem and how to fix it. */
    message: z.string(),
    /** Kind of the error, such as `invalid_request_error` or `server_error`. */
    type: z.string(),
    /** Invalid field of the request; null if no single field is invalid. */
    param: z.nullable(z.string()),
    /** Stable code for programs. */
    code: z.nullable(z.string()),
  }),
})
export type OpenAiError = z.infer<typeof OpenAiError>

interface KnownError {
  readonly type: string
  readonly code: string | null
}

const invalid = { type: 'invalid_request_error', code: null }

/** Type and default code of the errors below `/v1`, by status. */
export const openaiErrorKinds: Readonly<Record<number, KnownError>> = {
  400: invalid,
  401: { ...invalid, code: 'invalid_api_key' },
  403: { ...invalid, code: 'forbidden' },
  404: { ...invalid, code: 'unknown_url' },
  405: { ...invalid, code: 'method_not_supported' },
  409: { type: 'conflict_error', code: 'conflict' },
  413: { ...invalid, code: 'request_too_large' },
  415: { ...invalid, code: 'unsupported_media_type' },
  429: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
}

/** Type and code for a status that is not in {@link openaiErrorKinds}. */
export const openaiServerError: KnownError = { type: 'server_error', code: null }

/** The errors below `/v1`, for the OpenAPI document. */
export const openaiErrors: ErrorTable = {
  name: 'OpenAiError',
  body: OpenAiError,
  replies: {
    ...platformErrorReplies,
    429: {
      ...platformErrorReplies[429],
      description: 'Too many requests, or the budget of the agent is used up (`insufficient_quota`).',
    },
    501: { ...platformErrorReplies[501], description: 'The server has no embedding model.' },
  },
  toExample: ({ status, description }: ErrorReply) => {
    const { type, code } = openaiErrorKinds[status] ?? openaiServerError
    return { error: { message: description, type, param: null, code } }
  },
}

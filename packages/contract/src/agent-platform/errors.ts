import * as z from 'zod/mini'
import { type ErrorReply, errorReplies, type ErrorTable } from '../error-replies.ts'

/** Body of every error of the platform. */
export const PlatformError = z.object({
  /** Short text for people. */
  error: z.string(),
  /** Stable code for programs. */
  code: z.string(),
  /** Problem of this request and how to fix it. */
  message: z.optional(z.string()),
  /** Machine-readable details. */
  details: z.optional(z.record(z.string(), z.unknown())),
  /** Same as the `x-request-id` header. The server log contains it too. */
  request_id: z.string(),
})
export type PlatformError = z.infer<typeof PlatformError>

const reply = (
  status: ErrorReply['status'],
  code: string,
  error: string,
  description: string,
): ErrorReply => ({ status, code, error, description, hasMessage: true })

const { 400: invalid, 403: forbidden, 405: method, 409: conflict } = errorReplies
const { 413: tooLarge, 415: mediaType, 429: rate, 500: failed, 501: lacking } = errorReplies

/** Every error of the platform by status, with its default code. A status can have further codes. */
export const platformErrorReplies = {
  400: { ...invalid, code: 'validation_error' },
  401: reply(401, 'unauthorized', 'Unauthorized', 'The access token is missing or not valid.'),
  403: {
    ...forbidden,
    code: 'forbidden',
    description: `The request is not allowed. \`message\` gives the reason: the server does not accept \`Host\` or \`Origin\`, or the access token lacks the scope in \`x-scope\` or access to the agent. Also returned if a guard rejected the input or output of a run (\`guard_refused\`).`,
  },
  404: reply(404, 'not_found', 'Not found', 'The resource does not exist. `message` names it.'),
  405: { ...method, code: 'method_not_allowed' },
  409: { ...conflict, code: 'conflict' },
  413: { ...tooLarge, code: 'payload_too_large' },
  415: { ...mediaType, code: 'unsupported_media_type' },
  422: reply(
    422,
    'invalid_skill',
    'Invalid skill',
    'The skill breaks a rule of its format; `message` names it.',
  ),
  429: {
    ...rate,
    code: 'rate_limited',
    description: 'Too many requests, or too many invalid access tokens from this address.',
  },
  500: {
    ...failed,
    code: 'internal_error',
    description: 'The server could not process the request, or the run failed.',
    hasMessage: true,
  },
  501: { ...lacking, code: 'not_implemented' },
  502: reply(
    502,
    'model_error',
    'Upstream failed',
    'A model provider, a skill store or a messaging platform failed or cannot be reached, or the output of a model does not match `output_schema` (`output_invalid`).',
  ),
  503: reply(
    503,
    'closed',
    'Not available',
    'The server is stopping, or its storage fails: try again later.',
  ),
  504: reply(504, 'timeout', 'Run limit reached', 'The run was stopped at its longest duration.'),
} as const satisfies Readonly<Record<number, ErrorReply>>

/** The errors of the platform, for the OpenAPI document and for mocks. */
export const platformErrors: ErrorTable = {
  body: PlatformError,
  replies: platformErrorReplies,
  toExample: ({ error, code, description }) => ({
    error,
    code,
    message: description,
    request_id: 'f1b7c2d0',
  }),
}

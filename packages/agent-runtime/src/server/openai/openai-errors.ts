import {
  openaiErrorKinds,
  openaiServerError,
  type OpenAiError,
  type RunResult,
} from '@homeward/contract/agent-platform'
import { HttpError, type FailureContext } from '@homeward/contract/handler'
import { FailedRun, toRunReply } from '../platform-errors.ts'

/** 400 for a field that cannot be used. */
export function invalidField(param: string, message: string): HttpError {
  return new HttpError(400, {
    error: 'Validation error',
    message: `${param}: ${message}`,
    details: { param },
  })
}

/** 404 for a model that is not an agent. */
export function modelNotFound(model: string): HttpError {
  return new HttpError(404, {
    error: 'Not found',
    message: `The model "${model.slice(0, 200)}" does not exist. Use the id of an agent: GET /v1/models lists them.`,
    code: 'model_not_found',
    details: { param: 'model' },
  })
}

/** 404 for a conversation of another agent or user. */
export function conversationNotFound(): HttpError {
  return new HttpError(404, {
    error: 'Not found',
    message: 'The conversation in X-Homeward-Conversation does not belong to this model and user.',
    code: 'conversation_not_found',
  })
}

/** Header with the id of the run that answers. */
export const runHeader = 'x-homeward-run'

/** The error of a run that did not succeed. */
export function toRunError(result: RunResult): HttpError {
  const { error = 'The run failed.', code = 'run_error', run_id } = result
  // the official clients repeat requests with some of these errors, but the run has ended: it would start again
  const headers = { [runHeader]: run_id, 'x-should-retry': 'false' }
  const isSpent = code === 'budget_exceeded'
  const body = { error: 'Run failed', message: error, code: isSpent ? 'insufficient_quota' : code }
  return new HttpError(isSpent ? 429 : statusOf(result), body, headers)
}

function statusOf(result: RunResult): number {
  // somebody else canceled the run: this caller is gone, or did not ask for that
  if (result.code === 'cancelled') return 409
  // as OpenAI does for a prompt that does not fit
  if (result.code === 'validation_error') return 400
  try {
    toRunReply(result)
    return 500
  } catch (error) {
    return error instanceof FailedRun ? error.status : 500
  }
}

/** Codes of the platform that OpenAI's type and code of the status say better. */
const generic = new Set(['validation_error', 'unauthorized', 'forbidden', 'not_found', 'payload_too_large'])

/** Body of an error below `/v1`. */
export function toOpenAiError(error: HttpError, context?: FailureContext): OpenAiError {
  const { status, body } = error
  const kind = openaiErrorKinds[status] ?? openaiServerError
  const code = body.code === undefined || generic.has(body.code) ? kind.code : body.code
  const message = body.message ?? body.error
  const type = code === 'insufficient_quota' ? code : kind.type
  if (status === 404 && context?.operationId === undefined && code === 'unknown_url')
    return { error: { message: unknownPath, type, param: null, code } }
  return { error: { message, type, param: paramOf(error), code } }
}

const unknownPath =
  'This path does not exist. Use /v1/models, /v1/chat/completions, /v1/responses or /v1/embeddings.'

/** The field that a validation error names first. */
function paramOf({ status, body }: HttpError): string | null {
  const given = body.details?.['param']
  if (typeof given === 'string') return given
  const named = status === 400 ? /^([a-z_]+[\w.[\]]*): /.exec(body.message ?? '')?.[1] : undefined
  return named === undefined || named === 'body' ? null : named
}

import type { ResponseConfig } from '@asteasolutions/zod-to-openapi'
import { type ErrorReply, errorRepliesOf, type ErrorTable } from '../error-replies.ts'
import type { Operation, OperationHeader } from '../operation.ts'
import { partReplyHeaders } from './file-parts.ts'
import type { JsonSchemas } from './json-schemas.ts'

/** The two components that describe every documented error, where an interface has no bodies of its own. */
export const errorSchemas = {
  Error: {
    type: 'object',
    description: 'A documented error.',
    properties: {
      error: {
        type: 'string',
        description: 'What went wrong. The text is the same for every error of a kind.',
      },
    },
    required: ['error'],
  },
  ErrorWithMessage: {
    type: 'object',
    description: 'A documented error with details.',
    properties: {
      error: {
        type: 'string',
        description: 'What went wrong. The text is the same for every error of a kind.',
      },
      message: { type: 'string', description: 'The problem of this request, and how to fix it.' },
    },
    required: ['error', 'message'],
  },
} as const

/** Answers of an operation by status: the successful one and every documented error. */
export function responsesOf(
  operation: Operation,
  schemas: JsonSchemas,
  errors?: ErrorTable,
): Record<string, ResponseConfig> {
  const responses: Record<string, ResponseConfig> = {
    [String(operation.status ?? 200)]: successOf(operation, schemas),
  }
  if (operation.inParts) {
    responses['206'] = partOf(operation)
    responses['304'] = { description: 'The file still matches `If-None-Match`.' }
  }
  // A stream of a user's events has no end.
  if (canResume(operation) && operation.auth !== 'session') {
    responses['204'] = { description: 'The run has ended, and `Last-Event-ID` is its last event.' }
  }
  if (operation.emptyStatus !== undefined) {
    responses[String(operation.emptyStatus)] = { description: 'There is nothing to stream.' }
  }
  if (operation.repeatStatus !== undefined) {
    const description = 'A retry of an earlier request. This is its outcome.'
    responses[String(operation.repeatStatus)] = { ...successOf(operation, schemas), description }
  }
  if (operation.pendingStatus !== undefined) {
    const description = 'Accepted, and waits for a decision.'
    responses[String(operation.pendingStatus)] = { ...successOf(operation, schemas), description }
  }
  for (const reply of errorRepliesOf(operation, errors?.replies)) {
    const described = errorResponse(reply, errors)
    responses[String(reply.status)] =
      operation.reply === 'page' ? { ...described, content: { '*/*': { schema: {} } } } : described
  }
  if (operation.reply === 'mcp') Object.assign(responses, mcpResponses)
  return responses
}

/** What only messages of the Model Context Protocol bring about. Its errors have bodies of JSON-RPC. */
const mcpResponses = {
  '202': { description: 'The notification was accepted.' },
  '400': {
    description: 'The message is not valid, or of a protocol version that is not supported.',
    content: { '*/*': { schema: {} } },
  },
  '404': { description: 'The server does not have this method.', content: { '*/*': { schema: {} } } },
  '406': {
    description: '`Accept` does not name both `application/json` and `text/event-stream`.',
    content: { '*/*': { schema: {} } },
  },
} satisfies Record<string, ResponseConfig>

/** Whether it streams events, and goes on behind the one that a caller names. */
function canResume({ reply, headers = [] }: Operation): boolean {
  return reply === 'events' && headers.some(({ name }) => name.toLowerCase() === 'last-event-id')
}

/** A streamed file, or a part of one. */
function fileOf({ inParts }: Operation, description: string, more: readonly OperationHeader[] = []) {
  return {
    description,
    headers: {
      'Content-Disposition': textHeader('`attachment` with the name of the file.'),
      'X-Content-Type-Options': textHeader('`nosniff`.'),
      ...textHeaders(inParts ? [...partReplyHeaders, ...more] : more),
    },
    content: { '*/*': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } } },
  } satisfies ResponseConfig
}

function partOf(operation: Operation): ResponseConfig {
  return fileOf(operation, 'The part of the file that `Range` asked for.', [
    { name: 'Content-Range', description: '`bytes first-last/N`, where N is the size of the file.' },
  ])
}

function successOf(operation: Operation, schemas: JsonSchemas): ResponseConfig {
  const { reply, headers = [], replyHeaders = [], status = 200 } = operation
  if (reply === 'bytes') return fileOf(operation, 'The bytes of the file, as an attachment.')
  if (reply === 'events') {
    return {
      description: 'Server-sent events as they happen. The stream ends after the last event.',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    }
  }
  if (reply === 'platform') {
    return {
      description: 'The response that the calling platform expects.',
      content: { '*/*': { schema: {} } },
    }
  }
  if (reply === 'text') {
    return { description: 'Plain text.', content: { 'text/plain': { schema: { type: 'string' } } } }
  }
  if (reply === 'page') {
    return { description: 'A page.', content: { 'text/html': { schema: { type: 'string' } } } }
  }
  if (reply === 'mcp') {
    return {
      description:
        'The response to the message: one JSON-RPC message, or a stream of messages that ends with the response.',
      content: { '*/*': { schema: {} } },
    }
  }
  const waits = headers.some(({ name }) => name.toLowerCase() === 'prefer')
  const told = {
    ...(waits && {
      'Preference-Applied': textHeader('`wait=N` if the server held the response as `Prefer` requested.'),
    }),
    ...textHeaders(replyHeaders),
  }
  return {
    description: descriptions[status],
    ...(Object.keys(told).length > 0 && { headers: told }),
    content: {
      'application/json': { schema: schemas.of(reply, 'output') },
      ...(operation.orEvents && { 'text/event-stream': { schema: { type: 'string' as const } } }),
    },
  }
}

const descriptions = { 200: 'Done.', 201: 'Created.', 202: 'Accepted. The work continues.' } as const

function errorResponse(reply: ErrorReply, errors: ErrorTable | undefined): ResponseConfig {
  const { description, error, hasMessage, headers } = reply
  const name = errors?.name ?? (hasMessage && !errors ? 'ErrorWithMessage' : 'Error')
  const described = Object.entries(headers ?? {}).map(
    ([header, holds]) => [header, textHeader(holds)] as const,
  )
  return {
    description,
    ...(described.length > 0 && { headers: Object.fromEntries(described) }),
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${name}` },
        example: errors?.toExample(reply) ?? (hasMessage ? { error, message: description } : { error }),
      },
    },
  }
}

const textHeaders = (headers: readonly OperationHeader[]) =>
  Object.fromEntries(headers.map(({ name, description }) => [name, textHeader(description)]))

const textHeader = (description: string) => ({ description, schema: { type: 'string' as const } })

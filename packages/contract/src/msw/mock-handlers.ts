import { http, type HttpHandler } from 'msw'
import * as z from 'zod/mini'
import type { Operation, OperationTable, Schema } from '../operation.ts'
import {
  isMockError,
  isReplyFunction,
  type MockEvent,
  type MockReplies,
  toEventText,
  type MockCall,
} from './mock-reply.ts'
import { describeIssues, describeIssue } from '../handler/describe-issues.ts'
import { HttpError } from '../handler/http-error.ts'
import { parseQuery } from '../handler/parse-input.ts'

/** Options of {@link mockHandlers}. */
export interface MockOptions<Table extends OperationTable> {
  /** Address of the mocked service, such as `https://cloud.example`. */
  readonly baseUrl: string
  /** Responses by operation id. Only these operations are mocked. */
  readonly replies: MockReplies<Table>
  /**
   * Creates the body of the 400 response for a request that the operation's schemas reject.
   *
   * @default `{error, message}`
   */
  readonly validationBody?: (message: string) => object
}

/**
 * Creates MSW request handlers for operations of a table.
 *
 * A request that the operation's schemas reject gets the 400 response of the real service. A response that does not
 * match the operation's schema is an error: a fixed one at once, one of a function when it is called. So mocks cannot
 * differ from the API.
 *
 * @throws if `replies` names an unknown operation, or a fixed response does not match its schema.
 * @example
 * ```ts
 * import { deviceCloudOperations } from '@homeward/contract/device-cloud'
 * import { mockHandlers } from '@homeward/contract/msw'
 * import { setupServer } from 'msw/node'
 *
 * const server = setupServer(
 *   ...mockHandlers(deviceCloudOperations, {
 *     baseUrl: 'https://cloud.example',
 *     replies: {
 *       listPendingSearches: { requests: [] },
 *       sendHeartbeat: () => ({ status: 500, body: { error: 'Failed to process request' } }),
 *     },
 *   }),
 * )
 * ```
 */
export function mockHandlers<Table extends OperationTable>(
  operations: Table,
  { baseUrl, replies, validationBody = defaultValidationBody }: MockOptions<Table>,
): HttpHandler[] {
  const mocks = Object.entries<unknown>(replies).filter(([, reply]) => reply !== undefined)
  return (
    mocks
      .map(([id, reply]) => ({ id, reply, operation: operationOf(operations, id) }))
      // the first match answers, so `/requests/pending` has to come before `/requests/{id}`
      .toSorted((a, b) => parameterCount(a.operation) - parameterCount(b.operation))
      .map(({ id, reply, operation }) => mockHandler(id, operation, baseUrl, reply, validationBody))
  )
}

const defaultValidationBody = (message: string) => ({ error: 'Validation error', message })

function mockHandler(
  id: string,
  operation: Operation,
  baseUrl: string,
  reply: unknown,
  validationBody: (message: string) => object,
): HttpHandler {
  const answer = isReplyFunction(reply) ? undefined : toResponse(id, operation, reply)
  const url = baseUrl.replace(/\/$/, '') + operation.path.replaceAll(/\{(\w+)\}/g, ':$1')
  return http[methods[operation.method]](url, async ({ request, params }) => {
    const parsed = await parseCall(operation, request, params)
    if ('problem' in parsed) return Response.json(validationBody(parsed.problem), { status: 400 })
    if (!isReplyFunction(reply)) return answer?.clone()
    return toResponse(id, operation, await reply(parsed.call))
  })
}

const methods = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const

const parameterCount = ({ path }: Operation) => path.split('{').length

function operationOf(operations: OperationTable, id: string): Operation {
  const operation = operations[id]
  if (operation) return operation
  throw new Error(
    `Mocking ${id} failed: the table has no such operation. Use one of ${Object.keys(operations).join(', ')}.`,
  )
}

function toResponse(id: string, operation: Operation, answer: unknown): Response {
  if (answer instanceof Response) return answer
  if (isMockError(answer)) {
    return Response.json(answer.body, { status: answer.status, headers: { ...answer.headers } })
  }
  if (typeof operation.reply === 'string' && operation.reply !== 'events') {
    throw new Error(`Mocking ${id} failed: its response is ${operation.reply} content. Pass a Response.`)
  }
  if (operation.reply === 'events') {
    if (!Array.isArray(answer))
      throw new Error(`Mocking ${id} failed: its response is a stream of events. Pass a list of events.`)
    const headers = { 'content-type': 'text/event-stream' }
    return new Response(toEventText(answer as readonly MockEvent[]), { headers }) // as the types of MockResponse say
  }
  const parsed = z.safeParse(operation.reply, answer)
  if (!parsed.success) {
    throw new Error(
      `Mocking ${id} failed: the response is not the documented response. ${z.prettifyError(parsed.error)}`,
    )
  }
  return Response.json(answer, { status: operation.status ?? 200 })
}

/** What a request holds, or why the real service would answer 400. */
type ParsedCall = { readonly call: MockCall<Operation> } | { readonly problem: string }

/** Text values by parameter name, as the matcher found them in the path. */
type RawParams = Readonly<Record<string, string | readonly string[] | undefined>>

/** Parses path, query and JSON body by the schemas of the operation. */
async function parseCall(operation: Operation, request: Request, rawParams: RawParams): Promise<ParsedCall> {
  const params = parse(operation.params, rawParams, 'path')
  const query = parseSearch(operation, new URL(request.url).search.slice(1))
  const body = parse(operation.body, operation.body && (await readJson(request)), 'body')

  const problem = params.problem ?? query.problem ?? body.problem
  if (problem !== undefined) return { problem }
  return { call: { params: params.value, query: query.value, body: body.value, request } }
}

interface Parsed {
  readonly value?: unknown
  readonly problem?: string
}

function parse(schema: Schema | undefined, value: unknown, place: string): Parsed {
  if (!schema) return {}
  const parsed = z.safeParse(schema, value, { error: describeIssue })
  return parsed.success ? { value: parsed.data } : { problem: describeIssues(parsed.error.issues, place) }
}

function parseSearch(operation: Operation, search: string): Parsed {
  try {
    return { value: parseQuery(operation, search) }
  } catch (error) {
    if (error instanceof HttpError) return { problem: error.message }
    throw error
  }
}

async function readJson(request: Request): Promise<unknown> {
  try {
    return await request.clone().json()
  } catch {
    return undefined // not JSON: the schema then refuses it
  }
}

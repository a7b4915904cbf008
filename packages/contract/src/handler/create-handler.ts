import * as z from 'zod/mini'
import type { AuthKind, Operation, OperationTable } from '../operation.ts'
import { toFetch, type FetchHandler } from './fetch-handler.ts'
import type { CompletedCall, Call, FailureContext, HandlerOptions } from './handler-options.ts'
import { HttpError } from './http-error.ts'
import { toNode, type NodeHandler } from './node-handler.ts'
import {
  assertUnread,
  checkBodyLength,
  parseBody,
  parseParams,
  parseQuery,
  requireBytes,
  requireContentType,
} from './parse-input.ts'
import type { PlainReply } from './plain-reply.ts'
import { safeHook } from './safe-hook.ts'
import type { RequestView } from './request-view.ts'
import { addRoute, createRouter, findRoute } from 'rou3'

const defaultMaxJsonBytes = 5 * 1024 * 1024

/** Responds to one request. Never rejects, because a failure becomes an error response. */
export type Respond = (request: RequestView) => Promise<PlainReply>

/** A request handler, usable with web-standard requests and with Node. */
export interface Handler {
  /** Web-standard handler, for Workers, Bun, Deno, Hono and Next.js. */
  readonly fetch: FetchHandler
  /** Node handler, for `node:http`, Express and h3. Creates no `Request` and no `Response` objects. */
  readonly node: NodeHandler
  /** The shared function behind both handlers. */
  readonly respond: Respond
}

/**
 * Creates a handler from a table of operations.
 *
 * The handler routes, authenticates each kind of caller, validates input, and limits sizes. The caller is
 * authenticated before the body is read.
 *
 * @example
 * const handler = createHandler({ operations, handlers, authenticate: { session: async () => user } })
 * const response = await handler.fetch(new Request('http://127.0.0.1/api/devices'))
 */
export function createHandler<Table extends OperationTable, C extends Partial<Record<AuthKind, unknown>>>(
  options: HandlerOptions<Table, C>,
): Handler {
  const respond = createRespond(options)
  return { respond, fetch: toFetch(respond), node: toNode(respond) }
}

type AnyCall = Call<Operation, unknown>

function createRespond<Table extends OperationTable, C extends Partial<Record<AuthKind, unknown>>>(
  options: HandlerOptions<Table, C>,
): Respond {
  const {
    operations,
    guard,
    trace,
    observe,
    checkReplies = false,
    maxJsonBytes = defaultMaxJsonBytes,
  } = options
  const onError = safeHook(options.onError)
  const createRequestId = options.createRequestId ?? (() => crypto.randomUUID())
  const findRoute = createRoutes(operations)
  // The route decides at run time which entry is meant; the types of HandlersOf hold for each entry on its own.
  const handlers = options.handlers as unknown as Record<string, (call: AnyCall) => unknown>
  const authenticate = options.authenticate as unknown as Record<
    string,
    (request: RequestView, operationId: string) => unknown
  >

  async function run(
    request: RequestView,
    id: string,
    operation: Operation,
    params: Record<string, string> | undefined,
    requestId: string,
  ): Promise<PlainReply> {
    const caller: unknown = await authenticate[operation.auth]?.(request, id)
    if (operation.form) requireContentType(request, 'multipart/form-data')
    if (operation.bytes) requireBytes(request, operation.bytes)
    if (operation.form || operation.bytes) assertUnread(request) // JSON: where it is read
    const maxBodyBytes = Math.max(maxJsonBytes, operation.maxBodyBytes ?? 0)
    checkBodyLength(operation, request, maxBodyBytes)
    let headers: Record<string, string> | undefined
    let { status = 200 } = operation
    const reply = await handlers[id]!({
      caller,
      params: parseParams(operation, params),
      query: parseQuery(operation, request.search),
      body: operation.body ? await parseBody(operation, request, maxBodyBytes) : undefined,
      request,
      requestId,
      markRepeated() {
        status = operation.repeatStatus ?? status
      },
      markPending() {
        status = operation.pendingStatus ?? status
      },
      setHeader(name, value) {
        headers ??= {}
        headers[name] = value
      },
    })
    // what is no schema is written by its handler
    if (typeof operation.reply === 'string') return reply as PlainReply
    if (operation.orEvents && isStream(reply)) return reply
    if (checkReplies) z.parse(operation.reply, reply)
    return json(status, reply, headers)
  }

  /** Finds the route behind the guard: a foreign caller does not even hear which paths there are. */
  function locate(request: RequestView): ReturnType<typeof findRoute> {
    try {
      const found = findRoute(request.method, request.path)
      // a platform comes by the public name of a tunnel or a proxy; its signature says who it is
      if (found.route.operation.auth !== 'webhook') guard?.(request)
      return found
    } catch (error) {
      guard?.(request)
      throw error
    }
  }

  function toErrorReply(error: unknown, context: FailureContext): PlainReply {
    const known = toHttpError(error)
    if (known !== error) onError(error, context)
    return json(known.status, errorBody(known, context, options), known.headers)
  }

  return async (request) => {
    const requestId = createRequestId()
    const startedAt = observe ? performance.now() : 0
    let id: string | undefined
    let reply: PlainReply
    try {
      const { route, params } = locate(request)
      id = route.id
      const work = () => run(request, route.id, route.operation, params, requestId)
      const call = { operationId: id, method: request.method, route: route.operation.path, requestId }
      reply = trace ? await trace(call, work) : await work()
    } catch (error) {
      reply = toErrorReply(error, { operationId: id, requestId })
    }
    observe?.(toAnswered(operations, id, request, reply, startedAt))
    return withRequestId(reply, requestId)
  }
}

function toAnswered(
  operations: OperationTable,
  operationId: string | undefined,
  { method }: RequestView,
  { status }: PlainReply,
  startedAt: number,
): CompletedCall {
  const route = operationId === undefined ? undefined : operations[operationId]?.path
  return { operationId, route, method, status, seconds: (performance.now() - startedAt) / 1000 }
}

function errorBody(
  error: HttpError,
  context: FailureContext,
  options: Pick<HandlerOptions<OperationTable, object>, 'operations' | 'errorBody'>,
): unknown {
  const isRpc = options.operations[context.operationId ?? '']?.reply === 'mcp' && error.status === 400
  return isRpc ? rpcError(error.message) : (options.errorBody?.(error, context) ?? error.body)
}

/** The error of JSON-RPC for a body that is not JSON, or not a message. */
const rpcError = (message: string) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code: /^body: (not valid|is empty)/.test(message) ? -32_700 : -32_600, message },
})

const toHttpError = (error: unknown) =>
  error instanceof HttpError ? error : new HttpError(500, { error: 'Failed to process request' })

/** No body of JSON holds a stream. */
function isStream(reply: unknown): reply is PlainReply {
  const body: unknown = (reply as Partial<PlainReply> | undefined)?.body
  return body instanceof ReadableStream
}

function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> | undefined,
): PlainReply {
  const text = JSON.stringify(body)
  return { status, headers: { 'content-type': 'application/json; charset=utf-8', ...headers }, body: text }
}

function withRequestId({ status, headers, body }: PlainReply, requestId: string): PlainReply {
  return {
    status,
    body,
    headers: { ...headers, 'x-content-type-options': 'nosniff', 'x-request-id': requestId },
  }
}

/** An operation that a request reached. */
interface Route {
  readonly id: string
  readonly operation: Operation
}

/** Finds the operation for a method and path; throws 404 or 405 (with `Allow`) when there is none. */
type FindRoute = (
  method: string,
  path: string,
) => { route: Route; params: Record<string, string> | undefined }

/** Only a server with a base path gets such a request. */
const outside =
  'This path is outside of the "basePath" of the server. If your framework cut the path off, pass the whole request.'

/** Builds the matcher of a table. `HEAD` reaches what `GET` reaches. */
function createRoutes(operations: OperationTable): FindRoute {
  const router = createRouter<Route>()
  const methods = new Set<string>()
  // Most paths have no parameters, among them all that devices call: one look finds those.
  const fixed = new Map<string, ReturnType<FindRoute>>()
  for (const [id, operation] of Object.entries(operations)) {
    const { method, path } = operation
    addRoute(router, method, path.replaceAll(/\{(\w+)\}/g, ':$1'), { id, operation })
    methods.add(method)
    if (!path.includes('{')) fixed.set(`${method} ${path}`, { route: { id, operation }, params: undefined })
  }

  return (method, path) => {
    const known = fixed.get(`${method} ${path}`)
    if (known) return known
    const match = findRoute(router, method === 'HEAD' ? 'GET' : method, path)
    if (match) return { route: match.data, params: match.params }
    const allowed = [...methods].filter((other) => findRoute(router, other, path))
    if (path === '') throw new HttpError(404, { error: 'Not found', message: outside })
    if (allowed.length === 0) throw new HttpError(404, { error: 'Not found' })
    if (allowed.includes('GET')) allowed.push('HEAD')
    throw new HttpError(
      405,
      { error: 'Method not allowed', message: `This path supports ${allowed.join(', ')}.` },
      { allow: allowed.join(', ') },
    )
  }
}

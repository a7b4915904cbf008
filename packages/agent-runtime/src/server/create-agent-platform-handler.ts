import {
  agentPlatformOperations,
  openaiOperations,
  type AgentPlatformOperations,
  type OpenAiOperations,
} from '@homeward/contract/agent-platform'
import {
  respondWithMetrics,
  createHandler,
  createRequestMeter,
  isBasePath,
  toBasePath,
  toFetch,
  toNode,
  type Handler,
  type Meter,
  type RequestView,
  type Respond,
  type Trace,
} from '@homeward/contract/handler'
import { checkOptions } from '../host-input/check-options.ts'
import {
  aBoolean,
  aFunction,
  anything,
  createClientAddress,
  createRequestOrigin,
  having,
  integerFrom,
  must,
  texts,
  timerFrom,
} from '@homeward/kit'
import { tracingOf } from '../ports/instrumentation.ts'
import type { AgentRuntime } from '../runtime/runtime.ts'
import { uncheckedServices } from '../runtime/services.ts'
import { aRuntime, loopbackGuard, type PlatformAuth } from './access/platform-auth.ts'
import { createAccess } from './access/access.ts'
import { createAgentHandlers, createSkillHandlers } from './agent-handlers.ts'
import {
  createChannelHandlers,
  createConversationHandlers,
  createMemoryHandlers,
} from './channel-handlers.ts'
import { createFeedbackHandlers } from './feedback-handlers.ts'
import { createKnowledgeHandlers } from './knowledge-handlers.ts'
import { createTriggerHandlers } from './trigger-handlers.ts'
import { createChatHandlers } from './chat/chat-handlers.ts'
import { createGraphHandlers, createScheduleHandlers, createTaskHandlers } from './work-handlers.ts'
import { createMcpHandlers, createOperatorHandlers } from './operator-handlers.ts'
import type { PlatformCallers, PlatformContext, PlatformHandlers } from './platform-context.ts'
import { createOpenAiHandlers } from './openai/openai-handlers.ts'
import { toOpenAiError } from './openai/openai-errors.ts'
import { toErrorBody, toErrorListener, withDocumentedErrors } from './platform-errors.ts'
import { createFileHandlers, createRunHandlers } from './run-handlers.ts'

/** Options of {@link createAgentPlatformHandler}. */
export interface AgentPlatformHandlerOptions {
  /** The runtime that the handler serves. The handler does not close it. */
  readonly runtime: AgentRuntime
  /** Access rule for callers. Required, because there is no safe default. */
  readonly auth: PlatformAuth
  /**
   * Rejects requests before any other check by throwing `HttpError`; see `createAccessGuard`.
   *
   * @default only loopback names as `Host`, and only the server's own pages as `Origin`
   */
  readonly guard?: (request: RequestView) => void
  /**
   * Addresses of proxies whose `X-Forwarded-For` is trusted. Failed tokens are then limited per client instead of per
   * proxy.
   *
   * @default no proxies
   */
  readonly trustedProxies?: readonly string[]
  /**
   * Secret of at least 16 characters that encrypts the cursors of limited callers.
   *
   * All processes of one store need the same secret, because cursors of another process, or from before a restart,
   * are rejected otherwise.
   *
   * @default random
   */
  readonly cursorSecret?: string
  /**
   * Path below which your server mounts the handler, such as `/agents`.
   *
   * `/agents/api/runs` is then its `/api/runs`, and links contain the base path. Pass requests with their whole path.
   * `respond` takes paths without it.
   *
   * @default `/api`, `/v1` and `/mcp` start at the root
   */
  readonly basePath?: string
  /** Silence after which a stream writes `: keepalive`, in milliseconds. @default 15000 */
  readonly keepaliveMs?: number
  /** Maximum size of a JSON body in bytes. @default 5 MiB */
  readonly maxJsonBytes?: number
  /** Maximum size of an uploaded skill in bytes. @default 50 MiB */
  readonly maxUploadBytes?: number
  /** Receives failures that the caller did not cause. Never receives keys or bodies. @default the runtime's logger */
  readonly onError?: (error: unknown) => void
  /** Whether to check every response against the contract, for tests. @default false */
  readonly checkReplies?: boolean
  /** Creates spans. @default no spans */
  readonly trace?: Trace
  /** OpenTelemetry meter for requests. To measure runs, use `createRunMetrics`. @default no metrics */
  readonly meter?: Meter
  /** Returns metrics as Prometheus text for `GET /metrics`. @default none: responds with 501 */
  readonly metrics?: () => string | Promise<string>
  /** Creates request ids. @default crypto.randomUUID */
  readonly createRequestId?: () => string
}

/**
 * Creates a handler for the HTTP API of the agent platform, with the OpenAI-compatible API below `/v1` and MCP tools
 * at `/mcp`.
 *
 * It opens no port: mount `fetch` or `node` in your server. A proxy in front must not cut long runs, so its idle
 * timeout must be longer than `keepaliveMs`. Node's `server.requestTimeout` has no effect on responses.
 *
 * @throws {RuntimeError} `validation_error` if an option is invalid.
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { createRuntime } from '@homeward/agent-runtime'
 * import { createAgentPlatformHandler } from '@homeward/agent-runtime/server'
 *
 * const runtime = createRuntime()
 * const platform = createAgentPlatformHandler({ runtime, auth: { kind: 'none' } })
 * createServer((request, response) => void platform.node(request, response)).listen(3010, '127.0.0.1')
 * ```
 */
export function createAgentPlatformHandler(options: AgentPlatformHandlerOptions): Handler {
  checkOptions<AgentPlatformHandlerOptions>('Creating the handler', options, {
    runtime: aRuntime,
    auth: anything, // createAccess looks at it
    guard: aFunction,
    trustedProxies: texts,
    cursorSecret: must(
      'be a string of at least 16 characters',
      (value) => typeof value === 'string' && value.length >= 16,
    ),
    basePath: must('be a path such as "/agents"', isBasePath),
    keepaliveMs: timerFrom(1),
    maxJsonBytes: integerFrom(1),
    maxUploadBytes: integerFrom(1),
    onError: aFunction,
    checkReplies: aBoolean,
    trace: aFunction,
    meter: having('createHistogram', 'be a meter, such as metrics.getMeter() of @opentelemetry/api returns'),
    metrics: aFunction,
    createRequestId: aFunction,
  })
  const { runtime, auth, guard = loopbackGuard } = options
  const basePath = toBasePath(options.basePath)
  const onError = toErrorListener(options)
  const context: PlatformContext = {
    runtime,
    services: uncheckedServices(runtime),
    keepaliveMs: options.keepaliveMs ?? 15_000,
    clientAddress: createClientAddress(options.trustedProxies ?? []),
    cursorSecret: options.cursorSecret ?? crypto.randomUUID(),
    requestOrigin: createRequestOrigin(options.trustedProxies ?? []),
    maxUploadBytes: options.maxUploadBytes ?? 50 * 1024 * 1024,
    onError,
    basePath,
    respond: (request) => platform.respond(request),
  }
  const { local, protect } = createAccess(auth, context)
  const shared = {
    guard,
    onError,
    ...(options.maxJsonBytes !== undefined && { maxJsonBytes: options.maxJsonBytes }),
    ...(options.checkReplies !== undefined && { checkReplies: options.checkReplies }),
    ...(options.trace && { trace: options.trace }),
    ...(options.meter && { observe: createRequestMeter(options.meter) }),
    ...(options.createRequestId && { createRequestId: options.createRequestId }),
  }
  const platform: Handler = createHandler<AgentPlatformOperations, PlatformCallers>({
    ...shared,
    operations: agentPlatformOperations,
    handlers: protect(
      withDocumentedErrors(
        {
          ...createHandlers(context),
          ...createMcpHandlers(context),
          readMetrics: () => respondWithMetrics(options.metrics),
        },
        onError,
      ),
    ),
    // a platform proves itself by its signature, which its channel checks
    authenticate: { local, webhook: () => undefined },
    errorBody: toErrorBody,
  })
  const openAi = createHandler<OpenAiOperations, PlatformCallers>({
    ...shared,
    operations: openaiOperations,
    handlers: protect(withDocumentedErrors(createOpenAiHandlers(context), onError)),
    authenticate: { local },
    errorBody: toOpenAiError,
  })
  // everything below /v1 has errors of its own, also a path that does not exist
  const tracing = tracingOf(runtime.events)
  const respond: Respond = (request) => {
    const answer = () => (isOpenAiPath(request.path) ? openAi : platform).respond(request)
    const { current } = tracing
    const traceparent = current && request.header('traceparent')
    if (!current || traceparent === undefined) return answer()
    return current.inside({ kind: 'request', traceparent }, answer)
  }
  return { respond, fetch: toFetch(respond, basePath), node: toNode(respond, basePath) }
}

const isOpenAiPath = (path: string) => path === '/v1' || path.startsWith('/v1/')

function createHandlers(context: PlatformContext): Omit<PlatformHandlers, 'callAgentTools' | 'readMetrics'> {
  return {
    ...createAgentHandlers(context),
    ...createRunHandlers(context),
    ...createFileHandlers(context),
    ...createTaskHandlers(context),
    ...createGraphHandlers(context),
    ...createScheduleHandlers(context),
    ...createChannelHandlers(context),
    ...createConversationHandlers(context),
    ...createChatHandlers(context),
    runAgui: async (call) => (await import('./agui/run-agui.ts')).runAgui(context, call),
    ...createMemoryHandlers(context),
    ...createSkillHandlers(context),
    ...createOperatorHandlers(context),
    ...createTriggerHandlers(context),
    ...createFeedbackHandlers(context),
    ...createKnowledgeHandlers(context),
  }
}

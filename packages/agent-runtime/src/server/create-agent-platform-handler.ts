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
  toFetch,
  toNode,
  type Handler,
  type Meter,
  type RequestView,
  type Respond,
  type Trace,
} from '@homeward/contract/handler'
import { checkFunctions } from '../host-input/check-functions.ts'
import { checkNames, type OptionNames } from '../host-input/check-names.ts'
import { checkNumbers } from '../host-input/check-settings.ts'
import { timerFrom, integerFrom, attachmentHeader } from '@homeward/kit'
import type { AgentRuntime } from '../runtime/runtime.ts'
import { uncheckedServices } from '../runtime/services.ts'
import { assertRuntime, type PlatformAuth } from './access/platform-auth.ts'
import { createAccess } from './access/create-access.ts'
import { withDocumentedErrors } from './documented-errors.ts'
import { toErrorListener } from './error-listener.ts'
import { createAgentHandlers } from './agent-handlers.ts'
import { createChannelHandlers } from './channel-handlers.ts'
import { createConversationHandlers } from './conversation-handlers.ts'
import { createGraphHandlers } from './graph-handlers.ts'
import { loopbackGuard } from './access/loopback-guard.ts'
import { createMcpHandlers } from './mcp/mcp-handlers.ts'
import type { PlatformCallers, PlatformContext, PlatformHandlers } from './platform-context.ts'
import { createOpenAiHandlers } from './openai/openai-handlers.ts'
import { toOpenAiError } from './openai/openai-errors.ts'
import { toErrorBody } from './platform-errors.ts'
import { createRunHandlers } from './run-handlers.ts'
import { createScheduleHandlers } from './schedule-handlers.ts'
import { createSkillHandlers } from './skill-handlers.ts'
import { createTaskHandlers } from './task-handlers.ts'
import { createWebhookHandlers } from './webhook-handlers.ts'
import { boundToken } from './access/bound-token.ts'
import { withIdempotencyKey } from './idempotency-key.ts'

/** How the REST interface is put together. */
export interface AgentPlatformHandlerOptions {
  /** The runtime that the handler serves. The handler does not close it. */
  readonly runtime: AgentRuntime
  /** Who may call. Required, because there is no safe default. */
  readonly auth: PlatformAuth
  /**
   * Refuses requests before anything else, by throwing `HttpError`; see `createAccessGuard`.
   *
   * @default only loopback names as `Host`, and only the server's own pages as `Origin`
   */
  readonly guard?: (request: RequestView) => void
  /** Milliseconds of silence after which a stream writes `: keepalive` (A6). @default 15000 */
  readonly keepaliveMs?: number
  /** Largest JSON body in bytes. @default 5 MiB */
  readonly maxJsonBytes?: number
  /** Largest uploaded skill in bytes. @default 50 MiB */
  readonly maxUploadBytes?: number
  /** Told of failures that are not a caller's. Gets no keys and no bodies. @default the runtime's logger gets them */
  readonly onError?: (error: unknown) => void
  /** Checks every reply against the contract; for tests. @default false */
  readonly checkReplies?: boolean
  /** Makes spans. @default none */
  readonly trace?: Trace
  /** OpenTelemetry meter that measures requests. To measure runs, use `createRunMetrics`. @default none */
  readonly meter?: Meter
  /** Gives what was measured as Prometheus text, for `GET /metrics`. @default none: the answer is 501 */
  readonly metrics?: () => string | Promise<string>
  /** @default crypto.randomUUID */
  readonly createRequestId?: () => string
}

const names: OptionNames<AgentPlatformHandlerOptions> = {
  runtime: true,
  auth: true,
  guard: true,
  keepaliveMs: true,
  maxJsonBytes: true,
  maxUploadBytes: true,
  onError: true,
  checkReplies: true,
  trace: true,
  meter: true,
  metrics: true,
  createRequestId: true,
}

/**
 * The documented REST interface of the agent platform over a runtime, below `/v1` its OpenAI-compatible endpoint, and at `/mcp` its tools for MCP clients. It opens no port: mount `fetch` or `node` where
 * the host wants it. A server in front must not cut long runs: Node's `server.requestTimeout` is about receiving a
 * request and does not, an idle timeout of a proxy has to be longer than `keepaliveMs`.
 *
 * @throws {RuntimeError} `validation_error` when an option cannot be used.
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
  assertRuntime('Creating the handler', options)
  checkNumbers('Creating the handler', options, {
    keepaliveMs: timerFrom(1),
    maxJsonBytes: integerFrom(1),
    maxUploadBytes: integerFrom(1),
  })
  checkNames('Creating the handler', options, names)
  checkFunctions('Creating the handler', options, ['guard', 'onError', 'trace', 'metrics', 'createRequestId'])
  const { runtime, auth, guard = loopbackGuard } = options
  const onError = toErrorListener(options)
  const context: PlatformContext = {
    runtime,
    services: uncheckedServices(runtime),
    keepaliveMs: options.keepaliveMs ?? 15_000,
    maxUploadBytes: options.maxUploadBytes ?? 50 * 1024 * 1024,
    onError,
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
  const mcp = createMcpHandlers((request) => platform.respond(request), onError)
  const platform: Handler = createHandler<AgentPlatformOperations, PlatformCallers>({
    ...shared,
    operations: agentPlatformOperations,
    handlers: protect(
      withDocumentedErrors(
        {
          ...createHandlers(context),
          ...mcp,
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
  const respond: Respond = (request) => (isOpenAiPath(request.path) ? openAi : platform).respond(request)
  return { respond, fetch: toFetch(respond), node: toNode(respond) }
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
    ...createMemoryHandlers(context),
    ...createSkillHandlers(context),
    ...createModelHandlers(context),
    ...createMcpServerHandlers(context),
    ...createUsageHandlers(context),
    ...createPriceHandlers(context),
    ...createWebhookHandlers(context),
    ...createTokenHandlers(context),
    ...createSettingsHandlers(context),
  }
}

/** Usage of model calls. */
function createUsageHandlers({ services }: PlatformContext): Pick<PlatformHandlers, 'getUsage'> {
  return {
    getUsage: ({ query: { agent_id: agentId, ...query }, request }) =>
      services.usage.report({ ...query, agentId }, request.signal),
  }
}

type PriceHandlers = Pick<PlatformHandlers, 'listPrices' | 'savePrice' | 'deletePrice'>

/** Prices of models. */
function createPriceHandlers({ services: { prices } }: PlatformContext): PriceHandlers {
  return {
    listPrices: () => prices.list(),
    savePrice: async ({ params, body }) => ({ ok: true, price: await prices.save(params.model, body) }),
    async deletePrice({ params }) {
      await prices.delete(params.model)
      return { ok: true }
    },
  }
}

type SettingsHandlers = Pick<PlatformHandlers, 'getSettings' | 'updateSettings' | 'listLogs' | 'getHealth'>

/** Settings, the journal and health (A13, A14). */
function createSettingsHandlers({ services }: PlatformContext): SettingsHandlers {
  return {
    getSettings: () => services.settings.view(),
    async updateSettings({ body }) {
      const { overridden } = await services.settings.update(body)
      return { ok: true, ...(overridden.length > 0 && { overridden: [...overridden] }) }
    },
    async listLogs({ query: { run_id: runId, types, ...query }, request }) {
      const names = types?.split(',').map((name) => name.trim())
      return { events: await services.logs.list({ ...query, types: names, runId }, request.signal) }
    },
    getHealth: () => ({ status: 'ok' }),
  }
}

type ModelHandlers = Pick<
  PlatformHandlers,
  'listModels' | 'listModelProviders' | 'saveModelProvider' | 'deleteModelProvider'
>

/** Model providers (A21). */
function createModelHandlers({ services: { models } }: PlatformContext): ModelHandlers {
  return {
    listModels: ({ request }) => models.list(request.signal),
    listModelProviders: async () => ({ providers: await models.listProviders() }),
    saveModelProvider: async ({ params, body }) => ({
      ok: true,
      provider: await models.saveProvider(params.name, body),
    }),
    async deleteModelProvider({ params }) {
      await models.deleteProvider(params.name)
      return { ok: true }
    },
  }
}

type TokenHandlers = Pick<PlatformHandlers, 'createToken' | 'listTokens' | 'deleteToken' | 'listAudit'>

/** Access tokens and the audit (A26, A27). */
function createTokenHandlers({ services: { tokens, audit } }: PlatformContext): TokenHandlers {
  return {
    createToken: ({ body, caller, request }) =>
      tokens.create(boundToken(withIdempotencyKey(body, request), caller)),
    listTokens: async ({ request }) => ({ tokens: [...(await tokens.list(request.signal))] }),
    async deleteToken({ params }) {
      await tokens.delete(params.id)
      return { ok: true }
    },
    async listAudit({ query, request }) {
      const { from, to, ...filter } = query
      const time = (text: string | undefined) =>
        text === undefined ? undefined : new Date(text).toISOString()
      const page = await audit.list({ ...filter, from: time(from), to: time(to) }, request.signal)
      const { entries, nextCursor } = page
      return { entries: [...entries], ...(nextCursor !== undefined && { next_cursor: nextCursor }) }
    },
  }
}

type MemoryHandlers = Pick<
  PlatformHandlers,
  'writeMemory' | 'searchMemory' | 'searchMemoryByBody' | 'deleteMemory'
>

/** Long-term memory (A11). */
function createMemoryHandlers({ runtime, services: { memory } }: PlatformContext): MemoryHandlers {
  return {
    async writeMemory({ body, request }) {
      const { id } = await memory.write(withIdempotencyKey(body, request), { signal: request.signal })
      return { ok: true, id }
    },
    async searchMemory({ query: { tags: given, ...query }, request }) {
      const tags = given?.split(',').map((tag) => tag.trim())
      const wanted = tags?.filter((tag) => tag !== '')
      // the tags were one text so far: the runtime checks them
      return { results: await runtime.memory.search({ ...query, tags: wanted }, request.signal) }
    },
    searchMemoryByBody: async ({ body, request }) => ({ results: await memory.search(body, request.signal) }),
    async deleteMemory({ params, request }) {
      await memory.delete(params.id, request.signal)
      return { ok: true }
    },
  }
}

type McpHandlers = Pick<
  PlatformHandlers,
  | 'listMcpServers'
  | 'saveMcpServer'
  | 'deleteMcpServer'
  | 'testMcpServer'
  | 'authorizeMcpServer'
  | 'finishMcpAuthorization'
>

/** MCP servers whose tools agents use (A29). */
function createMcpServerHandlers({ services: { mcp } }: PlatformContext): McpHandlers {
  return {
    listMcpServers: async () => ({ servers: await mcp.list() }),
    saveMcpServer: async ({ params, body }) => ({ ok: true, server: await mcp.save(params.name, body) }),
    async deleteMcpServer({ params }) {
      await mcp.delete(params.name)
      return { ok: true }
    },
    testMcpServer: ({ params, request }) => mcp.test(params.name, request.signal),
    async authorizeMcpServer({ params, body }) {
      const address = await mcp.authorize(params.name, body)
      return { ok: true, ...(address !== undefined && { authorization_url: address }) }
    },
    finishMcpAuthorization: async ({ body }) => ({ ok: true, server: await mcp.finishAuthorization(body) }),
  }
}

/** Stored files. Each is an attachment: no browser shows one as a page of this server. */
function createFileHandlers({ services }: PlatformContext): Pick<PlatformHandlers, 'getFile'> {
  return {
    async getFile({ params, request }) {
      const { name, media_type, content } = await services.files.get(params.id, request.signal)
      return {
        status: 200,
        headers: {
          'content-type': media_type,
          'content-length': String(content.length),
          'content-disposition': attachmentHeader(name),
          // a copy must not outlive the file, or the right to read it
          'cache-control': 'private, no-cache',
          etag: `"${params.id}"`,
          'content-security-policy': 'sandbox',
        },
        body: toStream(content),
      }
    },
  }
}

/** The bytes piece by piece, as the caller takes them. */
function toStream(content: Uint8Array): ReadableStream<Uint8Array> {
  const pieceBytes = 64 * 1024
  let offset = 0
  return new ReadableStream({
    pull(controller) {
      if (offset >= content.length) return controller.close()
      controller.enqueue(content.subarray(offset, offset + pieceBytes))
      offset += pieceBytes
    },
  })
}

import type { McpHttpHandler, Server, ServerContext, Tool } from '@modelcontextprotocol/server'
import type * as server from '@modelcontextprotocol/server'
import * as z from 'zod/mini'
import { createCaller } from '../client/create-caller.ts'
import { ClientError } from '../client/client-error.ts'
import { createClient } from '../client/create-client.ts'
import type { Respond } from '../handler/create-handler.ts'
import type { PlainReply } from '../handler/plain-reply.ts'
import type { RequestView } from '../handler/request-view.ts'
import type { McpMessage } from '../mcp-call.ts'
import type { OperationTable } from '../operation.ts'
import { callTool } from './call-tool.ts'
import { McpAnswer, type McpAnswers, type McpContext, type McpTool } from './mcp-tool.ts'
import { HttpError } from '../handler/http-error.ts'
import { toFetch } from '../handler/fetch-handler.ts'

/** Options of {@link createMcpEndpoint}. */
export interface McpEndpointOptions<Table extends OperationTable> {
  /** Name of the server for clients, such as `homeward-agents`. */
  readonly name: string
  /** Title for people. */
  readonly title: string
  /** Version of the server, shown by clients. */
  readonly version: string
  /** Instructions for models: the purpose of the tools and how to combine them. */
  readonly instructions: string
  /** The HTTP API that the tools call. */
  readonly operations: Table
  /** Tools for every caller. */
  readonly tools: readonly McpTool<Table>[]
  /** Returns tools that depend on the caller, such as one per agent. @default no further tools */
  readonly findTools?: (context: McpContext<Table>) => Promise<readonly McpTool<Table>[]>
  /**
   * Reads the target of a result's `resource_link`. Returns undefined for an unknown address.
   *
   * @default results have no links
   * @throws {ClientError} of the route that it calls
   */
  readonly readResource?: (uri: string, context: McpContext<Table>) => Promise<McpResource | undefined>
  /** Base address of the API as the caller reaches it, for links. @default origin of the request */
  readonly linkBase?: (request: RequestView) => string
  /** Handler of the API, which tools call in process. */
  readonly respond: Respond
  /** Receives failures that the caller did not cause. */
  readonly onError: (error: unknown) => void
  /** Loads the official package; replace it in tests. @default by `import()` */
  readonly load?: () => Promise<object>
}

/** Content behind a result's link: text, or bytes in base64. */
export type McpResource =
  | { readonly mimeType: string; readonly text: string }
  | { readonly mimeType: string; readonly blob: string }

/**
 * Responds to an authenticated and parsed POST to `/mcp`.
 *
 * @param mayAsk whether tools may ask the client's user questions. @default true
 */
export type McpEndpoint = (request: RequestView, body: McpMessage, mayAsk?: boolean) => Promise<PlainReply>

/** Requests in process have no address; the caller's `Host` goes along as a header. */
const inProcess = 'http://in.process'
const largestReplyBytes = 128 * 1024 * 1024

/**
 * Creates an MCP endpoint for an HTTP API over streamable HTTP.
 *
 * The endpoint has no sessions, so any process can handle any message, and supports the old and new generation of the
 * protocol. Tools call the API's own routes in process as their caller, so the same guard, authentication, scopes,
 * limits and audit apply.
 *
 * @throws {HttpError} from the endpoint: 501 if the package `@modelcontextprotocol/server` is not installed.
 * @example
 * const endpoint = createMcpEndpoint({ name, title, version, instructions, operations, tools, respond, onError })
 * const reply = await endpoint(request, message)
 */
export function createMcpEndpoint<Table extends OperationTable>(
  options: McpEndpointOptions<Table>,
): McpEndpoint {
  let loading: Promise<McpHttpHandler> | undefined

  async function open(): Promise<McpHttpHandler> {
    const sdk = await loadMcpServer(options.load)
    return sdk.createMcpHandler(({ authInfo }) => createServer(sdk, options, outerOf(authInfo)), {
      onerror: () => {}, // of messages that are wrong; the caller is told
      maxSubscriptions: 100,
    })
  }

  async function load(): Promise<McpHttpHandler> {
    try {
      return await (loading ??= open())
    } catch (error) {
      loading = undefined // it may be installed meanwhile
      throw error
    }
  }

  return async (request, body, mayAsk = true) => {
    const handler = await load()
    const response = await handler.fetch(toRequest(request), {
      parsedBody: withoutNullArguments(body),
      authInfo: { token: '', clientId: '', scopes: [], extra: { request, mayAsk } },
    })
    return { status: response.status, headers: Object.fromEntries(response.headers), body: response.body }
  }
}

/** Clients in Go write `null` for a call without parameters or arguments. */
function withoutNullArguments(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutNullArguments)
  if (!isFields(body)) return body
  const { params, ...message } = body
  if (params === null) return message
  if (!isFields(params) || params['arguments'] !== null) return body
  const { arguments: _, ...others } = params
  return { ...message, params: others }
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** The request that the endpoint itself passed along. */
interface Outer {
  readonly request: RequestView
  readonly mayAsk: boolean
}

const outerOf = (authInfo: { readonly extra?: Record<string, unknown> } | undefined) =>
  authInfo?.extra as unknown as Outer

const passedOn = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id']

function toRequest(request: RequestView): Request {
  const headers = new Headers()
  for (const name of passedOn) {
    const value = request.header(name)
    if (value !== undefined) headers.set(name, value)
  }
  const accept = request.header('accept')
  // simple clients take anything, or do not say
  const takesAll = accept === undefined || accept.includes('*/*')
  headers.set('accept', takesAll ? 'application/json, text/event-stream' : accept)
  return new Request(`${inProcess}/mcp`, { method: 'POST', headers, signal: request.signal })
}

function createServer<Table extends OperationTable>(
  sdk: McpServerModule,
  options: McpEndpointOptions<Table>,
  outer: Outer,
): Server {
  const { name, title, version, instructions, tools, findTools, readResource } = options
  const server = new sdk.Server(
    { name, title, version },
    {
      capabilities: { tools: {}, ...(readResource && { resources: {} }) },
      instructions,
      cacheHints: { 'tools/list': { ttlMs: 0, cacheScope: 'private' } },
    },
  )
  const contextOf = (call: ServerContext) => createContext(options, outer, call)

  async function find(wanted: string, context: McpContext<Table>): Promise<McpTool<Table> | undefined> {
    const known = tools.find((tool) => tool.name === wanted)
    return known ?? (await findTools?.(context))?.find((tool) => tool.name === wanted)
  }

  server.setRequestHandler('tools/list', async (_request, call) => {
    const more = (await findTools?.(contextOf(call))) ?? []
    return { tools: [...tools, ...more].map(describeTool) }
  })
  server.setRequestHandler('tools/call', async ({ params }, call) => {
    const context = contextOf(call)
    const tool = await find(params.name, context)
    if (!tool) {
      const message = `Calling a tool failed: the tool "${params.name.slice(0, 100)}" does not exist. List the tools to see their names.`
      throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, message)
    }
    return callTool(tool, params.arguments, context, options.onError)
  })
  if (!readResource) return server
  // clients learn of a file by the result that links to it
  server.setRequestHandler('resources/list', () => ({ resources: [] }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }, call) => {
    const found = await readResource(uri, contextOf(call)).catch((error: unknown) => {
      if (ClientError.is(error) && error.status !== undefined) return undefined
      throw error
    })
    if (!found) throw new sdk.ResourceNotFoundError(uri)
    return { contents: [{ uri, ...found }] }
  })
  return server
}

function describeTool<Table extends OperationTable>({
  name,
  title,
  description,
  hints,
  inputSchema,
}: McpTool<Table>): Tool {
  // every schema of a tool is an object's, and JSON
  const { $schema: _, ...schema } = z.toJSONSchema(inputSchema, { io: 'input' }) as Tool['inputSchema']
  return { name, title, description, inputSchema: schema, annotations: { title, ...hints } }
}

function createContext<Table extends OperationTable>(
  { operations, respond, linkBase }: McpEndpointOptions<Table>,
  { request, mayAsk }: Outer,
  { mcpReq }: ServerContext,
): McpContext<Table> {
  const token = mcpReq._meta?.progressToken
  const reach = {
    baseUrl: inProcess,
    fetch: createInnerFetch(respond, request),
    maxReplyBytes: largestReplyBytes,
    timeoutMs: Infinity, // the routes have limits of their own
  }
  return {
    client: createClient(operations, reach),
    call: createCaller(operations, reach),
    signal: mcpReq.signal,
    wantsProgress: token !== undefined,
    canAsk: mayAsk ? modesOf(mcpReq) : new Set(),
    answered: answersOf(mcpReq),
    toLink: (path) => (linkBase?.(request) ?? request.origin) + path,
    async progress(message, done, total) {
      if (token === undefined) return
      const params = { progressToken: token, progress: done, message, ...(total !== undefined && { total }) }
      await mcpReq.notify({ method: 'notifications/progress', params })
    },
  }
}

const capabilities = 'io.modelcontextprotocol/clientCapabilities'
const Envelope = z.object({
  [capabilities]: z.object({
    elicitation: z.optional(z.object({ form: z.optional(z.unknown()), url: z.optional(z.unknown()) })),
  }),
})

/** What the capabilities of a request allow. Clients of older protocols send none with a request. */
function modesOf({ envelope }: ServerContext['mcpReq']): McpContext<OperationTable>['canAsk'] {
  const modes = new Set<'form' | 'url'>()
  const { elicitation } = z.safeParse(Envelope, envelope).data?.[capabilities] ?? {}
  if (!elicitation) return modes
  if (elicitation.url) modes.add('url')
  if (elicitation.form || !elicitation.url) modes.add('form') // without modes, it means forms
  return modes
}

function answersOf({ requestState, inputResponses }: ServerContext['mcpReq']): McpAnswers | undefined {
  const given = requestState()
  if (given === undefined && inputResponses === undefined) return undefined
  const state = typeof given === 'string' ? given : ''
  const answers = Object.entries(inputResponses ?? {}).flatMap(([key, given]) => {
    const { success, data } = z.safeParse(McpAnswer, given)
    return success ? [[key, data] as const] : []
  })
  return { state, answers: Object.fromEntries(answers) }
}

/** The official package by which programs serve MCP. Not public: who lacks the package could not read its types. */
type McpServerModule = typeof server

/**
 * Loads the official package when the first message arrives, because most servers never get one.
 *
 * @throws {HttpError} 501 that names the package to install.
 */
async function loadMcpServer(load?: () => Promise<object>): Promise<McpServerModule> {
  // awaited in a `try`, by which bundlers know a package that may be missing
  try {
    return load ? ((await load()) as McpServerModule) : await import('@modelcontextprotocol/server')
  } catch (cause) {
    const message =
      'Serving MCP failed: the package "@modelcontextprotocol/server" is not installed on this server. Run: npm install @modelcontextprotocol/server'
    throw Object.assign(new HttpError(501, { error: 'Not implemented', message }), { cause })
  }
}

/** Headers of the MCP request that are about its own body or answer, and do not hold for the calls that a tool makes. */
const own = /^(?:accept|content-|transfer-encoding|range$|if-|last-event-id$|prefer$|expect$|mcp-)/

/**
 * A `fetch` for the calls that tools make. It reaches the handler in process, on behalf of the caller of the MCP request: with
 * the same credentials, `Host`, `Origin` and address.
 */
function createInnerFetch(
  respond: Respond,
  outer: RequestView,
): (url: string, init: RequestInit) => Promise<Response> {
  const fetch = toFetch((request) => respond(onBehalfOf(outer, request)))
  return (url, init) => fetch(new Request(url, init))
}

function onBehalfOf(outer: RequestView, inner: RequestView): RequestView {
  return {
    method: inner.method,
    path: inner.path,
    search: inner.search,
    origin: outer.origin,
    remoteAddress: outer.remoteAddress,
    signal: inner.signal,
    // `host` of the inner request would be that of its made-up address
    header: (name) => (name !== 'host' ? inner.header(name) : undefined) ?? outerHeader(outer, name),
    body: () => inner.body(),
  }
}

function outerHeader(outer: RequestView, name: string): string | undefined {
  return own.test(name) ? undefined : outer.header(name)
}

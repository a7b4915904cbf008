import type * as modern from '@modelcontextprotocol/client'
import type { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { McpElicitations } from './mcp-elicitations.ts'
import type { McpTransport } from './stdio-transport.ts'

/** What a request of a client may take. */
interface McpRequestOptions {
  readonly signal: AbortSignal
  readonly timeout: number
  /** Told of the progress that the server reports. A server reports to those only who ask. */
  readonly onprogress?: (report: McpProgress) => void
  /** Whether each report starts the time limit again. */
  readonly resetTimeoutOnProgress?: boolean
}

/** How far a call has come. */
export interface McpProgress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** A client of either package, as far as it is used here. */
export interface McpClient {
  connect(transport: McpTransport, options: { readonly timeout: number }): Promise<void>
  /** Gives the answer as it came: a schema would hide what is newer than the package. */
  request(
    request: { readonly method: string; readonly params: Record<string, unknown> },
    options: McpRequestOptions,
  ): Promise<Record<string, unknown>>
  /** Version that both sides speak, once it is connected. */
  readonly protocolVersion: string | undefined
  /** What the server has besides tools, once it is connected. */
  readonly capabilities: { readonly resources?: object | undefined; readonly prompts?: object | undefined }
  close(): Promise<void>
  onclose?: (() => void) | undefined
}

/** Client of a protocol era: `auto` finds out which one the server speaks. */
export type McpEra = 'auto' | 'legacy'

/** What a server may ask for on its own. */
export interface McpListener {
  elicit: McpElicitations['elicit']
  /** Told of a question whose address was visited: what was asked for there is done. */
  elicited(id: string): void
}

/** What is used of the official client packages. */
export interface McpClientModules extends Pick<typeof modern, 'ReadBuffer' | 'serializeMessage'> {
  createClient(era: McpEra, probeMs: number, listener: McpListener): McpClient
  createHttpTransport(url: URL, options: modern.StreamableHTTPClientTransportOptions): McpTransport
  /** Gets or refreshes an access token, or begins an authorization. */
  readonly auth: typeof modern.auth
  /** What the header `WWW-Authenticate` of an answer says. */
  readonly challengeOf: typeof modern.extractWWWAuthenticateParams
  /** Status of an HTTP answer that refused a request; undefined for other errors. */
  statusOf(error: unknown): number | undefined
  /** Whether an error says that somebody has to give access first. */
  isUnauthorized(error: unknown): boolean
}

const identity = { name: 'homeward', version: '0.1.0' }
/** Fields that a person leaves out get the values that the form suggests. */
const capabilities = { elicitation: { form: { applyDefaults: true }, url: {} } }
/** Rounds of questions within one request. */
const maxRounds = 20

/**
 * Loads the MCP client when a server is asked for first: `@modelcontextprotocol/client`, which speaks every version of the
 * protocol, or `@modelcontextprotocol/sdk`, if that one is installed instead.
 *
 * @throws {RuntimeError} `run_error` that names the package to install.
 */
export async function loadMcpClient(
  load: () => Promise<McpClientModules> = loadEither,
): Promise<McpClientModules> {
  try {
    return await load()
  } catch (cause) {
    const text =
      'Using MCP servers failed: the package "@modelcontextprotocol/client" is not installed. Run "npm install @modelcontextprotocol/client".'
    throw new RuntimeError('run_error', text, { cause })
  }
}

async function loadEither(): Promise<McpClientModules> {
  try {
    return await loadModernClient()
  } catch {
    return await loadLegacyClient()
  }
}

// each awaited in a `try`, by which bundlers know a package that may be missing

async function importModern() {
  try {
    return { ...(await import('@modelcontextprotocol/client')) }
  } catch (cause) {
    throw new Error('@modelcontextprotocol/client cannot be loaded', { cause })
  }
}

async function importLegacy() {
  try {
    return {
      ...(await import('@modelcontextprotocol/sdk/client/index.js')),
      ...(await import('@modelcontextprotocol/sdk/types.js')),
      ...(await import('@modelcontextprotocol/sdk/shared/stdio.js')),
      ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
      ...(await import('@modelcontextprotocol/sdk/client/auth.js')),
    }
  } catch (cause) {
    throw new Error('@modelcontextprotocol/sdk cannot be loaded', { cause })
  }
}

/** What each answer passes through, as it is. */
const asItCame: { readonly '~standard': StandardSchemaV1.Props<unknown, Record<string, unknown>> } = {
  '~standard': {
    version: 1,
    vendor: 'homeward',
    validate: (value: unknown) => ({ value: value as Record<string, unknown> }), // an answer is an object
  },
}

/** The package that speaks every version of the protocol. */
async function loadModernClient(): Promise<McpClientModules> {
  const { Client, ReadBuffer, serializeMessage, auth, ...found } = await importModern()
  return {
    ReadBuffer,
    serializeMessage,
    auth,
    challengeOf: found.extractWWWAuthenticateParams,
    createClient(era, probeMs, listener) {
      const client = new Client(identity, {
        capabilities,
        versionNegotiation: { mode: era, probe: { timeoutMs: probeMs } },
        inputRequired: { maxRounds },
      })
      client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
        return (await listener.elicit(params, mcpReq.signal)) as modern.ElicitResult // it checks what the form holds
      })
      client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => {
        listener.elicited(params.elicitationId)
      })
      return toClient(client, (request, options) => client.request(request, asItCame, options))
    },
    createHttpTransport: (url, options) => new found.StreamableHTTPClientTransport(url, options),
    statusOf: (error) => (error instanceof found.SdkHttpError ? error.status : undefined),
    isUnauthorized: (error) => error instanceof found.UnauthorizedError,
  }
}

/** The package that speaks the versions before 2026 only. */
export async function loadLegacyClient(): Promise<McpClientModules> {
  const {
    Client,
    ResultSchema,
    ElicitRequestSchema,
    ElicitationCompleteNotificationSchema,
    ReadBuffer,
    serializeMessage,
    auth,
    ...found
  } = await importLegacy()
  const modules = {
    ReadBuffer,
    serializeMessage,
    auth,
    challengeOf: found.extractWWWAuthenticateParams,
    createClient(_era: McpEra, _probeMs: number, listener: McpListener) {
      const client = new Client(identity, { capabilities })
      client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal }) => {
        return (await listener.elicit(params, signal)) as modern.ElicitResult // as above
      })
      client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => {
        listener.elicited(params.elicitationId)
      })
      return toClient(client, async (request, options) => {
        return await client.request(request, ResultSchema, options)
      })
    },
    createHttpTransport: (url: URL, options: object) => new found.StreamableHTTPClientTransport(url, options),
    statusOf: (error: unknown) => (error instanceof found.StreamableHTTPError ? error.code : undefined),
    isUnauthorized: (error: unknown) => error instanceof found.UnauthorizedError,
  }
  // both packages are of one making: the older one has the same names, with types of its own
  return modules as unknown as McpClientModules
}

function toClient(client: modern.Client | LegacyClient, request: McpClient['request']): McpClient {
  const own: McpClient = {
    connect: (transport, options) => client.connect(transport, options),
    request,
    get protocolVersion() {
      return 'getNegotiatedProtocolVersion' in client ? client.getNegotiatedProtocolVersion() : undefined
    },
    get capabilities() {
      return client.getServerCapabilities() ?? {}
    },
    close: () => client.close(),
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client has no other way to tell
  client.onclose = () => own.onclose?.()
  return own
}

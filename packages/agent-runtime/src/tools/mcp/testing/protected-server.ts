import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { Provider } from 'oidc-provider'

/** A real authorization server, and an MCP server that asks for its tokens. */
interface ProtectedServer extends AsyncDisposable {
  /** Address of the MCP server. */
  readonly url: string
  /** The address that it sends a person back to, who gives access at an authorization address. @param person default `ann` */
  visit(authorizationUrl: string, person?: string): Promise<URL>
  /** Calls of `account`, by the person whose token they had. */
  readonly calls: string[]
  /** Grants that tokens were given for. */
  readonly grants: string[]
  /** Clients that have registered, by their ids. */
  readonly registered: string[]
  /** Makes all access tokens invalid; refresh tokens stay. */
  expire(): void
}

/** Secret of the client that acts for itself. */
export const clientSecret = 'secret-of-the-program-0123456789'
/** Where the client of a person is sent back to. */
export const redirectUri = 'http://127.0.0.1:3010/mcp/callback'

const resourceScopes = ['tools', 'account']

const clients = [
  {
    client_id: 'program',
    client_secret: clientSecret,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  },
  {
    client_id: 'person',
    token_endpoint_auth_method: 'none' as const,
    application_type: 'native' as const,
    grant_types: ['authorization_code', 'refresh_token'],
    // of a native client the port may be any
    redirect_uris: [redirectUri, 'http://127.0.0.1/mcp-servers/callback'],
    response_types: ['code' as const],
  },
]

function createProvider(
  issuer: string,
  { registers = false, readDocument }: ProtectedServerOptions,
): Provider {
  return new Provider(issuer, {
    clients,
    scopes: ['openid', 'offline_access', ...resourceScopes],
    ...(readDocument && {
      fetch: async (url) => await readDocument(url instanceof Request ? url.url : url.toString()),
    }),
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    issueRefreshToken: () => true,
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      registration: { enabled: registers },
      ...(readDocument && { clientIdMetadataDocument: { enabled: true, ack: 'draft-02' } }),
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, audience) => ({
          scope: resourceScopes.join(' '),
          audience,
          accessTokenFormat: 'opaque',
        }),
      },
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  })
}

/** Logs a person in who agrees to everything. */
async function agree(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { params, prompt, grantId } = await provider.interactionDetails(request, response)
  const accountId = String(request.headers['x-person'])
  if (prompt.name === 'login')
    return provider.interactionFinished(request, response, { login: { accountId } })
  const grant = grantId ? await provider.Grant.find(grantId) : undefined
  const given = grant ?? new provider.Grant({ accountId, clientId: String(params['client_id']) })
  given.addOIDCScope(['openid', 'offline_access', ...resourceScopes].join(' '))
  const scopes = String(params['scope'])
    .split(' ')
    .filter((scope) => resourceScopes.includes(scope))
  given.addResourceScope(String(params['resource']), scopes.join(' '))
  const id = await given.save()
  return provider.interactionFinished(
    request,
    response,
    { consent: { grantId: id } },
    { mergeWithLastSubmission: true },
  )
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function serveTools(
  request: IncomingMessage,
  response: ServerResponse,
  { account, body }: { readonly account: () => string; readonly body: unknown },
): Promise<void> {
  const server = new McpServer({ name: 'protected', version: '1.0.0' })
  server.registerTool('whoami', { description: 'Says who asks.' }, ({ requestInfo }) => ({
    content: [{ type: 'text', text: String(requestInfo?.headers['authorization']) }],
  }))
  server.registerTool('account', { description: 'Says whose account is used.' }, () => ({
    content: [{ type: 'text', text: `account of ${account()}` }],
  }))
  const transport = new StreamableHTTPServerTransport({})
  await server.connect(transport)
  await transport.handleRequest(request, response, body)
}

/** What anybody may send to a server that {@link ProtectedServerOptions.listsFreely}. */
const freeMethods = ['initialize', 'notifications/initialized', 'server/discover', 'tools/list', 'ping']

interface ProtectedServerOptions {
  /** Whether the tools are listed without a token. @default false */
  readonly listsFreely?: boolean
  /** Whether clients can register. @default false */
  readonly registers?: boolean
  /** How the authorization server reads a client id metadata document. @default it knows no documents */
  readonly readDocument?: (url: string) => Promise<Response>
  /** Whether the tool `account` needs the scope `account`, which nothing asks for before. `always`: and has never enough. */
  readonly asksForMore?: boolean | 'always'
  /** Whether only `WWW-Authenticate` says where the metadata is. @default false */
  readonly hidesMetadata?: boolean
}

interface Refusal {
  readonly status: number
  /** Further parts of `WWW-Authenticate`. */
  readonly more: string
}

/** Starts both. */
export async function startProtectedServer(options: ProtectedServerOptions = {}): Promise<ProtectedServer> {
  const { listsFreely = false, asksForMore = false, hidesMetadata = false } = options
  const login = createServer()
  const issuer = await listen(login)
  const provider = createProvider(issuer, options)
  const registered: string[] = []
  provider.on('registration_create.success', (_, { clientId }) => void registered.push(clientId))
  const grants: string[] = []
  provider.on('grant.success', ({ oidc }) => void grants.push(String(oidc.params?.['grant_type'])))
  const callback = provider.callback()
  login.on('request', (request, response) => {
    const isPerson = request.url?.startsWith('/interaction/') === true
    void (isPerson ? agree(provider, request, response) : callback(request, response))
  })

  const expired = new Set<string>()
  const seen = new Set<string>()
  /** Whose token it is, and what it is good for. */
  const accessOf = async (token: string) => {
    if (expired.has(token)) return undefined
    const found = (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token))
    if (found) seen.add(token)
    const owner = found && String('accountId' in found ? found.accountId : found.clientId)
    return owner === undefined ? undefined : { owner, scopes: found?.scope?.split(' ') ?? [] }
  }
  const calls: string[] = []
  /** @returns why it rejects the request; undefined if it serves it */
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<Refusal | undefined> => {
    const { owner, scopes = [] } = (await accessOf(request.headers.authorization?.split(' ')[1] ?? '')) ?? {}
    const body: unknown = request.method === 'POST' ? JSON.parse(await text(request)) : undefined
    const { method = '', params } = (body ?? {}) as { method?: string; params?: { name?: string } }
    if (owner === undefined && !(listsFreely && freeMethods.includes(method)))
      return { status: 401, more: '' }
    const isShort = asksForMore === 'always' || (asksForMore && !scopes.includes('account'))
    if (isShort && params?.name === 'account')
      return { status: 403, more: ', error="insufficient_scope", scope="account"' }
    const account = () => {
      calls.push(String(owner))
      return String(owner)
    }
    await serveTools(request, response, { account, body })
    return undefined
  }
  const metadata = hidesMetadata ? '/hidden' : '/.well-known/oauth-protected-resource'
  const resource = createServer((request, response) => {
    const base = `http://${request.headers.host}`
    if (request.url?.startsWith(metadata)) {
      const body = { resource: `${base}/mcp`, authorization_servers: [issuer], scopes_supported: ['tools'] }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      return
    }
    void serve(request, response).then((refusal) => {
      if (!refusal) return
      const header = `Bearer resource_metadata="${base}${metadata}/mcp"${refusal.more}`
      response.writeHead(refusal.status, { 'www-authenticate': header }).end()
    })
  })
  const base = await listen(resource)

  return {
    url: `${base}/mcp`,
    grants,
    registered,
    calls,
    async visit(authorizationUrl, person = 'ann') {
      const cookies = new Map<string, string>()
      let address = new URL(authorizationUrl)
      while (address.origin === issuer) {
        const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ')
        const answer = await fetch(address, { redirect: 'manual', headers: { cookie, 'x-person': person } })
        for (const line of answer.headers.getSetCookie()) {
          const [name = '', value = ''] = line.split(';', 1)[0]?.split('=') ?? []
          cookies.set(name, value)
        }
        const next = answer.headers.get('location')
        if (next === null) throw new Error(`no way on: ${answer.status} ${await answer.text()}`)
        address = new URL(next, address)
      }
      return address
    },
    expire() {
      for (const token of seen) expired.add(token)
    },
    async [Symbol.asyncDispose]() {
      for (const server of [login, resource]) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
    },
  }
}

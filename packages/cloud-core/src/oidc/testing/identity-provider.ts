import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { Provider } from 'oidc-provider'

/** A real OpenID Connect provider on a port of this machine. */
export interface IdentityProvider extends AsyncDisposable {
  readonly issuer: string
  /** Requests that it got, by path. */
  readonly paths: string[]
  /** Asks for an access token as a program does that acts for itself. */
  token(audience?: string, clientId?: string): Promise<string>
  /** Signs with a new key from now on; keeps showing the old one, or not. */
  rotate(keepOld: boolean): Promise<void>
  /** Answers nothing but 503 until told otherwise. */
  isDown: boolean
}

const clients = ['program', 'other-program'].map((client_id) => ({
  client_id,
  client_secret: 'secret-of-program',
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
}))

async function createKey(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...(await exportJWK(privateKey)), kid, use: 'sig', alg: 'RS256' }
}

function createProvider(issuer: string, keys: readonly JWK[]): Provider {
  const resource = (audience: string) => ({
    scope: '',
    audience,
    accessTokenFormat: 'jwt' as const,
    jwt: { sign: { alg: 'RS256' as const } },
  })
  return new Provider(issuer, {
    clients,
    jwks: { keys: [...keys] },
    ttl: { ClientCredentials: 100_000 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context: unknown, indicator: string) =>
          resource(new URL(indicator).hostname),
      },
    },
  })
}

/** Starts one. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  let keys = [await createKey('key-1')]
  let handle: ReturnType<Provider['callback']> = () => Promise.resolve()
  const paths: string[] = []
  const server: Server = createServer((request, response) => {
    paths.push(request.url ?? '')
    if (provider.isDown) response.writeHead(503).end('down')
    else void handle(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const serve = () => (handle = createProvider(issuer, keys).callback())
  serve()
  let count = 1

  const provider: IdentityProvider = {
    issuer,
    paths,
    isDown: false,
    async token(audience = 'homeward', clientId = 'program') {
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${clientId}:secret-of-program`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource: `https://${audience}/` }),
      })
      const body = (await response.json()) as { access_token?: string }
      if (body.access_token === undefined) throw new Error(`no token: ${JSON.stringify(body)}`)
      return body.access_token
    },
    async rotate(keepOld) {
      count += 1
      keys = [await createKey(`key-${count}`), ...(keepOld ? keys : [])]
      serve()
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return provider
}

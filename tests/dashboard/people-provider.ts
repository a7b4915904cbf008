import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

/** A real OpenID Connect provider on a port of this machine, at which people sign in by a button with their name. */
export interface PeopleProvider extends AsyncDisposable {
  readonly issuer: string
  /** Lets people return to these origins. To be called before somebody signs in. */
  allow(origins: readonly string[]): void
  /** Answers only 503. */
  isDown: boolean
}

/** Secret of the client `homeward`. */
export const clientSecret = 'secret-of-the-pages-0123456789'

function createProvider(issuer: string, origins: readonly string[]): Provider {
  return new Provider(issuer, {
    clients: [
      {
        client_id: 'homeward',
        client_secret: clientSecret,
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: origins.map((origin) => `${origin}/sign-in/callback`),
        post_logout_redirect_uris: origins.map((origin) => `${origin}/`),
      },
    ],
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
    // one e-mail address is verified, the other one is not
    findAccount: (_, accountId) => ({
      accountId,
      claims: () => ({
        sub: accountId,
        name: accountId === 'ann' ? 'Ann Example' : 'Bob Example',
        email: `${accountId}@example.com`,
        email_verified: accountId === 'ann',
      }),
    }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        accountId: oidc.session?.accountId ?? '',
        clientId: oidc.client?.clientId ?? '',
      })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        // the usual page loads a font
        logoutSource: (context, form) => {
          context.body = `<!doctype html>${form}<button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button>`
        },
      },
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  })
}

const loginPage = `<!doctype html><title>Provider</title><h1>Provider</h1>
<form method="post"><button name="account" value="ann">Ann</button><button name="account" value="bob">Bob</button>
<button name="account" value="">Cancel</button></form>`

async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse) {
  await provider.interactionDetails(request, response)
  if (request.method !== 'POST') return response.setHeader('content-type', 'text/html').end(loginPage)
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk as Uint8Array)
  const account = new URLSearchParams(Buffer.concat(chunks).toString()).get('account')
  const result = account ? { login: { accountId: account } } : { error: 'access_denied' }
  return provider.interactionFinished(request, response, result)
}

/** Starts one. */
export async function startPeopleProvider(): Promise<PeopleProvider> {
  let provider: Provider | undefined
  const server = createServer((request, response) => {
    if (people.isDown || !provider) response.writeHead(503).end('down')
    else if (request.url?.startsWith('/interaction/')) void interact(provider, request, response)
    else void provider.callback()(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const people: PeopleProvider = {
    issuer,
    isDown: false,
    allow: (origins) => void (provider = createProvider(issuer, origins)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return people
}

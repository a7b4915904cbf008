import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createIdentityProvider } from './identity-provider.ts'

let server: Server | undefined
afterEach(() => server?.close())

/** Answers discovery, and anything else as it is given. */
async function start(answer: (request: IncomingMessage, body: string) => readonly [number, object]) {
  const asked: string[] = []
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      asked.push(request.url ?? '')
      const isDiscovery = request.url === '/.well-known/openid-configuration'
      const [status, reply] = isDiscovery ? [200, discovery] : answer(request, body)
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
    })
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const discovery = {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  }
  const client = { clientId: 'homeward', clientSecret: 'secret-word', name: 'Provider', admins: [] }
  return { asked, provider: createIdentityProvider({ issuer, ...client, sessionSecret: undefined }) }
}

const callback = 'http://127.0.0.1:3000/sign-in/callback'

it('reads the addresses of the provider once for sign-ins that begin together, each with its own secrets', async () => {
  const { asked, provider } = await start(() => [404, {}])
  const [first, second] = await Promise.all([provider.start(callback), provider.start(callback)])
  expect(asked).toHaveLength(1)
  const { searchParams } = new URL(first.url)
  expect(Object.fromEntries(searchParams)).toMatchObject({
    client_id: 'homeward',
    redirect_uri: callback,
    response_type: 'code',
    code_challenge_method: 'S256',
    state: first.state,
    nonce: first.nonce,
  })
  expect(first.url).not.toContain(first.verifier)
  for (const key of ['state', 'nonce', 'verifier'] as const) expect(first[key]).not.toBe(second[key])
})

it.each([
  ['code=c&state=other', 'rejected'],
  ['error=access_denied&state=STATE', 'denied'],
  ['error=temporarily_unavailable&state=STATE', 'unreachable'],
  ['error=unauthorized_client&state=STATE', 'setup'],
  ['error=access_denied&state=other', 'rejected'],
])('tells why the provider sends a person back with %s: %s', async (search, problem) => {
  const { asked, provider } = await start(() => [500, {}])
  const begun = await provider.start(callback)
  const address = new URL(`${callback}?${search.replace('STATE', begun.state)}`)
  await expect(provider.redeem(address, begun)).rejects.toMatchObject({ problem })
  expect(asked).toHaveLength(1)
})

it.each([
  [400, { error: 'invalid_grant', error_description: 'secret-word' }, 'expired'],
  [401, { error: 'invalid_client', error_description: 'secret-word' }, 'setup'],
  [503, { error: 'secret-word' }, 'unreachable'],
  [200, { access_token: 'secret-word', token_type: 'bearer' }, 'rejected'],
  [200, { access_token: 'secret-word', token_type: 'bearer', id_token: 'e30.e30.secret-word' }, 'rejected'],
])(
  'tells why a code is not redeemed, without quoting the provider: %s %o, %s',
  async (status, reply, problem) => {
    const sent: string[] = []
    const { provider } = await start(({ headers }, body) => {
      sent.push(`${headers.authorization} ${body}`)
      return [status, reply]
    })
    const begun = await provider.start(callback)
    const address = new URL(`${callback}?code=secret-code&state=${begun.state}`)
    const failure = await provider.redeem(address, begun).catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'SignInFailure', problem })
    expect(`${String(failure)} ${JSON.stringify(failure)}`).not.toMatch(/secret-(?:word|code)/)
    // where the provider names no method, the standard one: a header
    expect(sent[0]).toMatch(/^Basic \S+ .*code_verifier=/)
    expect(sent[0]).toContain(`redirect_uri=${encodeURIComponent(callback)}`)
  },
)

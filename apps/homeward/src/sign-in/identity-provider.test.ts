import { generateKeyPairSync, sign } from 'node:crypto'
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
    userinfo_endpoint: `${issuer}/userinfo`,
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

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const verified = { email: 'ann@example.com', email_verified: true }
const inUserinfo = { email: 'ann@example.com', email_verified: 'true', name: 'Ann' }
it.each([
  [
    'the signed token decides',
    verified,
    { ...inUserinfo, email_verified: 'false' },
    'ann@example.com',
    'Ann',
  ],
  ['text counts as a boolean', {}, inUserinfo, 'ann@example.com', 'Ann'],
  [
    'text counts in the token too',
    { ...verified, email_verified: 'true' },
    {},
    'ann@example.com',
    'ann@example.com',
  ],
  ['no other address counts as verified', { email: 'eve@example.com' }, inUserinfo, undefined, 'Ann'],
  ['the same address is verified', { email: 'ann@example.com' }, inUserinfo, 'ann@example.com', 'Ann'],
  ['a token that says no is right', { ...verified, email_verified: false }, inUserinfo, undefined, 'Ann'],
  ['an address that refuses costs a name only', verified, undefined, 'ann@example.com', 'ann@example.com'],
])('reads a person from both sources, and %s', async (_, claims, userinfo, email, name) => {
  let nonce = ''
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const { provider } = await start(({ url, headers }) => {
    if (url === '/jwks') return [200, { keys: [{ ...publicKey.export({ format: 'jwk' }), alg: 'RS256' }] }]
    if (url === '/userinfo') return userinfo ? [200, { sub: '1', ...userinfo }] : [403, {}]
    const issuer = `http://${headers.host}`
    const now = Math.floor(Date.now() / 1000)
    const own = { iss: issuer, sub: '1', aud: 'homeward', iat: now, exp: now + 60, nonce, ...claims }
    const text = `${part({ alg: 'RS256' })}.${part(own)}`
    const token = `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
    return [200, { access_token: 'a', token_type: 'bearer', id_token: token }]
  })
  const begun = await provider.start(callback)
  nonce = begun.nonce
  const person = await provider.redeem(new URL(`${callback}?code=c&state=${begun.state}`), begun)
  expect([person.email, person.name]).toEqual([email, name])
})

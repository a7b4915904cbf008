import { HttpError, type RequestView } from '@homeward/contract/handler'
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, type JWTPayload } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createOidcSessions, type OidcOptions, type TokenRejection } from './index.ts'
import { startIdentityProvider, type IdentityProvider } from './testing/identity-provider.ts'

let provider: IdentityProvider
let aheadMs = 0
let refusals: TokenRejection[] = []
const errors: unknown[] = []

beforeAll(async () => {
  provider = await startIdentityProvider()
})
afterAll(() => provider[Symbol.asyncDispose]())
beforeEach(() => {
  aheadMs = 0
  refusals = []
  errors.length = 0
  provider.isDown = false
  provider.paths.length = 0
})

const create = (options: Partial<OidcOptions> = {}) =>
  createOidcSessions({
    issuer: provider.issuer,
    audience: 'homeward',
    now: () => Date.now() + aheadMs,
    onRejected: (reason) => refusals.push(reason),
    onError: (error) => errors.push(error),
    ...options,
  })

function requestWith(authorization: string | undefined): RequestView {
  return {
    method: 'GET',
    path: '/api/devices',
    search: '',
    origin: 'http://127.0.0.1',
    remoteAddress: '192.0.2.1',
    signal: new AbortController().signal,
    header: (name) => (name === 'authorization' ? authorization : undefined),
    async *body() {},
  }
}

type TestSessions = ReturnType<typeof create>

async function resolve(sessions: TestSessions, token: string) {
  return sessions.resolve(requestWith(`Bearer ${token}`))
}

/** How a token is refused; nothing of the token may be told. */
async function refusalOf(sessions: TestSessions, token: string) {
  const error: unknown = await resolve(sessions, token).then(
    (session) => session,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof HttpError)) throw new Error(`was not refused: ${JSON.stringify(error)}`)
  const told = JSON.stringify([error.message, error.body, error.headers, error.cause ?? null])
  for (const part of token.split('.')) if (part.length > 8) expect(told).not.toContain(part)
  return error
}

describe('C23: with a real identity provider', { timeout: 60_000 }, () => {
  it('C23: recognises a user by a token, and reads the keys once', async () => {
    const sessions = create()
    const token = await provider.token()
    provider.paths.length = 0
    const found = await Promise.all([1, 2, 3].map(() => resolve(sessions, token)))
    expect(found).toEqual([1, 2, 3].map(() => ({ userId: `${provider.issuer}#program` })))
    expect(provider.paths).toEqual(['/.well-known/openid-configuration', '/jwks'])
  })

  it('C23: a token for another audience is refused', async () => {
    const error = await refusalOf(create(), await provider.token('elsewhere'))
    expect([error.status, error.body]).toEqual([401, { error: 'Unauthorized' }])
    expect(error.headers['www-authenticate']).toContain(
      'error_description="The token is for another audience"',
    )
    expect(refusals).toEqual(['audience'])
  })

  it('C23: a token of another client is refused where clients are named', async () => {
    const sessions = create({ authorizedParties: ['program'] })
    expect(await resolve(sessions, await provider.token())).not.toBeNull()
    await refusalOf(sessions, await provider.token('homeward', 'other-program'))
    expect(refusals).toEqual(['authorized-party'])
  })

  it('C23: a token is good until it expires, with the clocks a little apart', async () => {
    const sessions = create({ clockToleranceSeconds: 30, cacheKeysMs: 1e12, refreshAfterMs: 1e12 })
    const token = await provider.token()
    const { exp = 0 } = JSON.parse(atob(token.split('.')[1]!)) as JWTPayload
    const untilExpiryMs = exp * 1000 - Date.now()
    aheadMs = untilExpiryMs + 25_000
    expect(await resolve(sessions, token)).not.toBeNull()
    aheadMs = untilExpiryMs + 35_000
    await refusalOf(sessions, token)
    aheadMs = -60_000
    await refusalOf(create({ maxTokenAgeSeconds: 1000 }), token)
    expect(refusals).toEqual(['expired', 'not-yet-valid'])
  })

  it('C23: follows the rotation of keys at once, and forgets a key that was withdrawn', async () => {
    const sessions = create()
    const old = await provider.token()
    await resolve(sessions, old)
    aheadMs += 31_000
    await provider.rotate(true)
    expect(await resolve(sessions, await provider.token())).not.toBeNull()
    expect(await resolve(sessions, old)).not.toBeNull()
    await provider.rotate(false)
    aheadMs += 601_000
    await resolve(sessions, old) // known keys do while the new ones are read
    const outcome = () =>
      resolve(sessions, old).then(
        () => 'good',
        () => 'refused',
      )
    await expect.poll(outcome).toBe('refused')
    expect(refusals).toEqual(['unknown-key'])
  })

  it('C23: asks for keys at most every 30 s, whatever keys the tokens name', async () => {
    const sessions = create()
    await resolve(sessions, await provider.token())
    provider.paths.length = 0
    const { privateKey } = await generateKeyPair('RS256')
    for (let index = 0; index < 20; index += 1) {
      const forged = await new SignJWT({ sub: 'ann', aud: 'homeward', iss: provider.issuer, exp: 9e9 })
        .setProtectedHeader({ alg: 'RS256', kid: `k${index}` })
        .sign(privateKey)
      await refusalOf(sessions, forged)
      aheadMs += 2000
    }
    expect(refusals).toEqual(Array(20).fill('unknown-key'))
    expect(provider.paths).toEqual(['/jwks'])
  })

  it('C23: known keys do while the provider is down, for a day; what cannot be judged is 503', async () => {
    const sessions = create()
    const token = await provider.token()
    await resolve(sessions, token)
    provider.isDown = true
    aheadMs += 601_000
    expect(await resolve(sessions, token)).not.toBeNull()
    await expect.poll(() => errors.length).toBe(1)
    aheadMs += 31_000
    const { privateKey } = await generateKeyPair('RS256')
    const unknown = await new SignJWT({ sub: 'ann' })
      .setProtectedHeader({ alg: 'RS256', kid: 'new' })
      .sign(privateKey)
    const error = await refusalOf(sessions, unknown)
    expect([error.status, error.headers['retry-after']]).toEqual([503, '30'])
    const message = expect.stringContaining('identity provider does not respond')
    expect(error.body).toEqual({ error: 'Service unavailable', message })
    expect(await resolve(sessions, token)).not.toBeNull()
    aheadMs += 86_400_000
    expect((await refusalOf(sessions, token)).status).toBe(503)
    provider.isDown = false
    aheadMs += 31_000
    expect(await resolve(sessions, token)).not.toBeNull()
    expect(refusals).toEqual([])
  })

  it('C23: says 503 while it has never reached the provider, and asks it no more than every 30 s', async () => {
    const token = await provider.token()
    provider.isDown = true
    provider.paths.length = 0
    const sessions = create()
    for (let index = 0; index < 5; index += 1) expect((await refusalOf(sessions, token)).status).toBe(503)
    expect(provider.paths).toHaveLength(1)
    provider.isDown = false
    aheadMs += 31_000
    expect(await resolve(sessions, token)).not.toBeNull()
  })
})

describe('C23: tokens that somebody made up', async () => {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
  const foreign = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', use: 'sig' }
  const issuer = 'https://login.example'
  const nowSeconds = Math.floor(Date.now() / 1000)
  const good = { iss: issuer, aud: 'homeward', sub: 'ann', exp: nowSeconds + 600, iat: nowSeconds }
  const keySets: Record<string, unknown> = {}
  const twin = { ...jwk, kid: 'twin' }
  beforeEach(() => void (keySets['/jwks'] = { keys: [jwk, twin, twin] }))
  const local = (options: Partial<OidcOptions> = {}) =>
    create({
      issuer,
      jwksUri: `${issuer}/jwks`,
      now: () => nowSeconds * 1000,
      fetch: async (input) => Response.json(keySets[new URL(input).pathname]),
      ...options,
    })
  const sign = (claims: JWTPayload, header: Record<string, unknown> = {}, key: CryptoKey = privateKey) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k', ...header }).sign(key)
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  it('C23: the one that all others are compared with is good', async () => {
    expect(await resolve(local(), await sign(good))).toEqual({ userId: `${issuer}#ann` })
  })

  const withSecret = async (secret: string) =>
    new SignJWT(good).setProtectedHeader({ alg: 'HS256', kid: 'k' }).sign(new TextEncoder().encode(secret))

  const cases: [string, TokenRejection, () => Promise<string>][] = [
    ['signed by nobody', 'malformed', async () => `${encode({ alg: 'none' })}.${encode(good)}.`],
    [
      'that say "none" and carry a signature',
      'algorithm',
      async () => `${encode({ alg: 'none' })}.${encode(good)}.AAAA`,
    ],
    [
      'signed with the public key as a secret',
      'algorithm',
      async () => withSecret(await exportSPKI(publicKey)),
    ],
    ['signed with the key set as a secret', 'algorithm', () => withSecret(JSON.stringify(jwk))],
    ['signed by another key of the same name', 'signature', () => sign(good, {}, foreign.privateKey)],
    [
      'that bring their own key',
      'signature',
      async () => sign(good, { jwk: await exportJWK(foreign.publicKey) }, foreign.privateKey),
    ],
    [
      'that say where their key is',
      'unknown-key',
      () => sign(good, { kid: 'x', jku: 'https://evil.example/jwks' }, foreign.privateKey),
    ],
    [
      'with a claim changed',
      'signature',
      async () => {
        const [head, , signature] = (await sign(good)).split('.')
        return `${head}.${encode({ ...good, sub: 'bob' })}.${signature}`
      },
    ],
    ['that have expired', 'expired', () => sign({ ...good, exp: nowSeconds - 31 })],
    ['that never expire', 'expired', () => sign({ ...good, exp: undefined } as never)],
    ['that are not valid yet', 'not-yet-valid', () => sign({ ...good, nbf: nowSeconds + 60 })],
    ['of another issuer', 'issuer', () => sign({ ...good, iss: 'https://evil.example' })],
    ['of an issuer that begins alike', 'issuer', () => sign({ ...good, iss: `${issuer}/` })],
    ['for another audience', 'audience', () => sign({ ...good, aud: ['other'] })],
    ['for nobody', 'audience', () => sign({ ...good, aud: undefined } as never)],
    ['without a user', 'subject', () => sign({ ...good, sub: undefined } as never)],
    ['with an empty user', 'subject', () => sign({ ...good, sub: '' })],
    ['of another kind', 'claims', () => sign(good, { typ: 'logout+jwt' })],
    [
      'with a critical header that nobody knows',
      'malformed',
      () => Promise.resolve(`${encode({ alg: 'RS256', crit: ['x'], x: 1 })}.${encode(good)}.AAAA`),
    ],
    ['that are no JSON', 'malformed', async () => 'a.b.c'],
    ['that are too long', 'malformed', async () => `a.${'b'.repeat(17_000)}.c`],
    ['that are good and too long', 'malformed', () => sign({ ...good, more: 'x'.repeat(17_000) })],
    ['of which two keys may be the one', 'unknown-key', () => sign(good, { kid: 'twin' })],
    ['that are API keys', 'malformed', async () => `hw_${'a'.repeat(43)}`],
  ]
  it.each(cases)('C23: %s are refused', async (_, reason, make) => {
    const error = await refusalOf(local(), await make())
    expect([error.status, error.body]).toEqual([401, { error: 'Unauthorized' }])
    expect(error.headers['www-authenticate']).toMatch(
      /^Bearer error="invalid_token", error_description="T.+"$/,
    )
    expect(refusals).toEqual([reason])
  })

  it('C23: a token that comes with another one is refused, and the header says why', async () => {
    const { status, headers } = await refusalOf(local(), `${await sign(good)}, Bearer ${await sign(good)}`)
    expect([status, headers['www-authenticate']]).toEqual([401, expect.stringMatching(/_request.*it once/)])
  })

  it('C23: a shared secret among the keys is no key', async () => {
    keySets['/jwks'] = { keys: [{ kty: 'oct', k: btoa('secret-of-all-of-us-32-characters'), kid: 'k' }, jwk] }
    await refusalOf(local(), await withSecret('secret-of-all-of-us-32-characters'))
    expect(await resolve(local(), await sign(good))).not.toBeNull()
  })

  it.each([
    ['HTML', async () => new Response('<html>')],
    [
      'a redirect',
      async () => new Response(null, { status: 302, headers: { location: 'https://evil.example' } }),
    ],
    ['another form', async () => Response.json({ keys: 'x' })],
    ['an error', async () => new Response(null, { status: 500 })],
  ])('C23: a provider that answers %s instead of keys is not believed', async (_, fetch) => {
    expect((await refusalOf(local({ fetch }), await sign(good))).status).toBe(503)
    expect(errors).toHaveLength(1)
  })

  it('C23: a provider that calls itself by another name is not believed', async () => {
    const fetch = async () => Response.json({ issuer: 'https://evil.example', jwks_uri: `${issuer}/jwks` })
    const sessions = create({ issuer, fetch })
    expect((await refusalOf(sessions, await sign(good))).status).toBe(503)
    expect(String(errors[0])).toContain('uses another issuer name')
  })

  it.each(['ES256', 'EdDSA', 'PS256'])('C23: takes a token that is signed by %s', async (alg) => {
    const pair = await generateKeyPair(alg)
    keySets['/jwks'] = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k' }] }
    expect(await resolve(local(), await sign(good, { alg }, pair.privateKey))).not.toBeNull()
    await refusalOf(local({ algorithms: ['RS256'] }), await sign(good, { alg }, pair.privateKey))
    expect(refusals).toEqual(['algorithm'])
  })

  it('C23: takes nothing that is signed by a key that is for encryption, or not public', async () => {
    for (const wrong of [{ ...jwk, use: 'enc' }, await exportJWK(privateKey)]) {
      keySets['/jwks'] = { keys: [{ ...wrong, kid: 'k' }] }
      await refusalOf(local(), await sign(good))
    }
    expect(refusals).toEqual(['unknown-key', 'unknown-key'])
  })

  it.each(['JWT', 'at+jwt', 'application/at+jwt'])(
    'C23: takes a token that says it is of the kind %s',
    async (typ) => {
      expect(await resolve(local(), await sign(good, { typ }))).not.toBeNull()
    },
  )

  it('C23: the client that a token was given to is named in one of two claims', async () => {
    const sessions = local({ authorizedParties: ['program'] })
    for (const claim of ['azp', 'client_id']) {
      expect(await resolve(sessions, await sign({ ...good, [claim]: 'program' }))).not.toBeNull()
      await refusalOf(sessions, await sign({ ...good, [claim]: 'other' }))
      await refusalOf(sessions, await sign({ ...good, [claim]: ['program'] }))
    }
    await refusalOf(sessions, await sign({ ...good, azp: 'other', client_id: 'program' }))
    await refusalOf(sessions, await sign(good))
    expect(refusals).toEqual(Array(6).fill('authorized-party'))
  })

  it('C23: a user whose name is empty or has no end is no user', async () => {
    for (const userId of ['', 'x'.repeat(513)])
      expect((await refusalOf(local({ toUserId: () => userId }), await sign(good))).status).toBe(401)
    expect(refusals).toEqual(['subject', 'subject'])
    const longest = local({ toUserId: () => 'x'.repeat(512) })
    expect(await resolve(longest, await sign(good))).not.toBeNull()
  })

  it('C23: what the host fails with is no refusal', async () => {
    const failure = new Error('no such table')
    const toUserId = () => {
      throw failure
    }
    await expect(resolve(local({ toUserId }), await sign(good))).rejects.toBe(failure)
    expect(refusals).toEqual([])
  })

  it('C23: a provider that names an address without https:// for its keys is not believed', async () => {
    const sessions = create({
      issuer,
      now: () => nowSeconds * 1000,
      fetch: async () => Response.json({ issuer, jwks_uri: 'http://login.example/jwks' }),
    })
    expect((await refusalOf(sessions, await sign(good))).status).toBe(503)
    expect(String(errors[0])).toContain('not https://')
  })

  it('C23: asks an issuer whose name ends in a slash at the address without it', async () => {
    const asked: string[] = []
    const fetch = async (input: string) => {
      asked.push(input)
      return Response.json(
        input.endsWith('/jwks') ? { keys: [jwk] } : { issuer: `${issuer}/`, jwks_uri: `${issuer}/jwks` },
      )
    }
    const sessions = create({ issuer: `${issuer}/`, fetch, now: () => nowSeconds * 1000 })
    expect(await resolve(sessions, await sign({ ...good, iss: `${issuer}/` }))).not.toBeNull()
    expect(asked).toEqual([`${issuer}/.well-known/openid-configuration`, `${issuer}/jwks`])
  })

  it('C23: no token is no session', async () => {
    const token = await sign(good)
    expect(await local().resolve(requestWith(`bearer  ${token}`))).not.toBeNull()
    for (const header of [undefined, '', 'Basic abc', 'Bearer', 'Bearer a b', `x Bearer ${token}`])
      expect(await local().resolve(requestWith(header))).toBeNull()
  })
})

it.each([
  ['issuer', { issuer: 'http://login.example' }],
  ['issuer', { issuer: 'https://user:pass@login.example' }],
  ['audience', { audience: '' }],
  ['audience', { audience: [] }],
  // a variable that nobody set
  ['audience', { audience: undefined as never }],
  ['jwksUri', { jwksUri: 'ftp://x' }],
  ['algorithms', { algorithms: ['HS256' as never] }],
  ['algorithms', { algorithms: ['none' as never] }],
  ['clockToleranceSeconds', { clockToleranceSeconds: 3600 }],
  ['maxTokenAgeSeconds', { maxTokenAgeSeconds: Number.NaN }],
  ['cacheKeysMs', { cacheKeysMs: -1 }],
])('names %s when it cannot be used', (name, wrong) => {
  expect(() => create(wrong)).toThrow(`Creating the OIDC sessions failed: "${name}" must be`)
})

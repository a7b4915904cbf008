import * as jose from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import type { OidcOptions } from './index.ts'
import { createSigningKeys } from './signing-keys.ts'

const issuer = 'https://login.example'
const address = `${issuer}/jwks`
let jwk: jose.JWK = {}

beforeAll(async () => {
  const { publicKey } = await jose.generateKeyPair('RS256')
  jwk = await jose.exportJWK(publicKey)
})

/** Keys of a provider that answers as it is told, by a clock that is set by hand. */
function openKeys(
  options: Pick<OidcOptions, 'issuer' | 'jwksUri' | 'onError'> = { issuer, jwksUri: address },
) {
  const clock = { now: 1_700_000_000_000 }
  const asked: string[] = []
  const errors: unknown[] = []
  const provider = { answer: (_url: string): Response => Response.json({ keys: [{ ...jwk, kid: 'k' }] }) }
  const keys = createSigningKeys(
    {
      audience: 'homeward',
      now: () => clock.now,
      onError: (error) => errors.push(error),
      async fetch(url, init) {
        asked.push(`${init.method} ${url} ${new Headers(init.headers).get('accept')}`)
        return provider.answer(url)
      },
      ...options,
    },
    jose,
  )
  const find = (kid?: string) =>
    keys.find({ alg: 'RS256', ...(kid !== undefined && { kid }) }, { payload: '', signature: '' }).then(
      () => 'found',
      (error: unknown) => (error instanceof Error ? error.name : 'unknown'),
    )
  return { clock, asked, errors, provider, find }
}

describe('C23: the keys of a provider', () => {
  it('C23: are read again behind ten minutes, and not before', async () => {
    const { clock, asked, find } = openKeys()
    const begun = clock.now
    for (const [passedMs, reads] of [
      [0, 1],
      [31_000, 1],
      [600_000, 1],
      [600_001, 2],
    ] as const) {
      clock.now = begun + passedMs
      expect(await find('k')).toBe('found')
      expect(asked).toHaveLength(reads)
    }
    expect(asked[0]).toBe(`GET ${address} application/json`)
  })

  it('C23: are asked for a name that is not known when the cool-down is over', async () => {
    const { clock, asked, find } = openKeys()
    const begun = clock.now
    for (const [passedMs, reads] of [
      [0, 1],
      [29_999, 1],
      [30_000, 2],
    ] as const) {
      clock.now = begun + passedMs
      expect(await find('other')).toBe('UnknownKey')
      expect(asked).toHaveLength(reads)
    }
  })

  it('C23: are read again when the clock was put back, and asked for a name that is not known', async () => {
    const { clock, asked, provider, find } = openKeys()
    clock.now += 86_400_000
    expect(await find('k')).toBe('found')
    clock.now -= 86_400_000
    provider.answer = () => Response.json({ keys: [{ ...jwk, kid: 'new' }] })
    expect(await find('new')).toBe('found')
    expect(asked).toHaveLength(2)
    expect(await find('k')).toBe('UnknownKey')
  })

  it('C23: do for a day while the provider is down', async () => {
    const { clock, provider, find } = openKeys()
    await find('k')
    provider.answer = () => new Response(null, { status: 503 })
    clock.now += 86_400_000
    expect(await find('k')).toBe('found')
    clock.now += 1
    expect(await find('k')).toBe('KeysUnavailable')
  })

  it('C23: do so also where onError throws', async () => {
    const onError = () => {
      throw new Error('the logger is broken')
    }
    const { clock, provider, find } = openKeys({ issuer, jwksUri: address, onError })
    await find('k')
    provider.answer = () => new Response(null, { status: 503 })
    clock.now += 86_400_000
    expect(await find('k')).toBe('found')
    clock.now += 86_400_000
    expect(await find('k')).toBe('KeysUnavailable')
  })

  it('C23: are not asked for again where a token could be of several', async () => {
    const { clock, asked, provider, find } = openKeys()
    provider.answer = () => Response.json({ keys: [jwk, jwk] })
    expect(await find()).toBe('JWKSMultipleMatchingKeys')
    clock.now += 60_000
    expect(await find()).toBe('JWKSMultipleMatchingKeys')
    expect(asked).toHaveLength(1)
  })

  it('C23: are a hundred at the most', async () => {
    const { provider, find } = openKeys()
    const all = Array.from({ length: 101 }, (_, index) => ({ ...jwk, kid: `k${index}` }))
    provider.answer = () => Response.json({ keys: all })
    expect(await find('k99')).toBe('found')
    expect(await find('k100')).toBe('UnknownKey')
  })
})

describe('C23: a provider that answers', () => {
  const keys = () => ({ keys: [{ ...jwk, kid: 'k' }] })
  const answers: readonly [string, () => Response, RegExp][] = [
    ['no JSON', () => new Response('<html>'), /not JSON/],
    ['no keys', () => Response.json({ keys: 'x' }), /the provider sent invalid keys/],
    ['keys of no kind', () => Response.json({ keys: [{ kid: 'k' }] }), /the provider sent invalid keys/],
    ['an error with keys', () => Response.json(keys(), { status: 500 }), /responded with 500/],
    ['an error with nothing', () => new Response(null, { status: 404 }), /responded with 404/],
  ]
  it.each(answers)('%s is not believed, and its operator is told', async (_, answer, told) => {
    const { errors, provider, find } = openKeys()
    provider.answer = answer
    expect(await find('k')).toBe('KeysUnavailable')
    expect(errors.map(String)).toEqual([expect.stringMatching(told)])
  })

  it('no discovery document is not believed', async () => {
    const { asked, errors, provider, find } = openKeys({ issuer: `${issuer}//` })
    provider.answer = () => Response.json({ issuer: `${issuer}//` })
    expect(await find('k')).toBe('KeysUnavailable')
    expect(String(errors[0])).toMatch(/invalid discovery document/)
    expect(asked).toEqual([`GET ${issuer}/.well-known/openid-configuration application/json`])
  })
})

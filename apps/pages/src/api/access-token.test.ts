import { beforeEach, describe, expect, it, vi } from 'vitest'
import { platformToken } from './access-token.ts'

const {
  fetch: authorizedFetch,
  read: readAccessToken,
  save: saveAccessToken,
  signIn: signInWith,
} = platformToken

/** The server takes this token alone. */
let valid: string
let calls: { readonly token: string | null; readonly answer: (response?: Response) => void }[]

beforeEach(() => {
  const kept = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  })
  calls = []
  vi.stubGlobal('fetch', (_url: string, init: RequestInit) => {
    const token = new Headers(init.headers).get('authorization')
    return new Promise((resolve) => {
      const usual = () => new Response('{}', { status: token === `Bearer ${valid}` ? 200 : 401 })
      calls.push({ token, answer: (response = usual()) => resolve(response) })
    })
  })
})

const call = (body?: BodyInit) =>
  authorizedFetch('/api/settings', {
    headers: new Headers({ authorization: `Bearer ${readAccessToken()}` }),
    ...(body !== undefined && { method: 'PUT', body }),
  })

describe('a call that the server refuses', () => {
  it('A19: is made again with the token that the tab has got since', async () => {
    valid = 'old'
    saveAccessToken('old')
    const late = call('{"a":1}')
    valid = 'new'
    saveAccessToken('new')
    calls[0]?.answer()
    await expect.poll(() => calls.length).toBe(2)
    calls[1]?.answer()
    expect((await late).status).toBe(200)
    expect(calls.map(({ token }) => token)).toEqual(['Bearer old', 'Bearer new'])
  })

  it('A19: is not made again with the token that was refused', async () => {
    valid = 'other'
    saveAccessToken('wrong')
    const refused = call()
    calls[0]?.answer()
    expect((await refused).status).toBe(401)
    expect(calls).toHaveLength(1)
  })

  it('is not made again with a stream, which was read by the first one', async () => {
    saveAccessToken('old')
    const late = call(new Blob(['x']).stream())
    saveAccessToken('new')
    calls[0]?.answer(new Response(null, { status: 401 }))
    expect((await late).status).toBe(401)
    expect(calls).toHaveLength(1)
  })
})

it('tells when somebody else signs in, also behind a token that was none', () => {
  const tokenOf = (sub: string, iat: number, iss = 'https://id.example') =>
    ['{"alg":"none"}', JSON.stringify({ iss, sub, iat }), '']
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.')
  expect(signInWith('an opaque one')).toBe(false)
  expect(signInWith(tokenOf('ann', 1))).toBe(false)
  expect(signInWith(tokenOf('ann', 2))).toBe(false)
  expect(signInWith('wrong')).toBe(false)
  expect(signInWith(tokenOf('bob', 3))).toBe(true)
  expect(signInWith(tokenOf('bob', 4, 'https://other.example'))).toBe(true)
  expect(readAccessToken()).toBe(tokenOf('bob', 4, 'https://other.example'))
})

import type { RequestView } from '@homeward/contract/handler'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOidcSessions, type OidcOptions } from './index.ts'
import { startIdentityProvider, type IdentityProvider } from './testing/identity-provider.ts'

let provider: IdentityProvider
beforeAll(async () => {
  provider = await startIdentityProvider()
})
afterAll(() => provider[Symbol.asyncDispose]())

const create = (options: Partial<OidcOptions>) =>
  createOidcSessions({ issuer: provider.issuer, audience: 'homeward', ...options })

async function resolve(sessions: ReturnType<typeof create>, token: string) {
  const request: RequestView = {
    method: 'GET',
    path: '/api/devices',
    search: '',
    origin: 'http://127.0.0.1',
    remoteAddress: '192.0.2.1',
    signal: new AbortController().signal,
    header: (name) => (name === 'authorization' ? `Bearer ${token}` : undefined),
    async *body() {},
  }
  return sessions.resolve(request)
}

describe('what the claims of a token say of its session', () => {
  it('C30: names an actor and grants where the host maps claims to them', async () => {
    const sessions = create({
      toUserId: () => 'company',
      toActor: ({ client_id: client }) => String(client),
      toGrants: ({ client_id: client }) => (client === 'program' ? ['read', 'audit'] : undefined),
    })
    expect(await resolve(sessions, await provider.token())).toEqual({
      userId: 'company',
      actor: 'program',
      may: ['read', 'audit'],
    })
    const other = await resolve(sessions, await provider.token('homeward', 'other-program'))
    expect(other).toEqual({ userId: 'company', actor: 'other-program' })
  })

  it.each(['toUserId', 'toActor', 'toGrants'])('C30: rejects a %s that is not a function', (name) => {
    expect(() => create({ [name]: 'claim' })).toThrow(`"${name}" must be a function`)
  })
})

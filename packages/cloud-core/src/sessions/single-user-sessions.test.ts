import type { RequestView } from '@homeward/contract/handler'
import { expect, it } from 'vitest'
import { createSingleUserSessions } from './single-user-sessions.ts'

const resolve = (headers: Readonly<Record<string, string>>) => {
  const all: Readonly<Record<string, string>> = { host: '127.0.0.1:3000', ...headers }
  const request = { remoteAddress: '127.0.0.1', header: (name: string) => all[name] }
  return createSingleUserSessions().resolve(request as RequestView) // what sessions read of one
}

it('C23: takes the agent that a local program calls for as the actor', () => {
  expect(resolve({})).toEqual({ userId: 'local' })
  expect(resolve({ 'x-homeward-agent': 'demo-2' })).toEqual({ userId: 'local', actor: 'agent:demo-2' })
})

it('C23: the name of an agent gives nobody a session, and other text than an id does not become an actor', () => {
  const elsewhere = { 'x-homeward-agent': 'demo', 'x-forwarded-for': '192.0.2.1' }
  expect(resolve(elsewhere)).toBeNull()
  for (const id of ['', 'a b', 'ö', 'x'.repeat(129)])
    expect(resolve({ 'x-homeward-agent': id })).toEqual({ userId: 'local' })
})

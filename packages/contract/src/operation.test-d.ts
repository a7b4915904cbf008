import { it } from 'vitest'
import * as z from 'zod/mini'
import type { Operation } from './operation.ts'

const row = {
  method: 'POST',
  path: '/api/things',
  summary: 'Makes a thing.',
  source: 'test',
  reply: z.object({}),
} as const
const audit = { action: 'thing.made', target: '{reply.id}' } as const

it('asks what the audit says of what administrators and users change', () => {
  const complete = {
    ...row,
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit,
  } as const satisfies Operation
  const harmless = { ...complete, audit: 'none' } as const satisfies Operation
  const reading = { ...row, method: 'GET', auth: 'session', needs: 'manage' } as const satisfies Operation
  // @ts-expect-error no audit
  const silent: Operation = { ...row, auth: 'local', scope: 'admin', subject: 'all' }
  // @ts-expect-error no audit
  const unseen: Operation = { ...row, auth: 'session', needs: 'fetch' }
  return [harmless, reading, silent, unseen]
})

it('asks which agents and which user a call of a local caller is about', () => {
  const named = { agent: 'body.agent_id', user: 'body.user_id' } as const
  const complete = { ...row, auth: 'local', scope: 'run', subject: named } as const satisfies Operation
  // @ts-expect-error no subject
  const open: Operation = { ...row, auth: 'local', scope: 'run' }
  // @ts-expect-error no place of a call
  const strange: Operation = { ...row, auth: 'local', scope: 'run', subject: { agent: 'agent_id' } }
  return [complete, open, strange]
})

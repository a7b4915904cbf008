import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AuditRecord } from '@homeward/contract/agent-platform'
import { expect, it, onTestFinished } from 'vitest'
import { startWithScripts, type TestPlatform } from '../testing/start-platform.ts'

const audit = async ({ send }: TestPlatform, query = ''): Promise<AuditRecord[]> =>
  (await send('GET', `/api/audit${query}`)).body.entries as AuditRecord[]

const short = ({ actor, action, target, outcome }: AuditRecord) => [actor, action, target, outcome].join(' ')

it('A27: says who changed what and how it ended, and holds no value', async () => {
  await using platform = await startWithScripts('in process', {}, { auth: { kind: 'settings' } })
  const { send } = platform
  await send('PUT', '/api/agents/echo', { body: { personality: 'a secret wish' } })
  await send('PUT', '/api/settings', {
    body: { openai_api_key: 'sk-secret', registry_url: 'https://store.example' },
  })
  await send('PUT', '/api/models/providers/house', {
    body: { api: 'openai-chat', base_url: 'https://ai.example/v1', api_key: 'sk-secret' },
  })
  await send('POST', '/api/graphs', { body: { id: 'g', nodes: [{ id: 'n', agent: 'echo' }] } })
  await send('DELETE', '/api/graphs/g')
  await send('PUT', '/api/channels/channel_a/senders/42', { body: { status: 'allowed' } })
  await send('PUT', '/api/channels/channel_a/routes', {
    body: { routes: [{ conversation: '7', agent_id: 'echo' }] },
  })
  await send('PUT', '/api/mcp/servers/shop', { body: { command: 'shop', env: { KEY: 'sk-secret' } } })
  await send('DELETE', '/api/mcp/servers/shop')
  await send('DELETE', '/api/agents/nobody')
  const hook = await send('POST', '/api/webhooks', {
    body: { url: 'https://93.184.215.14/secret-path', events: ['run.failed'] },
  })
  const hookId = hook.body.webhook.id as string
  await send('PUT', `/api/webhooks/${hookId}`, { body: { enabled: false } })
  await send('DELETE', `/api/webhooks/${hookId}`)
  const created = await send('POST', '/api/tokens', { body: { name: 'ci', scopes: ['read'] } })
  const id = created.body.token.id as string
  const headers = { authorization: `Bearer ${created.body.secret as string}` }
  await send('DELETE', '/api/agents/echo', { headers })
  await send('DELETE', `/api/tokens/${id}`)
  const entries = await audit(platform)
  expect(entries.map(short)).toEqual([
    `local token.deleted ${id} done`,
    'token:ci agent.deleted /api/agents/echo refused',
    `local token.created ${id} done`,
    `local webhook.deleted ${hookId} done`,
    `local webhook.updated ${hookId} done`,
    `local webhook.created ${hookId} done`,
    'local agent.deleted nobody refused',
    'local mcp-server.deleted shop done',
    'local mcp-server.saved shop done',
    'local routes.replaced channel_a done',
    'local sender.decided channel_a/42 done',
    'local graph.deleted g done',
    'local graph.created g done',
    'local provider.saved house done',
    'local settings.updated settings done',
    'local agent.updated echo done',
    'local agent.created echo done',
  ])
  expect(entries[14]?.details).toEqual({ fields: ['openai_api_key', 'registry_url'] })
  expect(JSON.stringify(entries)).not.toMatch(/sk-secret|secret wish|store\.example|secret-path/)
})

it('A27: filters by actor and action, and goes on by a cursor', async () => {
  await using platform = await startWithScripts('in process', {}, { auth: { kind: 'none' } })
  const { send } = platform
  for (const id of ['a', 'b', 'c']) await send('POST', '/api/agents', { body: { id, model: 'test/echo' } })
  expect((await audit(platform, '?action=agent.created&actor=local&target=b')).map(short)).toEqual([
    'local agent.created b done',
  ])
  const first = await send('GET', '/api/audit?limit=2')
  const second = await send('GET', `/api/audit?limit=2&cursor=${first.body.next_cursor as string}`)
  expect([...first.body.entries, ...second.body.entries].map(({ target }) => target as string)).toEqual([
    'c',
    'b',
    'a',
    'echo',
  ])
  expect((await send('GET', '/api/audit?cursor=nonsense')).status).toBe(400)
})

it('A27: an agent in a folder is audited as one in the database', async () => {
  const home = await mkdtemp(join(tmpdir(), 'homeward-audit-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  await using platform = await startWithScripts('in process', {}, { home, auth: { kind: 'none' } })
  const { send } = platform
  await send('PUT', '/api/settings', { body: { agents_dir: 'agents' } })
  await send('POST', '/api/agents', { body: { id: 'filed', model: 'test/echo' } })
  await send('POST', '/api/agents', { body: { id: 'filed', model: 'test/echo' } })
  expect((await audit(platform, '?target=filed')).map(short)).toEqual([
    'local agent.created filed refused',
    'local agent.created filed done',
  ])
})

it('A27: a caller that is refused all the time does not push everything else out', async () => {
  await using platform = await startWithScripts('in process', {}, { auth: { kind: 'none' } })
  for (let count = 0; count < 70; count += 1) await platform.send('DELETE', '/api/agents/nobody')
  expect((await audit(platform, '?target=nobody&limit=500')).length).toBeLessThan(65)
})

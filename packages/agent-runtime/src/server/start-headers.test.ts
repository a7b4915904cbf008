import { expect, it } from 'vitest'
import { startPlatform } from './testing/start-platform.ts'

it('A4, A7: a key that is too long or empty is refused: cut short, it would be the key of something else', async () => {
  await using platform = await startPlatform('in process')
  await platform.send('POST', '/api/agents', { body: { id: 'parrot', model: 'test/echo' } })
  const nodes = [{ id: 'only', agent: 'parrot' }]
  await platform.send('POST', '/api/graphs', { body: { id: 'chain', nodes } })
  const bodies = {
    '/api/tasks': { agent_id: 'parrot', task: 'Hello' },
    '/api/agents/run': { agent_id: 'parrot', task: 'Hello' },
    '/api/agents/run/stream': { agent_id: 'parrot', task: 'Hello' },
    '/api/graphs/run': { graph_id: 'chain', input: 'Hello' },
    '/api/graphs/run/stream': { graph_id: 'chain', input: 'Hello' },
  }
  for (const [path, body] of Object.entries(bodies)) {
    for (const key of ['', 'k'.repeat(201)]) {
      const answer = await platform.send('POST', path, { body, headers: { 'idempotency-key': key } })
      expect([path, answer.status, answer.body.code]).toEqual([path, 400, 'validation_error'])
      expect(answer.body.message).toContain('Idempotency-Key')
    }
    // stored as UTF-8, the halves of two pairs would be one key
    const broken = await platform.send('POST', path, { body: { ...body, idempotency_key: '\ud800' } })
    expect([path, broken.status]).toEqual([path, 400])
    const fits = { 'idempotency-key': `${path} `.padEnd(200, 'k') }
    expect((await platform.send('POST', path, { body, headers: fits })).status).toBeLessThan(300)
  }
})

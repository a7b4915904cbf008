import { expect, it } from 'vitest'
import { startPlatform } from './testing/start-platform.ts'

it('stores feedback of each user apart, finds runs by it, and shows users their own', async () => {
  await using platform = await startPlatform('in process')
  const { send } = platform
  await send('POST', '/api/agents', { body: { id: 'a', model: 'test/echo' } })
  const token = { name: 'ann', scopes: ['read', 'run'], user_id: 'ann' }
  const { secret } = (await send('POST', '/api/tokens', { body: token })).body
  const headers = { authorization: `Bearer ${secret}` }
  const runOf = async (user?: string) =>
    (
      await send('POST', '/api/agents/run', {
        body: { agent_id: 'a', task: 'x', ...(user && { user_id: user }) },
      })
    ).body.run_id as string
  const [own, other] = [await runOf('ann'), await runOf()]
  const rate = (id: string, body: object, by = {}) =>
    send('PUT', `/api/runs/${id}/feedback`, { body, headers: by })
  const idsOf = async (query: string, by = {}) =>
    (await send('GET', `/api/runs?feedback=${query}`, { headers: by })).body.runs.map(
      ({ id }: { id: string }) => id,
    )

  const first = await rate(own, { rating: 'down', comment: 'Wrong.' })
  const feedback = { run_id: own, rating: 'down', comment: 'Wrong.', created_at: expect.any(String) }
  expect(first.body).toEqual({ ok: true, feedback })
  expect(await idsOf('down', headers)).toEqual([])
  await rate(own, { rating: 'up' }, headers)
  expect([await idsOf('up', headers), await idsOf('down'), await idsOf('any')]).toEqual([[own], [own], [own]])
  const shown = (await send('GET', `/api/runs/${own}`)).body.run.feedback
  expect(shown).toHaveLength(2)
  const seen = (await send('GET', `/api/runs/${own}`, { headers })).body.run.feedback
  expect(seen).toEqual([expect.objectContaining({ user_id: 'ann', rating: 'up' })])

  expect((await rate(other, { rating: 'up' }, headers)).status).toBe(404)
  expect((await rate('none', { rating: 'up' })).status).toBe(404)
  expect((await rate(own, { rating: 'fine' })).status).toBe(400)
  const path = `/api/runs/${own}/feedback`
  for (const _ of [1, 2]) expect((await send('DELETE', path, { headers })).body).toEqual({ ok: true })
  expect(await idsOf('any')).toEqual([own])
  await send('DELETE', path)
  expect(await idsOf('any')).toEqual([])
  expect((await send('GET', `/api/runs/${own}`)).body.run).not.toHaveProperty('feedback')
})

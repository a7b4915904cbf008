import { describe, expect, it } from 'vitest'
import type { ModelProvider } from '../ports/model.ts'
import { createScriptedModel } from '../testing/scripted-model.ts'
import { startPlatform, ways } from './testing/start-platform.ts'

const mine: ModelProvider = () => createScriptedModel(Array.from({ length: 9 }, () => ({ text: 'Hi.' })))
const own = { inputPerMillion: 100, outputPerMillion: 200, cachedInputPerMillion: 10 }

describe.each(ways)('prices %s', (way) => {
  it('gives a model a price that counts for cost, usage and budgets from then on', async () => {
    await using platform = await startPlatform(way, { models: { mine } })
    const agent = { id: 'a', model: 'mine/big', budget: { max_usd: 1 } }
    await platform.send('POST', '/api/agents', { body: agent })
    const run = async () => {
      const { body } = await platform.send('POST', '/api/agents/run', {
        body: { agent_id: 'a', task: 'Hello' },
      })
      return (await platform.send('GET', `/api/runs/${body.run_id}`)).body.run
    }
    expect((await run()).result.code).toBe('budget_unknown')
    const path = '/api/prices/mine%2Fbig'
    const saved = await platform.send('PUT', path, { body: own })
    const price = { model: 'mine/big', ...own, source: 'settings' }
    expect([saved.status, saved.body]).toEqual([200, { ok: true, price }])
    expect((await platform.send('GET', '/api/prices')).body.prices).toEqual([price])
    expect((await run()).cost).toEqual({ amount: 0.002, currency: 'USD' })
    const { usage } = (await platform.send('GET', '/api/usage')).body
    expect(usage[0].cost_usd).toBe(0.002)
    expect((await platform.send('DELETE', path)).body).toEqual({ ok: true })
    expect((await platform.send('DELETE', path)).status).toBe(404)
    expect((await run()).result.code).toBe('budget_unknown')
    for (const body of [{ inputPerMillion: -1, outputPerMillion: 1 }, { inputPerMillion: 1 }])
      expect((await platform.send('PUT', path, { body })).status).toBe(400)
    expect((await platform.send('PUT', '/api/prices/nameless', { body: own })).status).toBe(400)
  })

  it('lists the dated catalog, and prices of the host, which count before it', async () => {
    const prices = { 'mine/big': { inputPerMillion: 1, outputPerMillion: 2 } }
    await using platform = await startPlatform(way, { models: { mine }, prices })
    const { body } = await platform.send('GET', '/api/prices')
    expect(body.catalog).toMatchObject({ date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), currency: 'USD' })
    expect(body.catalog.prices).toContainEqual(
      expect.objectContaining({ model: 'openai/gpt-5.4', inputPerMillion: 2.5 }),
    )
    expect(body.prices).toEqual([{ model: 'mine/big', ...prices['mine/big'], source: 'host' }])
    expect((await platform.send('DELETE', '/api/prices/mine%2Fbig')).status).toBe(404)
    await platform.send('PUT', '/api/prices/mine%2Fbig', { body: own })
    expect((await platform.send('GET', '/api/prices')).body.prices).toMatchObject([{ source: 'settings' }])
  })
})

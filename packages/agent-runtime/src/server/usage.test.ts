import { describe, expect, it } from 'vitest'
import { startPlatform, ways } from './testing/start-platform.ts'

describe.each(ways)('usage %s', (way) => {
  it('D19: what runs have used is summed up by day, agent and model', async () => {
    await using platform = await startPlatform(way, {
      prices: { 'test/echo': { inputPerMillion: 1, outputPerMillion: 2 } },
    })
    await platform.send('POST', '/api/agents', { body: { id: 'parrot', model: 'test/echo' } })
    const runs = await Promise.all(
      ['one', 'two'].map((task) =>
        platform.send('POST', '/api/agents/run', { body: { agent_id: 'parrot', task } }),
      ),
    )
    const used = (key: string) => runs.reduce((sum, { body }) => sum + Number(body.usage[key]), 0)
    const { status, body } = await platform.send('GET', '/api/usage')
    expect(status).toBe(200)
    expect(body.interval).toBe('day')
    expect(body.usage).toEqual([
      {
        start: expect.stringMatching(/T00:00:00\.000Z$/),
        agent_id: 'parrot',
        model: 'test/echo',
        calls: 2,
        input_tokens: used('input_tokens'),
        output_tokens: used('output_tokens'),
        cached_input_tokens: 0,
        cache_write_input_tokens: 0,
        reasoning_tokens: 0,
        cost_usd: (used('input_tokens') + 2 * used('output_tokens')) / 1_000_000,
      },
    ])
    expect((await platform.send('GET', '/api/usage?agent_id=other')).body.usage).toEqual([])
    expect((await platform.send('GET', '/api/usage?interval=hour')).body.usage).toHaveLength(1)
  })

  it('D19: costs what the runs and their steps have cost, also if prices change', async () => {
    await using platform = await startPlatform(way, {
      prices: { 'test/echo': { inputPerMillion: 1, outputPerMillion: 2 } },
    })
    const { send } = platform
    await send('POST', '/api/agents', { body: { id: 'parrot', model: 'test/echo' } })
    const run = async (task: string) =>
      (await send('POST', '/api/agents/run', { body: { agent_id: 'parrot', task } })).body.run_id
    const ids = [await run('one')]
    const dearer = { body: { inputPerMillion: 100, outputPerMillion: 200 } }
    expect((await send('PUT', '/api/prices/test%2Fecho', dearer)).status).toBeLessThan(300)
    ids.push(await run('two'))
    const sum = (values: readonly { cost?: { amount: number } }[]) =>
      values.reduce((all, { cost }) => all + Math.round((cost?.amount ?? 0) * 1_000_000), 0)
    const { runs } = (await send('GET', '/api/runs')).body
    const each = await Promise.all(ids.map(async (id) => (await send('GET', `/api/runs/${id}`)).body.run))
    const steps = await Promise.all(
      ids.map(async (id) => (await send('GET', `/api/runs/${id}/steps`)).body.steps),
    )
    const { usage } = (await send('GET', '/api/usage')).body
    const microUsd = Math.round(usage[0].cost_usd * 1_000_000)
    expect(microUsd).toBeGreaterThan(100)
    expect([sum(runs), sum(each), sum(steps.flat())]).toEqual([microUsd, microUsd, microUsd])
    expect(usage[0]).not.toHaveProperty('unpriced_calls')
  })

  it.each(['interval=week', 'from=yesterday', 'from=2020-01-01T00:00:00Z', 'agent_id=../x'])(
    'D19: refuses ?%s with what is wrong',
    async (query) => {
      await using platform = await startPlatform(way)
      const { status, body } = await platform.send('GET', `/api/usage?${query}`)
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'validation_error' })
    },
  )
})

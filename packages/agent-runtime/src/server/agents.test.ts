import { describe, expect, it } from 'vitest'
import { startPlatform, ways } from './testing/start-platform.ts'

describe.each(ways)('agents %s', (way) => {
  it('A3: creates, lists, gives, changes and deletes', async () => {
    await using platform = await startPlatform(way)
    const { send } = platform
    const fields = {
      id: 'writer',
      model: 'test/echo',
      personality: 'Brief.',
      skills: ['web'],
      tools: ['time'],
      limits: { max_turns: 5, max_tokens: 2000, max_runtime: 60 },
      context: { window_tokens: 8192, history_tokens: 0 },
      schedule: '0 9 * * *',
      schedule_input: 'Good morning',
    }
    const created = await send('POST', '/api/agents', { body: fields })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      ok: true,
      agent: {
        ...fields,
        schedule_enabled: true,
        version: 1,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    })
    expect((await send('GET', '/api/agents')).body).toEqual({ agents: [created.body.agent] })
    expect((await send('GET', '/api/agents/writer')).body).toEqual({ agent: created.body.agent })

    const changed = await send('PUT', '/api/agents/writer', {
      body: { personality: 'Long.', schedule: null, context: null },
    })
    expect(changed.status).toBe(200)
    const { schedule: _, context: __, ...rest } = fields
    expect(changed.body).toMatchObject({ ok: true, agent: { ...rest, personality: 'Long.' } })
    expect(changed.body.agent).not.toHaveProperty('schedule')
    expect(changed.body.agent).not.toHaveProperty('context')

    expect((await send('DELETE', '/api/agents/writer')).body).toEqual({ ok: true })
    expect((await send('GET', '/api/agents')).body).toEqual({ agents: [] })
  })

  it('lists what each version changed, without secrets, and restores one', async () => {
    await using platform = await startPlatform(way)
    const { send } = platform
    const secret = 'sk-test-0123456789abcdef'
    await send('PUT', '/api/settings', { body: { openai_api_key: secret } })
    await send('POST', '/api/agents', { body: { id: 'writer', model: 'test/echo', name: 'One' } })
    const personality = `My key is ${secret}.`
    await send('PUT', '/api/agents/writer', { body: { name: 'Two', personality } })
    await send('PUT', '/api/agents/writer', { body: { name: 'Two' } })
    const run = await send('POST', '/api/agents/run', { body: { agent_id: 'writer', task: 'x' } })
    expect((await send('GET', `/api/runs/${run.body.run_id}`)).body.run.agent_version).toBe(2)

    const first = await send('GET', '/api/agents/writer/versions?limit=1')
    const changes = [
      { field: 'name', before: 'One', after: 'Two' },
      { field: 'personality', after: 'My key is [secret].' },
    ]
    const version = { version: 2, created_at: expect.any(String), actor: expect.any(String) }
    expect(first.body.versions).toEqual([{ ...version, changes: expect.arrayContaining(changes) }])
    const next = await send('GET', `/api/agents/writer/versions?cursor=${first.body.next_cursor}`)
    expect(next.body).toEqual({ versions: [expect.objectContaining({ version: 1 })] })

    const restored = await send('POST', '/api/agents/writer/versions/1/restore')
    expect(restored.body).toMatchObject({ ok: true, agent: { name: 'One', version: 3 } })
    expect(restored.body.agent).not.toHaveProperty('personality')
    const again = await send('POST', '/api/agents/writer/versions/1/restore')
    expect(again.body).toEqual(restored.body)
    const back = await send('POST', '/api/agents/writer/versions/2/restore')
    expect(back.body.agent).toMatchObject({ personality, version: 4 })
    const unknown = ['/api/agents/writer/versions/9/restore', '/api/agents/none/versions/1/restore']
    for (const path of unknown) expect((await send('POST', path)).status).toBe(404)
    expect((await send('POST', '/api/agents/writer/versions/x/restore')).status).toBe(400)
    expect((await send('GET', '/api/agents/none/versions')).status).toBe(404)
  })

  it('A3: an agent can be sent back as it was given; under another id than its own it is refused', async () => {
    await using platform = await startPlatform(way)
    const { send } = platform
    const { agent } = (
      await send('POST', '/api/agents', { body: { id: 'writer', model: 'test/echo', personality: 'Brief.' } })
    ).body
    const back = await send('PUT', '/api/agents/writer', { body: { ...agent, personality: 'Long.' } })
    expect([back.status, back.body.agent.personality]).toEqual([200, 'Long.'])
    const renamed = await send('PUT', '/api/agents/writer', { body: { id: 'author', personality: 'None.' } })
    expect([renamed.status, renamed.body.code]).toEqual([400, 'validation_error'])
    expect(renamed.body.message).toContain('"id" cannot be changed')
    expect((await send('GET', '/api/agents')).body.agents).toEqual([back.body.agent])
  })

  it('A3: keeps any model id, for a provider may come later; the run says what is missing', async () => {
    await using platform = await startPlatform(way)
    const { send } = platform
    const created = await send('POST', '/api/agents', { body: { id: 'later', model: 'gpt-5' } })
    expect([created.status, created.body.agent.model]).toEqual([201, 'gpt-5'])
    const run = { agent_id: 'later', task: 'Hello' }
    expect(await send('POST', '/api/agents/run', { body: run })).toMatchObject({
      status: 400,
      body: {
        code: 'validation_error',
        message: expect.stringMatching(/"gpt-5" has no provider\. Use the form .* Providers: openai, .*test/),
      },
    })
    await send('PUT', '/api/agents/later', { body: { model: 'echo', provider: 'test' } })
    expect(await send('POST', '/api/agents/run', { body: run })).toMatchObject({ status: 200 })
  })

  it('A3: gives an id when there is none, and refuses one that is taken', async () => {
    await using platform = await startPlatform(way)
    const { send } = platform
    const first = await send('POST', '/api/agents', { body: { model: 'test/echo' } })
    const { id } = first.body.agent
    expect(id).toMatch(/^[\w-]+$/)
    const again = await send('POST', '/api/agents', { body: { id, model: 'test/echo' } })
    expect(again.status).toBe(409)
    expect(again.body).toMatchObject({ code: 'conflict', request_id: again.headers.get('x-request-id') })
  })

  it('A2, A3: refuses what is wrong, names the field, and changes nothing', async () => {
    await using platform = await startPlatform(way)
    const { send } = platform
    await send('POST', '/api/agents', { body: { id: 'a', model: 'test/echo' } })
    const before = (await send('GET', '/api/agents')).text
    const bad: [string, string, object | string, string][] = [
      ['POST', '/api/agents', {}, 'model'],
      ['POST', '/api/agents', { model: 5 }, 'model'],
      ['POST', '/api/agents', { model: '  ' }, 'model'],
      ['POST', '/api/agents', { id: '../../etc', model: 'm' }, 'id'],
      ['POST', '/api/agents', { id: 'x'.repeat(65), model: 'm' }, 'id'],
      ['POST', '/api/agents', { id: 'b', model: 'm', skills: 'web' }, 'skills'],
      ['POST', '/api/agents', { id: 'b', model: 'm', limits: { max_turns: '5' } }, 'max_turns'],
      ['POST', '/api/agents', { id: 'b', model: 'm', personality: 'x'.repeat(100_001) }, 'personality'],
      ['POST', '/api/agents', { id: 'b', model: 'm', timezone: 'Nowhere/Land' }, 'timezone'],
      ['POST', '/api/agents', [], 'body'],
      ['PUT', '/api/agents/a', { limits: { max_runtime: 0 } }, 'max_runtime'],
      ['PUT', '/api/agents/a', { model: null }, 'model'],
      ['PUT', '/api/agents/%2e%2e%2fa', { name: 'x' }, 'id'],
      ['DELETE', '/api/agents/..%2F..%2Fa', '', 'id'],
    ]
    for (const [method, path, body, field] of bad) {
      const answer = await send(method, path, body === '' ? {} : { body })
      expect(
        [answer.status, answer.body.code],
        `${method} ${path} ${JSON.stringify(body).slice(0, 80)}`,
      ).toEqual([400, 'validation_error'])
      expect(answer.body).toEqual({
        error: expect.any(String),
        code: 'validation_error',
        message: expect.stringContaining(field),
        request_id: answer.headers.get('x-request-id'),
      })
    }
    expect((await send('GET', '/api/agents')).text).toBe(before)
  })

  it('A2: says that there is no such agent', async () => {
    await using platform = await startPlatform(way)
    for (const [method, body] of [['GET'], ['PUT', { name: 'x' }], ['DELETE']] as const) {
      const answer = await platform.send(method, '/api/agents/nobody', body ? { body } : {})
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
    }
  })

  it('ignores fields that nobody knows, as a newer client may send some', async () => {
    await using platform = await startPlatform(way)
    const answer = await platform.send('POST', '/api/agents', {
      body: { model: 'test/echo', from_the_future: 1 },
    })
    expect(answer.status).toBe(201)
    expect(answer.body.agent).not.toHaveProperty('from_the_future')
  })
})

import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { shareServer } from '../server/share-server.ts'

// Every row of the interface document for a client that knows only that, against the real server.

const shared = shareServer()

const wrong = async (method: string, path: string, body?: unknown) => {
  const { status, body: answer } = await shared.client.send(method, path, body)
  expect(answer).toMatchObject({ error: expect.any(String), request_id: expect.any(String) })
  return [status, answer.code]
}

describe('agents', () => {
  it('A3: creates, lists, gives, changes and deletes one', async () => {
    const fields = {
      id: 'writer',
      model: 'test/echo',
      personality: 'Terse.',
      skills: ['word-count'],
      tools: ['word_count'],
      limits: { max_turns: 3, max_tokens: 500, max_runtime: 20 },
      schedule: '0 7 * * *',
      schedule_input: 'Good morning',
    }
    const created = await shared.client.send('POST', '/api/agents', fields)
    expect([created.status, created.body]).toEqual([
      201,
      { ok: true, agent: expect.objectContaining(fields) },
    ])
    expect(await wrong('POST', '/api/agents', fields)).toEqual([409, 'conflict'])
    const { agents } = await shared.client.ok('GET', '/api/agents')
    expect(agents.map(({ id }: { id: string }) => id)).toEqual(['demo', 'writer'])
    const changed = await shared.client.ok('PUT', '/api/agents/writer', {
      personality: 'Wordy.',
      schedule: null,
    })
    expect(changed.agent).toMatchObject({ id: 'writer', personality: 'Wordy.', limits: fields.limits })
    expect(changed.agent).not.toHaveProperty('schedule')
    expect(await shared.client.ok('GET', '/api/agents/writer')).toEqual({ agent: changed.agent })
    expect(await shared.client.ok('DELETE', '/api/agents/writer')).toEqual({ ok: true })
    expect(await wrong('GET', '/api/agents/writer')).toEqual([404, 'not_found'])
    expect(await wrong('PUT', '/api/agents/writer', {})).toEqual([404, 'not_found'])
    expect(await wrong('POST', '/api/agents', { id: 'no model' })).toEqual([400, 'validation_error'])
  })

  it('A4, A5: runs one, within its limits', async () => {
    await shared.client.ok('POST', '/api/agents', { id: 'parrot', model: 'echo', provider: 'test' })
    const result = await shared.client.ok('POST', '/api/agents/run', { agent_id: 'parrot', task: 'Hello' })
    expect(result).toEqual({
      success: true,
      output: 'Hello',
      turns: 1,
      tool_calls: 0,
      steps: [],
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
      model: 'test/echo',
      run_id: expect.any(String),
      conversation_id: expect.any(String),
      stop_reason: 'done',
    })
    const limits = { max_turns: 1 }
    const task = { agent_id: 'demo', task: 'Which devices are there?', limits }
    expect(await shared.client.ok('POST', '/api/agents/run', task)).toMatchObject({
      stop_reason: 'max_turns',
    })
    expect(await wrong('POST', '/api/agents/run', { agent_id: 'nobody', task: 'x' })).toEqual([
      404,
      'not_found',
    ])
    expect(await wrong('POST', '/api/agents/run', { agent_id: 'parrot' })).toEqual([400, 'validation_error'])
  })

  it('A18: shows the model the tools of its skills and the built-in ones, and no other', async () => {
    const agent = { id: 'counter', model: 'test/tools', skills: ['word-count'] }
    await shared.client.ok('POST', '/api/agents', agent)
    const call = (tool: string, args: object) => {
      const task = `Use ${JSON.stringify({ tool, args })}`
      return shared.client.ok('POST', '/api/agents/run', { agent_id: 'counter', task })
    }
    const { steps } = await call('word_count', { text: 'one two two' })
    expect(steps[0]).toMatchObject({ tool: 'word_count', result: { ok: true, data: { words: 3 } } })
    await call('write_file', { path: 'note.txt', content: 'Kept in the workspace.' })
    expect(await readFile(join(shared.home, 'workspaces/counter/note.txt'), 'utf8')).toBe(
      'Kept in the workspace.',
    )
    const outside = await call('read_file', { path: '../../config.json' })
    expect(outside.steps[0].error).toEqual(expect.any(String))
    const foreign = await call('devices_list', {})
    expect(foreign.steps.map(({ tool }: { tool: string }) => tool)).not.toContain('devices_list')
  })
})

describe('conversations', () => {
  it('A12: goes on with one, and shows, renames, sums up and deletes it', async () => {
    const said = (task: string, more = {}) =>
      shared.client.ok('POST', '/api/agents/run', {
        agent_id: 'demo',
        task,
        limits: { max_turns: 2 },
        ...more,
      })
    const { conversation_id: id } = await said('Which devices do I have?')
    expect((await said('And now?', { conversation_id: id })).conversation_id).toBe(id)
    const appended = await shared.client.send('POST', '/api/conversations', {
      conversation_id: id,
      role: 'user',
      content: 'Bye',
    })
    expect([appended.status, appended.body]).toEqual([
      201,
      { ok: true, conversation_id: id, message_id: expect.any(String) },
    ])
    const shown = await shared.client.ok('GET', `/api/conversations/${id}`)
    expect(await shared.client.ok('GET', `/api/conversations?conversation_id=${id}`)).toEqual(shown)
    const roles = shown.messages.map(({ role }: { role: string }) => role)
    expect(roles.slice(0, 4)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(shown.messages.at(-1)).toMatchObject({ role: 'user', content: 'Bye' })
    await shared.client.ok('PUT', `/api/conversations/${id}`, { title: 'Devices' })
    const { conversations } = await shared.client.ok('GET', '/api/conversations?agent_id=demo')
    expect(conversations[0]).toMatchObject({ id, title: 'Devices', message_count: shown.messages.length })
    const { summary } = await shared.client.ok('POST', '/api/conversations/summarize', {
      conversation_id: id,
    })
    expect(summary).toEqual(expect.any(String))
    expect((await shared.client.ok('GET', `/api/conversations/${id}`)).messages).toHaveLength(
      shown.messages.length,
    )
    expect(await shared.client.ok('DELETE', `/api/conversations/${id}`)).toEqual({ ok: true })
    expect(await wrong('GET', `/api/conversations/${id}`)).toEqual([404, 'not_found'])
  })
})

describe('memory', () => {
  it('A11: writes, finds the best match first, and deletes', async () => {
    const ids: string[] = []
    for (const text of [
      'Ada sails on Sundays.',
      'The boat is called Sundays Rest.',
      '日曜日は休みです',
      'Tea.',
    ]) {
      const memory = { agent_id: 'demo', text, user_id: 'ada', tags: ['boat'] }
      const { status, body } = await shared.client.send('POST', '/api/memory/write', memory)
      expect([status, body.ok]).toEqual([201, true])
      ids.push(body.id)
    }
    const path = '/api/memory/search?q=What+is+the+boat+called%3F&agent_id=demo&user_id=ada&tags=boat&limit=2'
    const { results } = await shared.client.ok('GET', path)
    expect(results[0]).toMatchObject({ id: ids[1], agent_id: 'demo', user_id: 'ada', tags: ['boat'] })
    const found = await shared.client.ok('POST', '/api/memory/search', { q: '日曜日', agent_id: 'demo' })
    expect(found.results[0].id).toBe(ids[2])
    await shared.client.ok('DELETE', `/api/memory/${ids[1]}`)
    const rest = await shared.client.ok('GET', path)
    expect(rest.results.map(({ id }: { id: string }) => id)).not.toContain(ids[1])
    expect(await wrong('GET', '/api/memory/search')).toEqual([400, 'validation_error'])
  })
})

describe('settings', () => {
  it('A13: keeps secrets to itself, in a file of its own, and takes no unknown key', async () => {
    const patch = {
      anthropic_api_key: 'sk-ant-very-secret',
      telegram_bot_token: 'tg-very-secret',
      store_base: null,
    }
    expect(await shared.client.ok('PUT', '/api/settings', patch)).toEqual({ ok: true })
    const { text, body } = await shared.client.send('GET', '/api/settings')
    expect(body).toMatchObject({
      has_anthropic_api_key: true,
      channel_a_configured: true,
      has_openai_api_key: false,
    })
    expect(text).not.toContain('very-secret')
    const file = join(shared.home, 'config.json')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      anthropic_api_key: 'sk-ant-very-secret',
    })
    expect(await wrong('PUT', '/api/settings', { antropic_api_key: 'x' })).toEqual([400, 'validation_error'])
    await shared.client.ok('PUT', '/api/settings', { anthropic_api_key: '', telegram_bot_token: null })
    expect(await shared.client.ok('GET', '/api/settings')).toMatchObject({ has_anthropic_api_key: false })
  })
})

describe('logs', () => {
  it('A14: tell of runs and tool calls, in the order they happened', async () => {
    const { run_id: runId } = await shared.client.ok('POST', '/api/agents/run', {
      agent_id: 'demo',
      task: 'My devices?',
    })
    const { events } = await shared.client.ok('GET', `/api/logs?run_id=${runId}`)
    expect(events.map(({ type }: { type: string }) => type)).toEqual([
      'agent.started',
      'model.completed',
      'tool.called',
      'tool.completed',
      'model.completed',
      'agent.completed',
    ])
    const [first, second] = events
    const since = await shared.client.ok('GET', `/api/logs?since=${first.seq}&limit=1`)
    expect(since.events).toEqual([second])
  })
})

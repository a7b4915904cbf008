import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createScriptedModel } from '../testing/scripted-model.ts'
import { startPlatform, ways } from './testing/start-platform.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-resources-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

describe.each(ways)('memory %s', (way) => {
  it('A11: writes, searches by GET and by POST, and deletes', async () => {
    await using platform = await startPlatform(way, { home })
    const { send } = platform
    const memory = {
      agent_id: 'a',
      text: 'The report is due on Friday',
      tags: ['work', 'dates'],
      user_id: 'ann',
    }
    const written = await send('POST', '/api/memory/write', { body: memory })
    expect([written.status, written.body]).toEqual([201, { ok: true, id: expect.any(String) }])
    await send('POST', '/api/memory/write', { body: { agent_id: 'b', text: '下周五之前交报告' } })

    const found = await send(
      'GET',
      '/api/memory/search?q=when%20is%20the%20report%20due&agent_id=a&tags=work,%20dates&limit=5',
    )
    expect(found.body).toEqual({
      results: [
        { ...memory, id: written.body.id, created_at: expect.any(String), score: expect.any(Number) },
      ],
    })
    const posted = await send('POST', '/api/memory/search', {
      body: { q: 'report', user_id: 'ann', tags: ['work'], limit: 1 },
    })
    expect(posted.body.results).toHaveLength(1)
    expect((await send('GET', '/api/memory/search?q=报告')).body.results).toMatchObject([
      { agent_id: 'b', user_id: null },
    ])
    expect((await send('GET', '/api/memory/search?q=report&tags=none')).body).toEqual({ results: [] })

    expect((await send('DELETE', `/api/memory/${written.body.id}`)).body).toEqual({ ok: true })
    const gone = await send('DELETE', `/api/memory/${written.body.id}`)
    expect([gone.status, gone.body.code]).toEqual([404, 'not_found'])
  })

  it('A2, A11: refuses what is wrong and keeps nothing of it', async () => {
    await using platform = await startPlatform(way, { home })
    const bad: [string, string, object?][] = [
      ['POST', '/api/memory/write', { text: 'x' }],
      ['POST', '/api/memory/write', { agent_id: 'a', text: '' }],
      ['POST', '/api/memory/write', { agent_id: 'a', text: ' \t\n\u00a0' }],
      ['POST', '/api/memory/write', { agent_id: 'a', text: 7 }],
      ['POST', '/api/memory/write', { agent_id: 'a', text: 'x'.repeat(100_001) }],
      ['POST', '/api/memory/write', { agent_id: 'a', text: 'x', tags: 'work' }],
      ['POST', '/api/memory/write', { agent_id: 'a', text: 'x', expires_at: 'tomorrow' }],
      ['POST', '/api/memory/write', { agent_id: '../a', text: 'x' }],
      ['GET', '/api/memory/search'],
      ['GET', '/api/memory/search?q=x&limit=51'],
      ['GET', '/api/memory/search?q=x&limit=-1'],
      ['GET', '/api/memory/search?q=x&q=y'],
      ['POST', '/api/memory/search', { q: 'x', limit: 0 }],
      ['POST', '/api/memory/search', {}],
    ]
    for (const [method, path, body] of bad) {
      const answer = await platform.send(method, path, body ? { body } : {})
      expect([answer.status, answer.body.code], `${method} ${path}`).toEqual([400, 'validation_error'])
    }
    expect((await platform.send('GET', '/api/memory/search?q=x')).body).toEqual({ results: [] })
  })

  it('A11: takes any question, also one that is query syntax', async () => {
    await using platform = await startPlatform(way, { home })
    await platform.send('POST', '/api/memory/write', { body: { agent_id: 'a', text: 'plain words' } })
    for (const q of [
      '"',
      'a AND (',
      'text:*',
      "'; drop table memories; --",
      'NEAR(a b)',
      '***',
      '\u0000',
      '🙂',
      '-words',
    ]) {
      expect((await platform.send('GET', `/api/memory/search?q=${encodeURIComponent(q)}`)).status).toBe(200)
    }
    expect((await platform.send('GET', '/api/memory/search?q=words')).body.results).toHaveLength(1)
  })
})

describe.each(ways)('conversations %s', (way) => {
  it('A12: appends, lists, shows, renames and deletes', async () => {
    await using platform = await startPlatform(way, { home })
    const { send } = platform
    const first = await send('POST', '/api/conversations', {
      body: { agent_id: 'a', role: 'user', content: 'Hi' },
    })
    expect([first.status, first.body]).toEqual([
      201,
      { ok: true, conversation_id: expect.any(String), message_id: expect.any(String) },
    ])
    const { conversation_id } = first.body
    await send('POST', '/api/conversations', {
      body: { conversation_id, role: 'assistant', content: 'x'.repeat(65_536) },
    })

    const listed = await send('GET', '/api/conversations?agent_id=a')
    expect(listed.body).toEqual({
      conversations: [
        {
          id: conversation_id,
          agent_id: 'a',
          message_count: 2,
          created_at: expect.any(String),
          updated_at: expect.any(String),
        },
      ],
    })
    const shown = await send('GET', `/api/conversations/${conversation_id}?limit=1`)
    expect(shown.body.messages).toMatchObject([{ role: 'assistant' }])
    const older = await send(
      'GET',
      `/api/conversations?conversation_id=${conversation_id}&limit=1&cursor=${shown.body.next_cursor}`,
    )
    expect(older.body.messages).toMatchObject([{ id: first.body.message_id, role: 'user', content: 'Hi' }])
    const other = (await send('POST', '/api/conversations', { body: { agent_id: 'b', content: 'Hi' } })).body
    const foreign = `/api/conversations/${other.conversation_id}`
    expect((await send('GET', `${foreign}?cursor=${shown.body.next_cursor}`)).status).toBe(400)
    await send('DELETE', foreign)

    const renamed = await send('PUT', `/api/conversations/${conversation_id}`, {
      body: { title: 'Greeting' },
    })
    expect(renamed.body).toMatchObject({ ok: true, conversation: { title: 'Greeting' } })
    for (const title of [null, '']) {
      await send('PUT', `/api/conversations/${conversation_id}`, { body: { title: 'Greeting' } })
      const cleared = await send('PUT', `/api/conversations/${conversation_id}`, { body: { title } })
      expect([cleared.status, 'title' in cleared.body.conversation]).toEqual([200, false])
    }
    expect((await send('PUT', `/api/conversations/${conversation_id}`, { body: {} })).status).toBe(400)
    expect((await send('DELETE', `/api/conversations/${conversation_id}`)).body).toEqual({ ok: true })
    expect((await send('GET', '/api/conversations')).body).toEqual({ conversations: [] })
  })

  it('A12: a conversation that is asked for with another agent or user than its own is not there', async () => {
    await using platform = await startPlatform(way, { home })
    const { send } = platform
    const body = { conversation_id: 'c', agent_id: 'a', user_id: 'ann', content: 'Hi' }
    expect((await send('POST', '/api/conversations', { body })).status).toBe(201)
    const ask = async (query: string) =>
      (await send('GET', `/api/conversations?conversation_id=c${query}`)).status
    expect(
      await Promise.all(['', '&agent_id=a', '&user_id=ann', '&agent_id=a&user_id=ann'].map(ask)),
    ).toEqual([200, 200, 200, 200])
    expect(await Promise.all(['&agent_id=b', '&user_id=ben', '&agent_id=a&user_id=ben'].map(ask))).toEqual([
      404, 404, 404,
    ])
  })

  it("A12: sums up with the agent's model, and deletes nothing", async () => {
    const model = createScriptedModel([{ text: 'Ann said hi.' }])
    await using platform = await startPlatform(way, { home, models: { mine: () => model } })
    const { send } = platform
    await send('POST', '/api/agents', { body: { id: 'a', model: 'mine/any' } })
    const { conversation_id } = (
      await send('POST', '/api/conversations', { body: { agent_id: 'a', content: 'Hi, I am Ann' } })
    ).body
    const summed = await send('POST', '/api/conversations/summarize', { body: { conversation_id } })
    expect(summed.body).toEqual({ ok: true, summary: 'Ann said hi.' })
    const shown = await send('GET', `/api/conversations/${conversation_id}`)
    expect(shown.body.conversation).toMatchObject({ summary: 'Ann said hi.', message_count: 1 })
    expect(shown.body.messages).toHaveLength(1)
  })

  it('A2, A12: says what is missing or wrong', async () => {
    await using platform = await startPlatform(way, { home })
    const cases: [string, string, object | undefined, number][] = [
      ['POST', '/api/conversations', { agent_id: 'a' }, 400],
      ['POST', '/api/conversations', { agent_id: 'a', content: 'x', role: 'system' }, 400],
      ['POST', '/api/conversations', { content: 'x' }, 400],
      ['POST', '/api/conversations', { conversation_id: 'none', content: 'x' }, 404],
      ['GET', '/api/conversations/none', undefined, 404],
      ['GET', '/api/conversations?conversation_id=none', undefined, 404],
      ['GET', '/api/conversations?limit=0', undefined, 400],
      ['GET', '/api/conversations?cursor=nonsense', undefined, 400],
      ['PUT', '/api/conversations/none', { title: 'x' }, 404],
      ['PUT', '/api/conversations/none', {}, 400],
      ['DELETE', '/api/conversations/none', undefined, 404],
      ['POST', '/api/conversations/summarize', { conversation_id: 'none' }, 404],
    ]
    for (const [method, path, body, status] of cases) {
      const answer = await platform.send(method, path, body ? { body } : {})
      expect(answer.status, `${method} ${path} ${JSON.stringify(body)} ${answer.text}`).toBe(status)
      expect(answer.body.code).toBe(status === 404 ? 'not_found' : 'validation_error')
    }
    expect((await platform.send('GET', '/api/conversations')).body).toEqual({ conversations: [] })
  })

  it('A12: every conversation that a client may name can be reached by its path', async () => {
    await using platform = await startPlatform(way, { home })
    for (const conversation_id of ['a/b', '../x', '...', '%2e', 'a?b#c', ' ', '漢 字']) {
      const body = { conversation_id, agent_id: 'a', content: 'Hi' }
      expect((await platform.send('POST', '/api/conversations', { body })).status).toBe(201)
      const path = `/api/conversations/${encodeURIComponent(conversation_id)}`
      expect((await platform.send('GET', path)).body.conversation?.id).toBe(conversation_id)
      expect((await platform.send('DELETE', path)).body).toEqual({ ok: true })
    }
    for (const conversation_id of ['.', '..']) {
      for (const path of ['/api/conversations', '/api/agents/run', '/api/tasks']) {
        const body = { conversation_id, agent_id: 'a', content: 'Hi', task: 'Hi' }
        const { status, body: said } = await platform.send('POST', path, { body })
        expect([status, said.message], path).toEqual([
          400,
          expect.stringContaining('conversation_id: must not be "." or ".."'),
        ])
      }
    }
  })

  it('A12: goes through conversations whose ids are as long as they may be, in any script', async () => {
    await using platform = await startPlatform(way, { home })
    const ids = ['漢', 'ü', 'x'].map((letter) => letter.repeat(200))
    for (const conversation_id of ids) {
      const body = { conversation_id, agent_id: 'a', content: 'Hi' }
      expect((await platform.send('POST', '/api/conversations', { body })).status).toBe(201)
    }
    const seen: string[] = []
    let path = '/api/conversations?limit=1'
    while (seen.length < ids.length) {
      const { status, body } = await platform.send('GET', path)
      expect(status).toBe(200)
      seen.push(body.conversations[0].id)
      path = `/api/conversations?limit=1&cursor=${body.next_cursor}`
    }
    expect(seen.toSorted()).toEqual(ids.toSorted())
  })
})

describe.each(ways)('settings and logs %s', (way) => {
  it('A13: changes settings by parts, and never shows a secret', async () => {
    await using platform = await startPlatform(way, { home })
    const { send } = platform
    const patch = {
      openai_api_key: 'sk-very-secret-key',
      registry_url: 'https://store.example/registry.json',
      telegram_bot_token: '12:ab',
    }
    expect((await send('PUT', '/api/settings', { body: patch })).body).toEqual({ ok: true })
    expect((await send('PUT', '/api/settings', { body: { telegram_bot_token: null } })).body).toEqual({
      ok: true,
    })
    const view = await send('GET', '/api/settings')
    expect(view.body).toMatchObject({
      has_openai_api_key: true,
      openai_configured: true,
      registry_url: 'https://store.example/registry.json',
      has_channel_a_bot_token: false,
      channel_a_configured: false,
    })
    expect(view.text).not.toContain('very-secret')
    const file = join(home, 'config.json')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      openai_api_key: 'sk-very-secret-key',
      registry_url: 'https://store.example/registry.json',
    })
  })

  it('A13: says which of what it saved changes nothing, because the environment wins', async () => {
    await using platform = await startPlatform(way, { home, environment: { OPENAI_API_KEY: 'env' } })
    const body = { openai_api_key: 'mine', google_api_key: 'mine' }
    const saved = await platform.send('PUT', '/api/settings', { body })
    expect([saved.status, saved.body]).toEqual([200, { ok: true, overridden: ['openai_api_key'] }])
    expect(JSON.parse(await readFile(join(home, 'config.json'), 'utf8'))).toEqual(body)
  })

  it('A2, A13: unknown keys of a megabyte come back as their first thousand characters', async () => {
    await using platform = await startPlatform(way)
    const { status, body } = await platform.send('PUT', '/api/settings', {
      body: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`key${index}`.padEnd(20_000), 1])),
    })
    expect(status).toBe(400)
    expect(body.message).toHaveLength('body: '.length + 1000)
    expect(body.message).toMatch(/^body: Unrecognized keys: "key0 /)
  })

  it('A2, A13: refuses an unknown key or a wrong value, and changes nothing', async () => {
    await using platform = await startPlatform(way, { home })
    const { send } = platform
    await send('PUT', '/api/settings', { body: { store_base: 'https://store.example' } })
    const before = await readFile(join(home, 'config.json'), 'utf8')
    for (const [body, named] of [
      [{ unknown_key: 'x', openai_api_key: 'y' }, 'unknown_key'],
      [{ registry_url: 'file:///etc/passwd' }, 'registry_url'],
      [{ registry_url: 'https://u:p@store.example' }, 'registry_url'],
      [{ openai_api_key: 7 }, 'openai_api_key'],
      [{ openai_api_key: 'x'.repeat(10_001) }, 'openai_api_key'],
      [{ channel_a_webhook_verify: 'maybe' }, 'channel_a_webhook_verify'],
      [[], 'body'],
      [JSON.parse('{"__proto__": {"openai_api_key": "x"}}'), '__proto__'],
    ] as const) {
      const answer = await send('PUT', '/api/settings', { body })
      expect([answer.status, answer.body.code], JSON.stringify(body).slice(0, 80)).toEqual([
        400,
        'validation_error',
      ])
      expect(answer.body.message).toContain(named)
      expect(answer.text).not.toContain('u:p')
    }
    expect(await readFile(join(home, 'config.json'), 'utf8')).toBe(before)
  })

  it('A13: agents are JSON files once agents_dir names a folder', async () => {
    await using platform = await startPlatform(way, { home })
    const { send } = platform
    await send('PUT', '/api/settings', { body: { agents_dir: 'agents' } })
    await send('POST', '/api/agents', { body: { id: 'filed', model: 'test/echo' } })
    expect(JSON.parse(await readFile(join(home, 'agents', 'filed.json'), 'utf8'))).toMatchObject({
      model: 'test/echo',
    })
    await writeFile(join(home, 'agents', 'by-hand.json'), '{"model": "test/echo", "skills": []}')
    const run = await send('POST', '/api/agents/run', { body: { agent_id: 'by-hand', task: 'Hi' } })
    expect(run.body.output).toBe('Hi')
  })

  it('A14: the journal tells of runs and tool calls, by number, type and run, without secrets', async () => {
    const args = { path: 'a.txt', content: 'the key is sk-abcdefghijklmnopqrstuvwxyz' }
    const model = createScriptedModel([{ toolCalls: [{ name: 'write_file', args }] }, { text: 'Done.' }])
    await using platform = await startPlatform(way, { home, models: { mine: () => model } })
    const { send } = platform
    await send('POST', '/api/agents', { body: { id: 'a', model: 'mine/any' } })
    const run = await send('POST', '/api/agents/run', { body: { agent_id: 'a', task: 'Go' } })
    const { events } = (await send('GET', '/api/logs')).body
    expect(events.map(({ type }: { type: string }) => type)).toEqual([
      'agent.started',
      'model.completed',
      'tool.called',
      'tool.completed',
      'model.completed',
      'agent.completed',
    ])
    expect(events[0]).toMatchObject({
      seq: 1,
      run_id: run.body.run_id,
      timestamp: expect.any(String),
      data: { agent_id: 'a' },
    })
    expect(JSON.stringify(events)).not.toContain('sk-abc')
    const since = await send('GET', '/api/logs?since=2&limit=1')
    expect(since.body.events).toEqual([events[2]])
    expect((await send('GET', `/api/logs?type=tool.called&run_id=${run.body.run_id}`)).body.events).toEqual([
      events[2],
    ])
    const several = await send('GET', '/api/logs?types=tool.called,%20tool.completed&type=agent.started')
    expect(several.body.events).toEqual([events[0], events[2], events[3]])
    expect((await send('GET', '/api/logs?run_id=other')).body).toEqual({ events: [] })
    for (const query of ['since=x', 'since=-1', 'limit=0', 'limit=1001']) {
      expect((await send('GET', `/api/logs?${query}`)).status).toBe(400)
    }
  })
})

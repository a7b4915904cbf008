import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runEvents } from '@homeward/contract/agent-platform'
import { readEvents } from '@homeward/contract/events'
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Tool } from '../ports/tool.ts'
import { createScriptedModel, type ScriptedResponse } from '../testing/scripted-model.ts'
import {
  startPlatform,
  ways,
  type TestPlatform,
  type TestPlatformOptions,
  type Way,
} from './testing/start-platform.ts'

afterEach(() => vi.useRealTimers())

async function startWith(way: Way, steps: readonly ScriptedResponse[], options: TestPlatformOptions = {}) {
  const model = createScriptedModel(steps)
  const platform = await startPlatform(way, {
    models: { mine: () => model },
    retry: { attempts: 0 },
    ...options,
  })
  await platform.send('POST', '/api/agents', { body: { id: 'a', model: 'mine/any' } })
  return platform
}

function openStream(platform: TestPlatform, query = '', signal?: AbortSignal): Promise<Response> {
  return platform.fetch(`/api/agents/run/stream${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent_id: 'a', task: 'Go' }),
    ...(signal && { signal }),
  })
}

const toolThenText: readonly ScriptedResponse[] = [
  { text: 'Let me look.', toolCalls: [{ name: 'time' }, { name: 'read_file', args: { path: 'none.txt' } }] },
  { text: ['It is ', 'noon.'] },
]

/** A gate that a test opens. */
function gate() {
  const { promise, resolve: open } = Promise.withResolvers<void>()
  const { promise: reached, resolve: onReach } = Promise.withResolvers<void>()
  return {
    wait() {
      onReach()
      return promise
    },
    reached,
    open,
  }
}

describe.each(ways)('streams %s', (way) => {
  it('A6: stream what a tool reports while it works; `format=ui` does not keep it', async () => {
    const slow: Tool = {
      id: 'slow',
      description: 'Takes long.',
      inputSchema: { type: 'object' },
      effects: 'read',
      idempotent: true,
      returnsUntrustedContent: false,
      async execute(_, { progress }) {
        progress('half done')
        return 'all done'
      },
    }
    const steps = [{ toolCalls: [{ name: 'slow' }] }, { text: 'Done.' }]
    await using platform = await startWith(way, [...steps, ...steps], { tools: [slow] })
    const stream = await (await openStream(platform)).text()
    const [, data = ''] = /event: tool_progress\ndata: (.*)\n/.exec(stream) ?? []
    expect(runEvents.tool_progress.parse(JSON.parse(data))).toMatchObject({ name: 'slow', text: 'half done' })
    const chunks = await (await openStream(platform, '?format=ui')).text()
    expect(chunks).toMatch(/"type":"data-tool-progress".*"text":"half done".*"transient":true/)
  })

  it('A6: streams the documented events, numbered, with exactly one end', async () => {
    await using platform = await startWith(way, toolThenText)
    const response = await openStream(platform)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const events = await Array.fromAsync(readEvents(response.body!, runEvents))
    const names = events.map(({ event }) => event)
    expect(names[0]).toBe('start')
    expect(names.filter((name) => name === 'done' || name === 'error')).toEqual(['done'])
    expect(names.at(-1)).toBe('done')
    for (const name of ['assistant', 'tool_start', 'tool_call', 'usage']) expect(names).toContain(name)
    const [start] = events
    const runId = start?.event === 'start' ? start.data.run_id : ''
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => `${runId}:${index + 1}`))
    const done = events.at(-1)
    expect(done?.data).toMatchObject({
      finalContent: 'It is noon.',
      turnCount: 2,
      success: true,
      run_id: runId,
    })
    const calls = events.flatMap((each) => (each.event === 'tool_call' ? [each.data] : []))
    expect(calls.map(({ name, error }) => `${name} ${typeof error}`).toSorted()).toEqual([
      'read_file string',
      'time undefined',
    ])
  })

  it('A6: an event arrives when it happens, not when the run ends', async () => {
    const hold = gate()
    await using platform = await startWith(way, [
      { text: 'First', toolCalls: [{ name: 'time' }] },
      { gate: hold.wait, text: 'x' },
    ])
    const response = await openStream(platform)
    const events = readEvents(response.body!, runEvents)
    await hold.reached
    const seen: string[] = []
    for await (const { event } of events) {
      seen.push(event)
      if (event === 'tool_call') hold.open()
    }
    expect(seen.slice(0, 2)).toEqual(['start', 'assistant'])
  })

  it('A6: a failed run ends with an error event', async () => {
    const environment = { OPENAI_API_KEY: 'hunter2-hunter2' }
    await using platform = await startWith(way, [{ error: new Error('wrong key hunter2-hunter2') }], {
      environment,
    })
    const response = await openStream(platform)
    const events = await Array.fromAsync(readEvents(response.body!, runEvents))
    expect(events.at(-1)).toMatchObject({
      event: 'error',
      data: { code: expect.any(String), message: expect.any(String) },
    })
    expect(JSON.stringify(events)).not.toContain('hunter2')
  })

  it('A6: a caller that goes away cancels nothing, and resumes behind the last event that it saw', async () => {
    const hold = gate()
    await using platform = await startWith(way, [
      { text: 'First', toolCalls: [{ name: 'time' }] },
      { gate: hold.wait, text: 'Second' },
    ])
    const leaving = new AbortController()
    const response = await openStream(platform, '', leaving.signal)
    let last = ''
    for await (const { id, event } of readEvents(response.body!, runEvents)) {
      last = id ?? ''
      if (event === 'assistant') break
    }
    leaving.abort()
    await hold.reached
    const runId = last.slice(0, last.lastIndexOf(':'))
    expect((await platform.send('GET', `/api/runs/${runId}`)).body.run.status).toBe('running')
    hold.open()

    const resumed = await platform.fetch(`/api/runs/${runId}/events`, { headers: { 'last-event-id': last } })
    const events = await Array.fromAsync(readEvents(resumed.body!, runEvents))
    const firstSeq = Number(last.slice(last.lastIndexOf(':') + 1)) + 1
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => `${runId}:${firstSeq + index}`))
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { finalContent: 'Second' } })
  })

  it('A6: who has seen the end of a run hears that nothing comes any more, as an EventSource needs it', async () => {
    const hold = gate()
    await using platform = await startWith(way, [{ gate: hold.wait, text: 'Said' }])
    const first = openStream(platform)
    await hold.reached
    const { id } = (await platform.send('GET', '/api/runs')).body.runs[0]
    const path = `/api/runs/${id}/events`
    const running = await platform.fetch(path, { headers: { 'last-event-id': `${id}:1` } })
    hold.open()
    const all = await (await first).text()
    expect(running.status).toBe(200)
    expect(await running.text()).toContain('event: done')

    const last = all
      .match(/^id: .+/gm)!
      .at(-1)!
      .slice(4)
    const ways = {
      get: await platform.send('GET', path, { headers: { 'last-event-id': last } }),
      post: await platform.send('POST', '/api/agents/run/stream', {
        body: { agent_id: 'a', task: 'Go' },
        headers: { 'last-event-id': last },
      }),
    }
    for (const [name, { status, text, headers }] of Object.entries(ways)) {
      expect([name, status, text, headers.get('content-length')]).toEqual([name, 204, '', null])
      expect(headers.get('cache-control')).toBe('no-store')
    }
    const before = await platform.send('GET', path, { headers: { 'last-event-id': `${id}:1` } })
    expect([before.status, before.text.match(/^id: .+/gm)?.at(-1)]).toEqual([200, `id: ${last}`])
    expect((await platform.send('GET', path)).text).toBe(all)
    const ui = await platform.send('GET', `${path}?format=ui`, { headers: { 'last-event-id': last } })
    expect([ui.status, ui.text]).toEqual([200, expect.stringContaining('"type":"finish"')])
  })

  it('A6: a client that sends its lost request again goes on with its run, and starts no second one', async () => {
    await using platform = await startWith(way, [{ text: 'Once' }, { text: 'Twice' }])
    const first = await (await openStream(platform)).text()
    const id = /^id: (.+):1$/m.exec(first)?.[1]
    const again = (lastEventId: string, task = 'Go') =>
      platform.send('POST', '/api/agents/run/stream', {
        body: { agent_id: 'a', task },
        headers: { 'last-event-id': lastEventId },
      })
    const resumed = await again(`${id}:1`)
    expect(resumed.text).not.toContain('event: start')
    expect(resumed.text).toContain(`id: ${id}:2`)
    expect((await platform.send('GET', '/api/runs')).body.runs).toHaveLength(1)
    const refused = [await again('gone:1'), await again('1'), await again(`${id}:x`), await again('x')]
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual([
      [404, 'not_found'],
      [400, 'validation_error'],
      [400, 'validation_error'],
      [400, 'validation_error'],
    ])
    expect((await platform.send('GET', '/api/runs')).body.runs).toHaveLength(1)
    expect((await again(`${id}:1`, 'Another task')).text).toContain('Twice')
  })

  it.each([{ user_id: 'bob' }, {}, { user_id: 'ann', conversation_id: 'other' }])(
    'A4, A6: whose the run is counts too: a request of %j starts its own',
    async (whose) => {
      await using platform = await startWith(way, [{ text: 'For Ann' }, { text: 'Another' }])
      const open = async (fields: object, headers = {}) =>
        (
          await platform.send('POST', '/api/agents/run/stream', {
            body: { agent_id: 'a', task: 'Go', ...fields },
            headers,
          })
        ).text
      const id = /^id: (.+:1)$/m.exec(await open({ user_id: 'ann' }))?.[1]
      expect(await open({ user_id: 'ann' }, { 'last-event-id': id })).toContain('For Ann')
      expect(await open(whose, { 'last-event-id': id })).toContain('Another')
    },
  )

  it('A2, A6: refuses a Last-Event-ID that is of another run or no event', async () => {
    await using platform = await startWith(way, [{ text: 'x' }])
    const { body } = await platform.send('POST', '/api/agents/run', { body: { agent_id: 'a', task: 'x' } })
    for (const id of [
      'other:1',
      `${body.run_id}:x`,
      `${body.run_id}:-1`,
      'x',
      `${body.run_id}:${'9'.repeat(30)}`,
    ]) {
      const answer = await platform.send('GET', `/api/runs/${body.run_id}/events`, {
        headers: { 'last-event-id': id },
      })
      expect([answer.status, answer.body.code], id).toEqual([400, 'validation_error'])
    }
    expect((await platform.send('GET', `/api/runs/${body.run_id}/events?format=xml`)).status).toBe(400)
  })

  it("A6: useChat works unchanged: the AI SDK's own transport posts, and its own reader makes one message", async () => {
    await using platform = await startWith(way, toolThenText)
    const transport = new DefaultChatTransport({
      api: `${platform.url}/api/agents/run/stream?format=ui`,
      body: { agent_id: 'a' },
      fetch: async (input, init) => {
        const response = await platform.fetch((input as string).slice(platform.url.length), init)
        expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
        return response
      },
    })
    const message: UIMessage = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'What time is it?' }] }
    const stream = await transport.sendMessages({
      chatId: 'chat-7',
      messages: [message],
      trigger: 'submit-message',
      messageId: undefined,
      abortSignal: undefined,
    })
    const states = await Array.fromAsync(
      readUIMessageStream({
        stream,
        terminateOnError: true,
        onError(error) {
          throw error
        },
      }),
    )
    const last = states.at(-1)
    const runId = last?.id ?? ''
    expect(last?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'Let me look.', state: 'done' },
      { type: 'dynamic-tool', toolName: 'time', state: 'output-available' },
      { type: 'dynamic-tool', toolName: 'read_file', state: 'output-error', errorText: expect.any(String) },
      { type: 'step-start' },
      { type: 'text', text: 'It is noon.', state: 'done' },
    ])
    expect(last?.metadata).toMatchObject({
      conversation_id: 'chat-7',
      stop_reason: 'done',
      model: 'mine/any',
    })
    const conversation = await platform.send('GET', '/api/conversations/chat-7')
    expect(conversation.body.messages[0]).toMatchObject({ role: 'user', content: 'What time is it?' })

    // a page that joins later gets the same message
    const joined = await platform.send('GET', `/api/runs/${runId}/events?format=ui`)
    expect(joined.text).toContain('"type":"finish"')
    expect(joined.text.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  it('A6: the UI stream of a run that was cancelled is aborted, which is no error', async () => {
    await using platform = await startWith(way, [{ text: 'Half', hang: true }])
    const response = await openStream(platform, '?format=ui')
    let text = ''
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
      text += part
      const runId = /"messageId":"([^"]+)"/.exec(text)?.[1]
      if (text.includes('Half') && !text.includes('"text-end"')) {
        await platform.send('POST', `/api/runs/${runId}/cancel`)
      }
    }
    expect(text).toContain('{"type":"abort","reason":"The run was canceled"}')
    expect(text).not.toContain('"type":"error"')
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  it('A6: the UI stream tells a failure as an error chunk', async () => {
    await using platform = await startWith(way, [{ text: 'Half', error: new Error('broke') }])
    const response = await openStream(platform, '?format=ui')
    const text = await response.text()
    expect(text).toContain('"type":"error"')
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  })
})

it('A6: a stream that waits writes a keepalive every 15 seconds, also while a person decides', async () => {
  const hold = gate()
  await using platform = await startWith('in process', [{ gate: hold.wait, text: 'x' }])
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const response = await openStream(platform)
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let text = ''
  const readOn = async () => {
    const { value } = await reader.read()
    text += decoder.decode(value)
  }
  await hold.reached
  while (!text.includes('event: start')) await readOn()
  for (const count of [1, 2]) {
    const next = readOn()
    await vi.advanceTimersByTimeAsync(14_999)
    expect(text.split(': keepalive').length - 1).toBe(count - 1)
    await vi.advanceTimersByTimeAsync(1)
    await next
    expect(text.split(': keepalive').length - 1).toBe(count)
  }
  const waiting = readOn()
  const timers = vi.getTimerCount()
  await reader.cancel()
  await waiting
  await vi.advanceTimersByTimeAsync(0)
  expect(vi.getTimerCount()).toBe(timers - 1)
  hold.open()
})

it('A6: the events of a run can be resumed after a restart', async () => {
  const home = await mkdtemp(join(tmpdir(), 'homeward-resume-'))
  try {
    let runId: string
    {
      await using platform = await startWith('over HTTP', toolThenText, { home })
      const { body } = await platform.send('POST', '/api/agents/run', { body: { agent_id: 'a', task: 'Go' } })
      runId = body.run_id
    }
    await using platform = await startPlatform('over HTTP', { home })
    const headers = { 'last-event-id': `${runId}:2` }
    const response = await platform.fetch(`/api/runs/${runId}/events`, { headers })
    const events = await Array.fromAsync(readEvents(response.body!, runEvents))
    expect(events[0]?.id).toBe(`${runId}:3`)
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { finalContent: 'It is noon.' } })
    const all = await Array.fromAsync(platform.runtime.runs.events(runId, 0))
    expect(all[0]).toMatchObject({ seq: 1, event: { event: 'start' } })
  } finally {
    await rm(home, { recursive: true, force: true })
  }
})

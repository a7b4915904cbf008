import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Tool } from '../ports/tool.ts'
import { createScriptedModel, type ScriptedResponse } from '../testing/scripted-model.ts'
import { startPlatform, ways, type Way } from './testing/start-platform.ts'

/** A PNG of one pixel, as far as anybody looks. */
const png = Buffer.from('89504e470d0a1a0a0000000d', 'hex')
const data = png.toString('base64')
const reference = { id: expect.any(String), media_type: 'image/png', bytes: 12, sha256: expect.any(String) }

let home = ''
beforeAll(async () => void (home = await mkdtemp(join(tmpdir(), 'homeward-tool-files-'))))
afterAll(() => rm(home, { recursive: true, force: true }))

const draw: Tool = {
  id: 'draw',
  description: 'Draws.',
  inputSchema: { type: 'object' },
  effects: 'read',
  idempotent: true,
  returnsUntrustedContent: false,
  execute: async () => ({ content: [{ type: 'file', media_type: 'image/png', data, name: 'chart.png' }] }),
}

async function startWith(way: Way, steps: readonly ScriptedResponse[]) {
  const model = createScriptedModel(steps)
  const folder = await mkdtemp(join(home, 'data-'))
  const platform = await startPlatform(way, { home: folder, models: { mine: () => model }, tools: [draw] })
  await platform.send('POST', '/api/agents', { body: { id: 'a', model: 'mine/any' } })
  const workspace = join(folder, 'workspaces', 'a')
  await mkdir(workspace, { recursive: true, mode: 0o700 })
  const bytesOf = async (id: string) => {
    const response = await platform.fetch(`/api/files/${id}`)
    return [response.status, Buffer.from(await response.arrayBuffer()).toString('base64')]
  }
  return Object.assign(platform, { model, workspace, bytesOf })
}

describe.each(ways)('files that come out %s', (way) => {
  it('of tools are stored, and shown as references everywhere', async () => {
    const steps = [{ toolCalls: [{ name: 'draw' }] }, { text: 'A chart.' }]
    await using platform = await startWith(way, steps)
    const body = { agent_id: 'a', task: 'Draw', conversation_id: 'c' }
    const { body: result } = await platform.send('POST', '/api/agents/run', { body })
    const file = { type: 'file', ...reference, name: 'chart.png' }
    expect(result.steps[0].result).toEqual({ content: [file] })
    expect(result).not.toHaveProperty('files')

    const { messages } = (await platform.send('GET', '/api/conversations/c')).body
    const answer = messages.find(({ role }: { role: string }) => role === 'tool')
    expect(answer.files).toEqual([{ ...reference, name: 'chart.png' }])
    const events = await platform.send('GET', `/api/runs/${result.run_id}/events`)
    const logs = await platform.send('GET', `/api/logs?run_id=${result.run_id}`)
    const run = await platform.send('GET', `/api/runs/${result.run_id}`)
    expect(events.text).toContain(`"id":"${answer.files[0].id}"`)
    for (const { text } of [events, logs, run]) expect(text).not.toContain(data)
    expect(await platform.bytesOf(answer.files[0].id)).toEqual([200, data])
    await platform.send('DELETE', '/api/conversations/c')
    expect((await platform.bytesOf(answer.files[0].id))[0]).toBe(404)
  })

  it('of models are in the result, in the stream and in the conversation', async () => {
    const cat = { mediaType: 'image/png', data: new Uint8Array(png) }
    await using platform = await startWith(way, [
      { text: 'A cat.', files: [cat] },
      { text: 'Two.', files: [cat] },
    ])
    const body = { agent_id: 'a', task: 'Draw', conversation_id: 'c' }
    const { body: result } = await platform.send('POST', '/api/agents/run', { body })
    const [file] = result.files
    expect(result.files).toEqual([{ ...reference, name: 'file-1.png', url: `/api/files/${file.id}` }])
    expect(await platform.bytesOf(file.id)).toEqual([200, data])
    const { messages } = (await platform.send('GET', '/api/conversations/c')).body
    expect(messages.at(-1).files).toEqual([{ ...reference, name: 'file-1.png' }])
    // what was told is told again to whoever asks later
    const events = await platform.send('GET', `/api/runs/${result.run_id}/events`)
    const told = { id: file.id, name: 'file-1.png', media_type: 'image/png', bytes: 12 }
    expect(events.text).toContain(`event: file\ndata: ${JSON.stringify(told)}`)

    const chat = {
      id: 'c',
      agent_id: 'a',
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'Two' }] }],
    }
    const ui = await platform.send('POST', '/api/agents/run/stream?format=ui', { body: chat })
    expect(ui.text).toMatch(/data: {"type":"file","url":"\/api\/files\/[^"]+","mediaType":"image\/png"}/)
  })

  it('are read from the workspace by read_file', async () => {
    const steps = [{ toolCalls: [{ name: 'read_file', args: { path: 'a/chart.png' } }] }, { text: 'Seen.' }]
    await using platform = await startWith(way, steps)
    await mkdir(join(platform.workspace, 'a'))
    await writeFile(join(platform.workspace, 'a', 'chart.png'), png)
    const { body } = await platform.send('POST', '/api/agents/run', { body: { agent_id: 'a', task: 'Read' } })
    const file = { type: 'file', ...reference, name: 'chart.png' }
    expect(body.steps[0].result).toEqual({ path: 'a/chart.png', size: 12, content: [file] })
    const seen = platform.model.calls[1]?.prompt.flatMap(({ role, content }) =>
      role === 'tool' ? content : [],
    )
    expect(seen).toMatchObject([
      { output: { value: [{ type: 'text' }, { type: 'file', mediaType: 'image/png' }] } },
    ])
  })
})

it('A20: a file of an untrusted tool taints the run, and one of another tool does not', async () => {
  for (const untrusted of [true, false]) {
    const pay: Tool = { ...draw, id: 'pay', effects: 'external', execute: async () => 'paid' }
    const model = createScriptedModel([
      { toolCalls: [{ name: 'draw' }] },
      { toolCalls: [{ name: 'pay' }] },
      { text: 'Paid.' },
    ])
    const tools = [{ ...draw, returnsUntrustedContent: untrusted }, pay]
    await using platform = await startPlatform('in process', { models: { mine: () => model }, tools })
    await platform.send('POST', '/api/agents', { body: { id: 'a', model: 'mine/any' } })
    const { body } = await platform.send('POST', '/api/agents/run', { body: { agent_id: 'a', task: 'Go' } })
    expect(body.stop_reason).toBe(untrusted ? 'approval' : 'done')
  }
})

it('counts a picture of a tool against the budget as a picture, whatever its size', async () => {
  const large = { type: 'file', media_type: 'image/png', data: new Uint8Array(5_000_000).fill(7) } as const
  for (const [count, isOver] of [
    [1, false],
    [20, true],
  ] as const) {
    const model = createScriptedModel([
      { toolCalls: [{ name: 'draw' }], usage: { input: 10, output: 5 } },
      { text: 'Seen.', usage: null },
    ])
    const content = Array.from({ length: count }, () => large)
    const tools = [{ ...draw, execute: async () => ({ content }) }]
    await using platform = await startPlatform('in process', { models: { mine: () => model }, tools })
    const agent = { id: 'a', model: 'mine/any', budget: { max_tokens: 20_000 } }
    await platform.send('POST', '/api/agents', { body: agent })
    const { body } = await platform.send('POST', '/api/agents/run', { body: { agent_id: 'a', task: 'Go' } })
    expect([count, body.code]).toEqual([count, isOver ? 'budget_exceeded' : undefined])
  }
})

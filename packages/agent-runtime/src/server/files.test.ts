import { createHash } from 'node:crypto'
import { mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createScriptedModel, type ScriptedResponse } from '../testing/scripted-model.ts'
import { startPlatform, ways, type Way } from './testing/start-platform.ts'

/** A PNG of one pixel, as far as anybody looks. */
const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13)
const data = Buffer.from(png).toString('base64')
const sha256 = createHash('sha256').update(png).digest('hex')
const picture = { name: 'a.png', media_type: 'image/png', data }
const reference = { name: 'a.png', media_type: 'image/png', bytes: png.length, sha256 }

let home = ''
beforeAll(async () => void (home = await mkdtemp(join(tmpdir(), 'homeward-files-'))))
afterAll(() => rm(home, { recursive: true, force: true }))

/** What a model got of files, by message. */
const filesIn = (prompt: LanguageModelV4Prompt) =>
  prompt.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap((part) =>
          part.type === 'file' && part.data.type === 'data'
            ? [{ name: part.filename, type: part.mediaType, bytes: [...(part.data.data as Uint8Array)] }]
            : [],
        ),
  )
const sent = { name: 'a.png', type: 'image/png', bytes: [...png] }

async function startWith(
  way: Way,
  steps: readonly ScriptedResponse[] = [{ text: 'A cat.' }, { text: 'Yes.' }],
) {
  const model = createScriptedModel(steps)
  const folder = await mkdtemp(join(home, 'data-'))
  const platform = await startPlatform(way, { home: folder, models: { mine: () => model } })
  await platform.send('POST', '/api/agents', { body: { id: 'a', model: 'mine/any' } })
  const workspace = join(folder, 'workspaces', 'a')
  await mkdir(workspace, { recursive: true, mode: 0o700 })
  const run = (body: object) => platform.send('POST', '/api/agents/run', { body: { agent_id: 'a', ...body } })
  return Object.assign(platform, { model, workspace, run })
}

describe.each(ways)('files of a run %s', (way) => {
  it('reach the model, in the next run of the conversation too, and are stored once', async () => {
    await using platform = await startWith(way)
    const first = await platform.run({ task: 'What is it?', conversation_id: 'c', files: [picture] })
    expect(first.body).toMatchObject({ success: true, output: 'A cat.' })
    await platform.run({ task: 'Sure?', conversation_id: 'c' })
    expect(platform.model.calls.map(({ prompt }) => filesIn(prompt))).toEqual([[sent], [sent]])

    const { messages } = (await platform.send('GET', '/api/conversations/c')).body
    expect(messages[0].files).toEqual([{ id: expect.any(String), ...reference }])
    expect(JSON.stringify(messages)).not.toContain(data)
    const stored = await platform.fetch(`/api/files/${messages[0].files[0].id}`)
    expect([...new Uint8Array(await stored.arrayBuffer())]).toEqual([...png])
    expect(Object.fromEntries(stored.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'private, no-cache',
      'content-disposition': `attachment; filename="a.png"; filename*=UTF-8''a.png`,
      'x-content-type-options': 'nosniff',
    })
    await platform.send('DELETE', '/api/conversations/c')
    expect((await platform.fetch(`/api/files/${messages[0].files[0].id}`)).status).toBe(404)
  })

  it('may lie in the workspace of the agent, and nowhere else', async () => {
    await using platform = await startWith(way)
    await writeFile(join(platform.workspace, 'cat.bin'), png)
    await writeFile(join(platform.workspace, 'notes.md'), '# Notes')
    await writeFile(join(platform.workspace, 'empty.txt'), '')
    await writeFile(join(home, 'secret.txt'), 'secret')
    await symlink(join(home, 'secret.txt'), join(platform.workspace, 'link.txt'))
    const files = [{ path: 'cat.bin' }, { path: 'notes.md', name: '../x/n.md' }]
    expect((await platform.run({ task: 'Look', files })).body).toMatchObject({ success: true })
    expect(filesIn(platform.model.calls[0]!.prompt).map(({ name, type }) => [name, type])).toEqual([
      ['cat.bin', 'image/png'],
      ['n.md', 'text/markdown'],
    ])
    for (const path of ['../../secret.txt', join(home, 'secret.txt'), 'link.txt', 'none.txt', 'empty.txt']) {
      const { status, body } = await platform.run({ task: 'Look', files: [{ path }] })
      expect([path, status, body.code]).toEqual([path, 400, 'validation_error'])
    }
    expect(platform.model.calls).toHaveLength(1)
  })

  it('may come as a form, next to those of the request', async () => {
    await using platform = await startWith(way)
    const form = new FormData()
    form.set('request', JSON.stringify({ agent_id: 'a', task: 'Compare', files: [picture] }))
    form.append('file', new Blob([png], { type: 'image/png' }), 'b.png')
    form.append('file', new Blob(['x,y']), 'c.csv')
    const { body } = await platform.send('POST', '/api/agents/run', { body: form })
    expect(body).toMatchObject({ success: true })
    const got = filesIn(platform.model.calls[0]!.prompt).map(({ name, type }) => `${name} ${type}`)
    expect(got).toEqual(['a.png image/png', 'b.png image/png', 'c.csv text/csv'])

    const parts = [
      { type: 'file', mediaType: 'image/png', filename: 'a.png', url: `data:image/png;base64,${data}` },
    ]
    form.set('request', JSON.stringify({ agent_id: 'a', id: 'c', messages: [{ role: 'user', parts }] }))
    await platform.send('POST', '/api/agents/run/stream?format=ui', { body: form })
    expect(filesIn(platform.model.calls[1]!.prompt).map(({ name, type }) => `${name} ${type}`)).toEqual(got)

    for (const broken of ['{', undefined]) {
      const form = new FormData()
      if (broken !== undefined) form.set('request', broken)
      form.append('file', new Blob([png]), 'b.png')
      expect((await platform.send('POST', '/api/agents/run', { body: form })).status).toBe(400)
    }
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const cut = await platform.fetch('/api/agents/run', { method: 'POST', headers, body: '--x\r\nnothing' })
    expect(cut.status).toBe(400)
  })

  it('are rejected if they are empty, broken, too many, or neither here nor there', async () => {
    await using platform = await startWith(way)
    for (const file of [
      { ...picture, data: '' },
      { ...picture, data: 'not base64!' },
      { ...picture, data: data.slice(0, -1) },
      { ...picture, data: 'QQ=' },
      { ...picture, data: 'QR==' },
      { ...picture, data: `data:image/png;base64,${data}` },
      { ...picture, media_type: 'png' },
      { name: 'a.png', data },
      { name: 'a.png', media_type: 'image/png' },
      { ...picture, path: 'a.png' },
    ]) {
      const { status, body } = await platform.run({ task: 'Look', files: [file] })
      expect([status, body.code, file]).toEqual([400, 'validation_error', file])
      expect(body.message).not.toContain(data)
    }
    const many = await platform.run({ task: 'Look', files: Array.from({ length: 21 }, () => picture) })
    expect([many.status, many.body.message]).toEqual([400, 'files: must be at most 20 files'])
    expect(platform.model.calls).toEqual([])
  })

  it('may have 20 MiB, in bodies of 32 MiB; other routes take less', async () => {
    await using platform = await startWith(way)
    const large = (bytes: number) => ({ ...picture, data: Buffer.alloc(bytes, 1).toString('base64') })
    expect((await platform.run({ task: 'Look', files: [large(20 * 1024 * 1024)] })).body).toMatchObject({
      success: true,
    })
    expect((await platform.run({ task: 'Look', files: [large(20 * 1024 * 1024 + 1)] })).status).toBe(400)
    expect((await platform.run({ task: 'Look', files: [large(25 * 1024 * 1024)] })).status).toBe(413)
    const other = await platform.send('POST', '/api/memory/search', {
      body: { query: 'x'.repeat(6 * 1024 * 1024) },
    })
    expect(other.status).toBe(413)
  })

  it('come with the messages of useChat, as data: URLs only', async () => {
    await using platform = await startWith(way)
    const chat = (url: string, more: object = {}) =>
      platform.send('POST', '/api/agents/run/stream?format=ui', {
        body: {
          agent_id: 'a',
          id: 'chat-1',
          messages: [
            { role: 'user', parts: [{ type: 'file', mediaType: 'image/png', filename: 'a.png', url }] },
          ],
          ...more,
        },
      })
    expect((await chat(`data:image/png;base64,${data}`)).text).toContain('A cat.')
    for (const url of ['https://example.com/a.png', 'http://127.0.0.1:1/a.png', 'blob:x', '']) {
      const { status, body } = await chat(url)
      expect([url, status, body.code]).toEqual([url, 400, 'validation_error'])
      expect(body.message).toContain('messages[0].parts[0].url')
    }
    const again = await chat(`data:image/png;base64,${data}`, { trigger: 'regenerate-message' })
    expect(again.text).toContain('Yes.')
    expect(platform.model.calls.map(({ prompt }) => filesIn(prompt))).toEqual([[sent], [sent]])
    const { conversation } = (await platform.send('GET', '/api/conversations/chat-1')).body
    expect(conversation.title).toBe('a.png')
  })

  it('belong to earlier messages of a request too, and to the task of a task', async () => {
    await using platform = await startWith(way)
    const messages = [
      { role: 'user', content: 'See', files: [picture] },
      { role: 'assistant', content: 'I see.' },
    ]
    expect((await platform.run({ task: 'What?', store: false, messages })).body).toMatchObject({
      success: true,
    })
    const body = { agent_id: 'a', task: 'Look', files: [picture] }
    const { status, body: created } = await platform.send('POST', '/api/tasks', { body })
    expect([status, created.task.files]).toEqual([202, [{ id: expect.any(String), ...reference }]])
    await expect
      .poll(async () => (await platform.send('GET', `/api/tasks/${created.task.id}`)).body.task.status)
      .toBe('completed')
    expect(platform.model.calls.map(({ prompt }) => filesIn(prompt))).toEqual([[sent], [sent]])
    const ofAssistant = [{ role: 'assistant', content: 'x', files: [picture] }]
    expect((await platform.run({ task: 'x', store: false, messages: ofAssistant })).status).toBe(400)
    const graph = await platform.send('POST', '/api/tasks', {
      body: { graph_id: 'g', task: 'x', files: [picture] },
    })
    expect(graph.status).toBe(400)
  })

  it('make the same request: the same key with other files is a conflict', async () => {
    await using platform = await startWith(way)
    const body = { task: 'Look', idempotency_key: 'k', files: [picture] }
    const one = await platform.run(body)
    const again = await platform.run(body)
    expect([again.status, again.body.run_id]).toEqual([200, one.body.run_id])
    expect((await platform.run({ ...body, files: [] })).status).toBe(409)
    expect((await platform.run({ ...body, files: [{ ...picture, data: 'AAAA' }] })).status).toBe(409)
    expect(platform.model.calls).toHaveLength(1)
  })
})

it('the library takes bytes as they are, and gives files back', async () => {
  await using platform = await startWith('in process')
  const files = [{ media_type: 'image/png', data: png }]
  await platform.runtime.run({ agent_id: 'a', task: 'Look', conversation_id: 'c', files })
  const { messages } = await platform.runtime.conversations.get('c')
  const [file] = messages[0]?.files ?? []
  expect(file).toEqual({ ...reference, id: expect.any(String), name: 'file-1.png' })
  expect([...(await platform.runtime.files.get(file?.id ?? '')).content]).toEqual([...png])
  await expect(platform.runtime.files.get('none')).rejects.toMatchObject({ code: 'not_found' })
})

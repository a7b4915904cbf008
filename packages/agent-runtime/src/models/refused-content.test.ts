import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Tool } from '../index.ts'
import { lookTool, openWorld, wires, type Wired } from './testing/provider-world.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-refused-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 7, 7, 7)
const other = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 9, 9, 9)
const pdf = new TextEncoder().encode('%PDF-1.7 locked with a password')
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const picture = { name: 'wrong.png', media_type: 'image/png', data: png }
const good = { name: 'good.png', media_type: 'image/png', data: other }
const locked = { name: 'locked.pdf', media_type: 'application/pdf', data: pdf }

/** A provider that refuses requests with one of these texts in them, and what it was asked. */
function refusing(
  { standIn, hosts, ...wire }: Wired,
  words: readonly string[],
  status = 400,
  message = 'Could not process this.',
) {
  const bodies: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const body = await request.clone().text()
    bodies.push(body)
    if (!words.some((word) => body.includes(word))) return standIn.fetch(request)
    const error = { type: 'invalid_request_error', code: status, message }
    return Response.json({ type: 'error', error }, { status })
  }
  return { bodies, wire: { ...wire, hosts: { [Object.keys(hosts)[0] ?? '']: { fetch } } } }
}

const about = { agent_id: 'helper', conversation_id: 'chat' }

/** All APIs that read pictures and documents from people. */
const readers = Object.entries(wires).filter(([name]) => !/compatible|template/.test(name))

it.each([
  ['a picture for a model that reads none', 404, 'No endpoints found that support image input', [picture]],
  ['a text that moderation flags', 403, 'openrouter/x requires moderation. Your input was flagged.', []],
])(
  'OpenRouter rejects %s with status %i, and the conversation goes on',
  async (_, status, message, files) => {
    const word = files.length > 0 ? base64(png) : 'forbidden words'
    const { wire } = refusing(wires['OpenRouter']!(), [word], status, message)
    await using world = await openWorld(wire)
    const task = files.length > 0 ? 'What is it?' : 'Say forbidden words'
    const { error } = await world.runtime.run({ ...about, task, files })
    expect(error).toMatch(/the provider rejected the (?:file "wrong.png"|text of the message) \(/)
    expect(await world.say('Never mind, hello')).toMatchObject({ success: true, output: 'ok' })
  },
)

it('a rejected key is not taken for rejected content', async () => {
  const { wire, bodies } = refusing(wires['OpenRouter']!(), ['hello'], 403, 'Key limit exceeded')
  await using world = await openWorld(wire)
  expect((await world.say('hello')).error).toContain('rejected the API key')
  expect(bodies).toHaveLength(1)
})

describe.each(readers)('what %s refuses', (_, make) => {
  it.each([
    ['a damaged picture', picture],
    ['a locked document', locked],
  ])('leaves %s out of later prompts, and names it once', async (_kind, file) => {
    const { wire, bodies } = refusing(make(), [base64(file.data)])
    await using world = await openWorld(wire)
    const failed = await world.runtime.run({ ...about, task: 'What is it?', files: [file] })
    expect(failed).toMatchObject({ success: false, code: 'model_error', stop_reason: 'error' })
    expect(failed.error).toContain(`rejected the file "${file.name}" (the provider responded with status 400`)
    expect(bodies).toHaveLength(2)
    expect(await world.say('Never mind, hello')).toMatchObject({ success: true, output: 'ok' })
    expect(bodies).toHaveLength(3)
    expect(bodies[2]).toContain(
      `[The file \\"${file.name}\\" is not shown: the model's provider rejected it.]`,
    )
    const { messages } = await world.runtime.conversations.get('chat')
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'What is it?'],
      ['assistant', expect.stringContaining(`rejected the file "${file.name}"`)],
      ['user', 'Never mind, hello'],
      ['assistant', 'ok'],
    ])
  })

  it('leaves out only the rejected one of several files', async () => {
    const { wire, bodies } = refusing(make(), [base64(png)])
    await using world = await openWorld(wire)
    const failed = await world.runtime.run({ ...about, task: 'Compare', files: [good, picture] })
    expect(failed.error).toContain('rejected the file "wrong.png" (')
    expect(await world.say('And now?')).toMatchObject({ success: true })
    expect(bodies.at(-1)).toContain(base64(other))
  })

  it('leaves a filtered text out of later prompts', async () => {
    const { wire, bodies } = refusing(make(), ['forbidden words'])
    await using world = await openWorld(wire)
    const failed = await world.say('Say forbidden words')
    expect(failed.error).toContain('rejected the text of the message')
    expect(await world.say('Never mind, hello')).toMatchObject({ success: true, output: 'ok' })
    expect(bodies).toHaveLength(3)
    expect(bodies[2]).toContain("[This text is not shown: the model's provider rejected it.]")
  })

  it('leaves the picture of a tool out, after the effect of the tool', async () => {
    const { tool, seen } = lookTool()
    const look: Tool = {
      ...tool,
      async execute(args, context) {
        await tool.execute(args, context)
        return { content: [{ type: 'file', media_type: 'image/png', data: base64(png), name: 'drawn.png' }] }
      },
    }
    const { wire } = refusing(make([{ calls: [{ name: 'look', args: {} }] }]), [base64(png)])
    await using world = await openWorld(wire, { tools: [look] })
    const failed = await world.say('Look')
    expect(failed).toMatchObject({ success: false, tool_calls: 1 })
    expect(failed.error).toContain('rejected the file "drawn.png" (')
    expect(await world.say('Go on')).toMatchObject({ success: true })
    expect(seen).toHaveLength(1)
  })

  it('leaves earlier files and reasoning out when the provider rejects only those, as with a new key', async () => {
    const answers = [{ reasoning: 'A cat.', text: 'A cat' }]
    {
      const { standIn: _s, ...wire } = make(answers)
      await using world = await openWorld(wire, { home })
      await world.runtime.run({ ...about, task: 'What is it?', files: [picture] })
    }
    const { wire, bodies } = refusing(make(), [base64(png)])
    await using world = await openWorld(wire, { home })
    const failed = await world.say('Which color?')
    expect(failed.error).toContain('rejected the file "wrong.png"')
    expect(await world.say('Which color?')).toMatchObject({ success: true })
    expect(bodies.at(-1)).toContain('What is it?')
  })

  it('marks nothing when a setting is wrong', async () => {
    const { wire, bodies } = refusing(make(), ['{'])
    {
      await using world = await openWorld(wire, { home })
      const failed = await world.runtime.run({ ...about, task: 'What is it?', files: [picture] })
      expect(failed.error).toMatch(
        /failed: the provider responded with status 400: Could not process this\.$/,
      )
    }
    expect(bodies.length).toBeLessThanOrEqual(5)
    const { standIn: _s, ...right } = make()
    await using world = await openWorld(right, { home })
    expect(await world.say('And now?')).toMatchObject({ success: true })
    const { messages } = await world.runtime.conversations.get('chat')
    expect(messages.map(({ role }) => role)).toEqual(['user', 'user', 'assistant'])
  })

  it('goes on even when the provider will not read any earlier message', async () => {
    {
      const { standIn: _s, ...wire } = make([{ text: 'strange words' }])
      await using world = await openWorld(wire, { home })
      await world.say('Tell me')
    }
    const { wire, bodies } = refusing(make(), ['strange words'])
    await using world = await openWorld(wire, { home })
    expect((await world.say('More')).error).toContain('rejected the messages of the conversation up to here')
    expect(bodies.length).toBeLessThanOrEqual(5)
    expect(await world.say('Hello')).toMatchObject({ success: true, output: 'ok' })
  })
})

it('counts the calls that find the rejected part, and makes none for a run that is not stored', async () => {
  const { wire, bodies } = refusing(wires['OpenAI (Chat Completions)']!(), [base64(png)])
  await using world = await openWorld(wire)
  const failed = await world.runtime.run({ ...about, task: 'What is it?', files: [picture] })
  expect(failed.usage.input_tokens).toBeGreaterThan(0)
  const alone = await world.runtime.run({ agent_id: 'helper', task: 'x', files: [picture], store: false })
  expect(alone).toMatchObject({ success: false })
  expect(bodies).toHaveLength(3)
})

it.each([
  ['OpenAI (Responses)', '"type":"reasoning"'],
  ['Anthropic', '"type":"thinking"'],
])('leaves out reasoning that %s cannot read with a new key', async (name, word) => {
  const answers = [{ reasoning: 'It purrs.', text: 'A cat' }]
  {
    const { standIn: _s, ...wire } = wires[name]!(answers)
    await using world = await openWorld(wire, { home })
    await world.say('What is it?')
  }
  const { wire, bodies } = refusing(wires[name]!(), [word], 404)
  await using world = await openWorld(wire, { home })
  expect((await world.say('Which color?')).error).toContain('rejected earlier reasoning')
  expect(await world.say('Which color?')).toMatchObject({ success: true })
  expect(bodies.at(-1)).toContain('A cat')
})

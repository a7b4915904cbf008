import { describe, expect, it } from 'vitest'
import type { Channel, InboundFile } from '../../ports/channel.ts'
import type { RuntimeOptions } from '../../runtime/runtime-options.ts'
import { createScriptedModel } from '../../testing/scripted-model.ts'
import { createTestStore } from '../../testing/create-test-store.ts'
import { ChannelError } from '../channel-error.ts'
import { openChannelRuntime } from '../testing/channel-runtime.ts'
import type { TestMessage } from '../testing/test-channel.ts'

const picture = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3)
const gif = Buffer.concat([Buffer.from('GIF89a and more'), Buffer.of(0, 1)])
const given = (files: TestMessage['files'] = [], text = '') => ({
  text,
  files,
  sender: 'ann',
  key: `k ${text}`,
})
const photo: InboundFile = { kind: 'picture', reference: { at: 'photo' } }

/** A platform with one picture. */
const load: NonNullable<Channel['loadFile']> = async ({ at }) => {
  if (at === 'photo') return { content: picture }
  throw new ChannelError('permanent', 'Loading a file failed: it is not there.')
}

async function open(
  loadFile: NonNullable<Channel['loadFile']> = load,
  store = createTestStore(),
  options: RuntimeOptions = {},
) {
  const logged: unknown[] = []
  const logger = { warn: (...line: unknown[]) => void logged.push(line), error: () => {} }
  const model = createScriptedModel(Array.from({ length: 9 }, (_, index) => ({ text: `answer ${index}` })))
  const opened = await openChannelRuntime(
    { access: 'open', loadFile },
    { store, logger, models: { scripted: () => model }, ...options },
  )
  await opened.runtime.agents.update('parrot', { model: 'scripted/model' })
  const partsOf = (call: number) =>
    model.calls[call]?.prompt.flatMap((message) => (message.role === 'user' ? message.content : [])) ?? []
  return { ...opened, partsOf, store, logged }
}

describe('A1: files of messages', () => {
  it('reach the model with the text of their message', async () => {
    const { write, texts, until, partsOf, runtime } = await open()
    await write(
      given([photo, { kind: 'document', name: 'a.gif', reference: { at: 'photo' } }], 'What is it?'),
    )
    await until(() => expect(texts()).toEqual(['*answer 0*']))
    expect(partsOf(0)).toMatchObject([
      { type: 'file', mediaType: 'image/png', data: { data: picture } },
      { type: 'file', filename: 'a.gif', mediaType: 'image/png' },
      { type: 'text', text: 'What is it?' },
    ])
    const [conversation] = (await runtime.conversations.list()).conversations
    const { messages } = await runtime.conversations.get(conversation!.id)
    expect(messages[0]).toMatchObject({ files: [{ name: 'file-1.png' }, { name: 'a.gif' }] })
  })

  it('start a run without text, also when their bytes came along', async () => {
    const { write, texts, until, partsOf } = await open()
    await write(given([{ kind: 'sticker', base64: gif.toString('base64') }]))
    await until(() => expect(texts()).toEqual(['*answer 0*']))
    expect(partsOf(0)).toMatchObject([
      { type: 'file', mediaType: 'image/gif', data: { data: new Uint8Array(gif) } },
      { type: 'text', text: 'Sent a sticker.' },
    ])
  })

  it('are described in words if they cannot be loaded, and the run goes on', async () => {
    const tried: unknown[] = []
    const { write, texts, until, partsOf } = await open(async (reference, options) => {
      tried.push(reference['at'])
      if (reference['at'] === 'large') throw new ChannelError('too_long', 'Too large.')
      return load(reference, options)
    })
    const files: InboundFile[] = [
      { kind: 'voice message', bytes: 3_100_000, reference: { at: 'gone' } },
      { kind: 'document', name: 'a]\n[b.pdf', reference: { at: 'large' } },
      { kind: 'video', bytes: 99_000_000, reference: { at: 'never asked for' } },
      { kind: 'sticker', problem: 'it moves' },
      { kind: 'picture' },
    ]
    await write(given([...files, ...Array.from({ length: 17 }, () => photo)], 'Look'))
    await until(() => expect(texts()).toEqual(['*answer 0*']))
    expect(tried.slice(0, 2)).toEqual(['gone', 'large'])
    expect(tried).not.toContain('never asked for')
    expect(partsOf(0).filter(({ type }) => type === 'file')).toHaveLength(15)
    expect(partsOf(0).at(-1)).toEqual({
      type: 'text',
      text: [
        'Look',
        '[voice message, 3 MB: could not be downloaded]',
        '[document a _ b.pdf: larger than 20 MB]',
        '[video, 99 MB: larger than 20 MB]',
        '[sticker: it moves]',
        '[picture: could not be downloaded]',
        '[document: 2 more files, which were not read]',
      ].join('\n'),
    })
  })

  it('are loaded again after a failure of the platform, in the same run', async () => {
    let failures = 1
    const { write, texts, until, partsOf } = await open(async (reference, options) => {
      if (failures-- > 0) throw new ChannelError('temporary', 'The platform is down.')
      return load(reference, options)
    })
    await write(given([photo]))
    await until(() => expect(texts()).toEqual(['*answer 0*']))
    expect(partsOf(0)[0]).toMatchObject({ type: 'file' })
  })

  it('are not stored for strangers', async () => {
    const store = createTestStore()
    const { write, until, texts } = await openChannelRuntime({}, { store })
    await write(given([{ kind: 'picture', base64: gif.toString('base64') }], 'hi'))
    await until(() => expect(texts()).toHaveLength(1))
    const { rows } = await store.listChannelMessages({}, { limit: 9 })
    expect(rows[0]).not.toHaveProperty('files')
    expect((await store.listTasks({}, { limit: 9 })).rows).toEqual([])
  })

  it('say what a voice message says, if a model for that is set', async () => {
    let answer = () => Response.json({ text: ' Turn on the light. ' })
    const options = { fetch: async () => answer(), environment: { OPENAI_API_KEY: 'sk-secret-1' } }
    const opened = await open(load, createTestStore(), options)
    const { write, texts, until, partsOf, runtime, store, logged } = opened
    await runtime.settings.update({ transcription_model: 'openai/whisper-1' })
    const voice: InboundFile = { ...photo, kind: 'voice message', mediaType: 'audio/ogg', bytes: 20_000 }
    await write({ ...given([voice]), key: 'v1' })
    await until(() => expect(texts()).toHaveLength(1))
    expect(partsOf(0)).toEqual([{ type: 'text', text: 'Turn on the light.' }])
    const { rows } = await store.listChannelMessages({}, { limit: 1 })
    expect(rows[0]).toMatchObject({ text: 'Turn on the light.' })
    expect(rows[0]).not.toHaveProperty('files')
    const along = { kind: 'voice message', mediaType: 'audio/ogg', base64: 'AQID' } as const
    await write({ ...given([along, photo], 'Please'), key: 'v2' })
    await until(() => expect(texts()).toHaveLength(2))
    expect(partsOf(1).slice(-2)).toMatchObject([{ type: 'file' }, { text: 'Please\nTurn on the light.' }])
    answer = () => Response.json({ error: { message: 'Wrong key: sk-secret-1' } }, { status: 401 })
    await write({ ...given([voice]), key: 'v3' })
    await until(() => expect(texts()).toHaveLength(3))
    const failed = 'Sent a voice message.\n[voice message, 20 KB: could not be transcribed]'
    expect(partsOf(2).at(-1)).toEqual({ type: 'text', text: failed })
    expect(JSON.stringify(logged)).toContain('HTTP 401')
    expect(JSON.stringify(logged)).not.toContain('sk-secret')
  })
})

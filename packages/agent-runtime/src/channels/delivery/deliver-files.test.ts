import { describe, expect, it } from 'vitest'
import type { Channel, OutboundFile } from '../../ports/channel.ts'
import { createTestStore } from '../../testing/create-test-store.ts'
import { createScriptedModel } from '../../testing/scripted-model.ts'
import { ChannelError } from '../channel-error.ts'
import { openChannelRuntime } from '../testing/channel-runtime.ts'
import type { TestChannelOptions } from '../testing/test-channel.ts'

const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3)
const picture = { mediaType: 'image/png', data: png }
const large = { mediaType: 'image/png', data: new Uint8Array([...png, ...new Uint8Array(2000)]) }

interface Options {
  readonly text?: string
  readonly onFile?: (tries: number) => void
  readonly files?: readonly (typeof picture)[]
  readonly takesFiles?: boolean
}

/** A runtime whose model answers with files, and a channel that takes them. */
async function open({ text = 'Here', onFile, files = [picture, picture], takesFiles = true }: Options = {}) {
  const model = createScriptedModel(Array.from({ length: 3 }, () => ({ text, files: [...files] })))
  const sent: { readonly file: OutboundFile; readonly index: number; readonly idempotencyKey: string }[] = []
  let tries = 0
  const sendFile: Channel['sendFile'] = async (_, file, { index, idempotencyKey }) => {
    onFile?.((tries += 1))
    sent.push({ file, index, idempotencyKey })
    return { id: `file ${index}` }
  }
  const store = createTestStore()
  const channel: TestChannelOptions = { access: 'open', ...(takesFiles && { sendFile, maxFileBytes: 1000 }) }
  const opened = await openChannelRuntime(channel, { store, models: { scripted: () => model } })
  await opened.runtime.agents.update('parrot', { model: 'scripted/model' })
  const statusOf = async () => (await opened.runtime.channels.messages('test')).messages[0]
  return { ...opened, sent, statusOf, store }
}

describe('A1: files that a run made', () => {
  it('follow its text, each as a part of its own, and only their ids are in the outbox', async () => {
    const { write, texts, until, sent, statusOf, store } = await open()
    await write({ text: 'Draw', sender: 'ann' })
    await until(async () => expect(await statusOf()).toMatchObject({ status: 'delivered' }))
    expect(texts()).toEqual(['*Here*'])
    expect(sent.map(({ index }) => index)).toEqual([1, 2])
    expect(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2)
    expect(sent[0]?.file).toEqual({ name: 'file-1.png', mediaType: 'image/png', content: png })
    const { rows } = await store.listChannelMessages({}, { limit: 1 })
    const [id, sha256] = [expect.any(String), expect.any(String)]
    expect(rows[0]?.parts[1]).toEqual({
      text: '',
      plain: '',
      state: 'sent',
      isPlain: false,
      platformId: 'file 1',
      file: { id, name: 'file-1.png', media_type: 'image/png', bytes: 11, sha256 },
    })
  })

  it('have a text before them if the model gave none', async () => {
    const { write, texts, until, sent } = await open({ text: '', files: [picture] })
    await write({ text: 'Draw', sender: 'ann' })
    await until(() => expect(sent).toHaveLength(1))
    expect(texts()).toEqual(['*Here is a file.*'])
  })

  it.each<[string, Options, number]>([
    ['takes no files', { takesFiles: false, files: [picture] }, 0],
    ['takes no larger ones', { files: [large, picture] }, 1],
  ])('are told about in words if the platform %s', async (_, options, count) => {
    const { write, texts, until, sent, statusOf } = await open(options)
    await write({ text: 'Draw', sender: 'ann' })
    await until(async () => expect(await statusOf()).toMatchObject({ status: 'delivered' }))
    expect(texts()[0]).toMatch(/^\*Here\n\nThe file `file-1.png` \(\d KB\) cannot be sent here.\*$/)
    expect(sent).toHaveLength(count)
  })

  it.each<[ChannelError['code'], object, number]>([
    ['permanent', { status: 'failed', failure: { code: 'permanent' }, parts: { total: 3, sent: 1 } }, 0],
    ['uncertain', { status: 'uncertain', parts: { total: 3, sent: 1 } }, 0],
    ['temporary', { status: 'delivered', parts: { total: 3, sent: 3 } }, 2],
  ])('have the rules of texts: %s', async (code, expected, count) => {
    const { write, until, sent, statusOf, texts } = await open({
      onFile(tries) {
        if (tries === 1) throw new ChannelError(code, 'The platform refuses.')
      },
    })
    await write({ text: 'Draw', sender: 'ann' })
    await until(async () => expect(await statusOf()).toMatchObject(expected))
    expect(sent).toHaveLength(count)
    expect(texts()).toEqual(['*Here*'])
  })

  it('are sent after a person decided to send them again', async () => {
    const { write, until, sent, statusOf, runtime, texts } = await open({
      onFile(tries) {
        if (tries === 1) throw new ChannelError('permanent', 'The platform refuses.')
      },
    })
    await write({ text: 'Draw', sender: 'ann' })
    await until(async () => expect(await statusOf()).toMatchObject({ status: 'failed' }))
    await runtime.channels.resolve('test', (await statusOf())?.id ?? '', 'resend')
    await until(() => expect(sent).toHaveLength(2))
    expect(texts()).toEqual(['*Here*'])
  })
})

import { describe, expect, it } from 'vitest'
import type { Channel } from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'
import { createSqliteStore } from '../../store/sqlite/create-sqlite-store.ts'
import { createScriptedModel } from '../../testing/scripted-model.ts'
import { openChannelRuntime } from '../testing/channel-runtime.ts'

/** A runtime at which Ann is allowed and has written from her private chat. */
async function openWithAnn(...options: Parameters<typeof openChannelRuntime>) {
  const opened = await openChannelRuntime(...options)
  await opened.allow('ann')
  await opened.write({ text: 'hi', sender: 'ann', chat: 'of ann' })
  await opened.until(() => expect(opened.texts('of ann')).toHaveLength(1))
  return opened
}

const toAnn = { conversation_id: 'test:of ann', text: 'Good morning' }

describe('A1: messages that start with the agent', () => {
  it('go to a chat that is known, by any of its names, once for a key', async () => {
    const { runtime, texts, until, write } = await openWithAnn()
    const first = await runtime.channels.send('test', { ...toAnn, idempotency_key: 'k1' })
    expect(first).toMatchObject({ channel: 'test', conversation_id: 'test:of ann', text: 'Good morning' })
    expect(first).not.toHaveProperty('sender')
    const again = await runtime.channels.send('test', { ...toAnn, idempotency_key: 'k1' })
    expect(again.id).toBe(first.id)
    await runtime.channels.send('test', { ...toAnn, conversation_id: 'of ann', text: 'two' })
    await write({ text: '/new', sender: 'ann', chat: 'of ann' })
    await write({ text: 'hello', sender: 'ann', chat: 'of ann' })
    const { conversations } = await until(async () => {
      const listed = await runtime.conversations.list()
      expect(listed.conversations).toHaveLength(2)
      return listed
    })
    for (const { id } of conversations) {
      await runtime.channels.send('test', { conversation_id: id, text: 'three' })
    }
    await until(() => expect(texts('of ann').filter((text) => text === '*three*')).toHaveLength(2))
    expect(texts('of ann').filter((text) => text === '*Good morning*')).toHaveLength(1)
    expect(texts('of ann')).toContain('*two*')
    const other = { ...toAnn, text: 'other', idempotency_key: 'k1' }
    await expect(runtime.channels.send('test', other)).rejects.toMatchObject({ code: 'conflict' })
  })

  it('are messages of the conversation, which the next run reads', async () => {
    const model = createScriptedModel([{ text: 'Done.' }])
    const { runtime, write, texts, until } = await openWithAnn({}, { models: { script: () => model } })
    await runtime.agents.update('parrot', { model: 'script/one' })
    await runtime.channels.send('test', { ...toAnn, text: 'Shall I cancel the dentist?' })
    await until(() => expect(texts('of ann')).toContain('*Shall I cancel the dentist?*'))
    await write({ text: 'yes', sender: 'ann', chat: 'of ann' })
    await until(() => expect(texts('of ann')).toHaveLength(3))
    const [conversation] = (await runtime.conversations.list()).conversations
    const { messages } = await runtime.conversations.get(conversation?.id ?? '')
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant', 'user', 'assistant'])
    expect(messages[2]).toMatchObject({ role: 'assistant', content: 'Shall I cancel the dentist?' })
    expect(JSON.stringify(model.calls.at(-1)?.prompt)).toContain('Shall I cancel the dentist?')
  })

  it('begin the conversation of a chat that has none', async () => {
    const { runtime, write, texts, until } = await openWithAnn()
    await write({ text: '/new', sender: 'ann', chat: 'of ann' })
    await until(() => expect(texts('of ann')).toHaveLength(2))
    await runtime.channels.send('test', toAnn)
    await until(() => expect(texts('of ann')).toContain('*Good morning*'))
    await write({ text: 'hello', sender: 'ann', chat: 'of ann' })
    await until(() => expect(texts('of ann')).toHaveLength(4))
    const { conversations } = await runtime.conversations.list()
    const counts = conversations.map((each) => each.message_count)
    expect(counts.toSorted((a, b) => a - b)).toEqual([2, 3])
  })

  it('go to no chat that is unknown, and to nobody who is not allowed', async () => {
    const { runtime, write, texts, allow, until } = await openWithAnn({ access: 'open', groupAccess: 'open' })
    const codeOf = (conversationId: string) =>
      runtime.channels.send('test', { conversation_id: conversationId, text: 'psst' }).then(
        () => 'sent',
        ({ code }: { code: string }) => code,
      )
    expect(await codeOf('nowhere')).toBe('forbidden')
    await write({ text: 'let me in', sender: 'bob', chat: 'of bob' })
    expect(await codeOf('of bob')).toBe('forbidden')
    await write({ text: 'all of us', sender: 'ann', chat: 'of group', group: 'g1' })
    expect(await codeOf('of group')).toBe('forbidden')
    await allow('g1')
    expect(await codeOf('of group')).toBe('sent')
    await runtime.channels.setSender('test', 'ann', { status: 'blocked' })
    expect(await codeOf('of ann')).toBe('forbidden')
    expect(await codeOf('of group')).toBe('sent')
    await until(() => expect(texts('of group').filter((text) => text === '*psst*')).toHaveLength(2))
    const blank = runtime.channels.send('test', { ...toAnn, text: ' ' })
    await expect(blank).rejects.toMatchObject({ code: 'validation_error' })
    await expect(runtime.channels.send('nothing', toAnn)).rejects.toMatchObject({ code: 'not_found' })
    await expect(runtime.channels.send('telegram', toAnn)).rejects.toMatchObject({ code: 'conflict' })
  })

  it('are not sent to somebody who was blocked while they waited', async () => {
    let isDown = false
    let nowMs = Date.now()
    const onSend = async () => {
      if (isDown) throw new ChannelError('temporary', 'The platform is down.')
    }
    const { runtime, texts, until } = await openWithAnn({ onSend }, { now: () => nowMs })
    isDown = true
    const { id: held } = await runtime.channels.send('test', toAnn)
    const { id: behind } = await runtime.channels.send('test', { ...toAnn, text: 'not that' })
    const statusOf = async (id: string) =>
      (await runtime.channels.messages('test')).messages.find((one) => one.id === id)
    await until(async () => expect(await statusOf(held)).toMatchObject({ status: 'delivering' }))
    await runtime.channels.setSender('test', 'ann', { status: 'blocked' })
    isDown = false
    nowMs += 60_000
    await until(async () => expect(await statusOf(behind)).toMatchObject({ status: 'failed' }))
    expect(await statusOf(behind)).toMatchObject({ failure: { code: 'permanent' } })
    expect(texts('of ann')).not.toContain('*not that*')
  })

  it('bring files along, which are stored with the message', async () => {
    const sent: string[] = []
    const sendFile: Channel['sendFile'] = async (_, { name, content }) => {
      sent.push(`${name}: ${new TextDecoder().decode(content)}`)
      return {}
    }
    const { runtime, texts, until } = await openWithAnn({ sendFile })
    const file = (text: string) => ({
      name: 'plan.txt',
      media_type: 'text/plain',
      data: new TextEncoder().encode(text),
    })
    const message = { ...toAnn, idempotency_key: 'k', files: [file('one')] }
    const input = message as unknown as Parameters<typeof runtime.channels.send>[1]
    const { id } = await runtime.channels.send('test', input)
    expect((await runtime.channels.send('test', input)).id).toBe(id)
    await until(() => expect(sent).toEqual(['plan.txt: one']))
    expect(texts('of ann').at(-1)).toBe('*Good morning*')
    const other = { ...input, files: [file('two')] } as unknown as typeof input
    await expect(runtime.channels.send('test', other)).rejects.toMatchObject({ code: 'conflict' })
    const byPath = { ...toAnn, files: [{ path: 'plan.txt' }] }
    await expect(runtime.channels.send('test', byPath)).rejects.toMatchObject({ code: 'validation_error' })
  })

  it('are sent after a restart', async () => {
    const path = ':memory:'
    const store = createSqliteStore({ path })
    const before = await openWithAnn({}, { store })
    await before.runtime.channels.send('test', toAnn)
    const { texts, until, runtime } = await openChannelRuntime({}, { store })
    await runtime.start()
    await until(() => expect([...before.texts('of ann'), ...texts('of ann')]).toContain('*Good morning*'))
  })
})

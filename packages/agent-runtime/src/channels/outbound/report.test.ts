import { describe, expect, it } from 'vitest'
import { createSqliteStore } from '../../store/sqlite/create-sqlite-store.ts'
import { createScriptedModel } from '../../testing/scripted-model.ts'
import { codeIn, openChannelRuntime } from '../testing/channel-runtime.ts'

const target = { channel: 'test', conversation_id: 'of ann' }

/** A runtime whose agent `daily` reports to Ann, who has written once. */
async function openWithReports(options: Parameters<typeof openChannelRuntime>[1] = {}) {
  const opened = await openChannelRuntime({}, options)
  await opened.allow('ann')
  await opened.write({ text: 'hi', sender: 'ann', chat: 'of ann' })
  await opened.until(() => expect(opened.texts('of ann')).toHaveLength(1))
  await opened.runtime.agents.create({ id: 'daily', model: 'test/echo', report_to: [target] })
  return { ...opened, reports: () => opened.texts('of ann').slice(1) }
}

describe('A1: report_to', () => {
  it('sends the result of a task once, and of no run', async () => {
    const { runtime, reports, until } = await openWithReports()
    await runtime.run({ agent_id: 'daily', task: 'not reported' })
    const request = { agent_id: 'daily', task: 'the weather', idempotency_key: 'k' }
    const { task } = await runtime.tasks.create(request)
    await runtime.tasks.create(request)
    await until(() => expect(reports()).toEqual(['*the weather*']))
    const { messages } = await runtime.channels.messages('test')
    expect(messages[0]).toMatchObject({ task_id: task.id, text: '', conversation_id: 'test:of ann' })
    expect(messages[0]).not.toHaveProperty('sender')
    expect(messages).toHaveLength(2)
    await until(async () => {
      const journal = await runtime.logs.list({ limit: 100 })
      expect(journal.filter(({ type }) => type === 'channel.reply')).toHaveLength(2)
    })
  })

  it('is a message of the conversation of the chat, unless the task worked there', async () => {
    const { runtime, reports, until } = await openWithReports()
    const [chat] = (await runtime.conversations.list()).conversations
    const read = async () =>
      (await runtime.conversations.get(chat?.id ?? '')).messages.map(({ role, content }) => [role, content])
    await runtime.tasks.create({ agent_id: 'daily', task: 'the weather' })
    await until(() => expect(reports()).toEqual(['*the weather*']))
    expect(await read()).toEqual([
      ['user', 'hi'],
      ['assistant', 'hi'],
      ['assistant', 'the weather'],
    ])
  })

  it('reaches a chat once that is named in two ways', async () => {
    const { runtime, reports, until } = await openWithReports()
    const named = { ...target, conversation_id: 'test:of ann' }
    await runtime.agents.update('daily', { report_to: [target, named, target] })
    await runtime.tasks.create({ agent_id: 'daily', task: 'the weather' })
    await until(() => expect(reports()).toEqual(['*the weather*']))
    expect((await runtime.channels.messages('test')).messages).toHaveLength(2)
  })

  it('tells failures, and the result of another try', async () => {
    const model = createScriptedModel([{ error: new Error('down') }, { text: 'better' }])
    const { runtime, reports, until } = await openWithReports({ models: { script: () => model } })
    await runtime.agents.update('daily', { model: 'script/one' })
    const { task } = await runtime.tasks.create({ agent_id: 'daily', task: 'a', max_attempts: 1 })
    await until(() => expect(reports()[0]).toMatch(/^\*The task of agent daily failed: /))
    await runtime.tasks.retry(task.id)
    await until(() => expect(reports().slice(1)).toEqual(['*better*']))
  })

  it('does not repeat in another chat what a chat has asked for', async () => {
    const { runtime, write, allow, reports, until, texts } = await openWithReports()
    await runtime.agents.update('parrot', { report_to: [target] })
    await allow('bob')
    await write({ text: 'hello', sender: 'bob', chat: 'of bob' })
    await until(() => expect(texts('of bob')).toEqual(['*hello*']))
    expect(reports()).toEqual([])
  })

  it('is checked when an agent is saved, and null clears it', async () => {
    const { runtime } = await openWithReports()
    const save = (to: unknown) => runtime.agents.update('daily', { report_to: to as [] }) // what JavaScript may pass
    const code = 'validation_error'
    await expect(save([{ ...target, conversation_id: 'nowhere' }])).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^Changing an agent failed: "report_to\[0\]": test has no conversation/),
    })
    await expect(save([target, { ...target, channel: 'nope' }])).rejects.toMatchObject({ code })
    await expect(save([target, { ...target, channel: 'telegram' }])).rejects.toMatchObject({ code })
    await runtime.channels.setSender('test', 'ann', { status: 'blocked' })
    await expect(save([target])).rejects.toMatchObject({ code })
    expect((await runtime.agents.get('daily')).report_to).toEqual([target])
    expect(await save(null)).not.toHaveProperty('report_to')
  })

  it('sends nothing to somebody who was blocked while the task worked', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const model = createScriptedModel([{ gate: () => promise, text: 'secret' }])
    const { runtime, reports, until } = await openWithReports({ models: { script: () => model } })
    await runtime.agents.update('daily', { model: 'script/one' })
    await runtime.tasks.create({ agent_id: 'daily', task: 'a' })
    await runtime.channels.setSender('test', 'ann', { status: 'blocked' })
    resolve()
    await until(async () => {
      const { messages } = await runtime.channels.messages('test', { status: 'failed' })
      expect(messages).toHaveLength(1)
    })
    expect(reports()).toEqual([])
  })

  it('announces a call that waits, which is decided in that chat', async () => {
    const tool = {
      id: 'pay',
      description: 'Pays.',
      inputSchema: { type: 'object' },
      effects: 'external',
      idempotent: false,
      returnsUntrustedContent: false,
      execute: async () => 'paid',
    } as const
    const model = createScriptedModel([{ toolCalls: [{ name: 'pay' }] }, { text: 'Paid.' }])
    const options = { models: { script: () => model }, tools: [tool] }
    const { runtime, write, reports, until } = await openWithReports(options)
    await runtime.agents.update('daily', { model: 'script/one', approval_tools: ['pay'] })
    await runtime.start()
    await runtime.tasks.create({ agent_id: 'daily', task: 'pay the rent' })
    await until(() => expect(reports()[0]).toContain('/approve'))
    await write({ text: 'how are you?', sender: 'ann', chat: 'of ann' })
    await until(() => expect(reports()[1]).toBe('*how are you?*'))
    await write({ text: `/approve ${codeIn(reports()[0])}`, sender: 'ann', chat: 'of ann' })
    await until(() => expect(reports()).toContain('*Paid.*'))
  })

  it('sends the result of a scheduled run once, by whichever process', async () => {
    const store = createSqliteStore({ path: ':memory:' })
    let nowMs = Date.parse('2026-11-01T08:59:50.000Z')
    const options = { store, now: () => nowMs }
    const before = await openWithReports(options)
    const schedule = { schedule: '0 9 * * *', schedule_input: 'good morning', catch_up: 'latest' } as const
    await before.runtime.agents.update('daily', schedule)
    await before.runtime.start()
    nowMs += 30_000
    const { runtime, texts, until } = await openChannelRuntime({}, options)
    await runtime.start()
    await until(() => expect([...before.reports(), ...texts('of ann')]).toEqual(['*good morning*']))
    const { tasks } = await runtime.tasks.list()
    expect(tasks.filter(({ agent_id }) => agent_id === 'daily')).toHaveLength(1)
  })
})

import { describe, expect, it } from 'vitest'
import { createSqliteStore } from '../../store/sqlite/create-sqlite-store.ts'
import { createScriptedModel } from '../../testing/scripted-model.ts'
import { codeIn, openChannelRuntime } from '../testing/channel-runtime.ts'
import { toRequest } from '../testing/test-channel.ts'
import { isAllowedSender } from './is-allowed-sender.ts'

const hour = 60 * 60 * 1000

describe('A1: pairing', () => {
  it('gives an unknown person a code, once an hour, and lets the person in by it', async () => {
    let nowMs = Date.parse('2026-11-01T09:00:00.000Z')
    const { runtime, write, texts, until } = await openChannelRuntime({}, { now: () => nowMs })
    expect(await write({ text: 'a secret plan', sender: 'ann', name: 'Ann' })).toBe('ok')
    expect(await write({ text: 'are you there?', sender: 'ann', name: 'Ann' })).toBe('denied')
    await until(() => expect(texts()).toHaveLength(1))
    const code = codeIn(texts()[0])
    const [sender] = await runtime.channels.senders('test')
    const at = new Date(nowMs).toISOString()
    const seen = { first_seen_at: at, last_seen_at: at }
    expect(sender).toEqual({
      id: 'ann',
      name: 'Ann',
      kind: 'person',
      status: 'pending',
      user_id: 'test:ann',
      code,
      ...seen,
    })
    const [message] = (await runtime.channels.messages('test')).messages
    expect(message).toMatchObject({ text: '', sender: { id: 'ann' } })
    expect(message).not.toHaveProperty('task_id')
    expect((await runtime.tasks.list()).tasks).toEqual([])

    nowMs += hour
    expect((await runtime.channels.senders('test'))[0]).not.toHaveProperty('code')
    await expect(runtime.channels.pair('test', code)).rejects.toMatchObject({ code: 'not_found' })
    expect(await write({ text: 'hello?', sender: 'ann' })).toBe('ok')
    await until(() => expect(texts()).toHaveLength(2))
    const typed = codeIn(texts()[1])
      .toLowerCase()
      .replace(/^(....)/, ' $1-')
    expect(await runtime.channels.pair('test', typed)).toMatchObject({ id: 'ann', status: 'allowed' })
    await expect(runtime.channels.pair('test', typed)).rejects.toMatchObject({ code: 'not_found' })

    await until(() => expect(texts()).toHaveLength(3))
    expect(texts()[2]).toBe('*You can write to this agent now.*')

    expect(await write({ text: 'now answer', sender: 'ann' })).toBe('ok')
    await until(() => expect(texts()).toHaveLength(4))
    expect(texts()[3]).toBe('*now answer*')
    const journal = (await runtime.logs.list({ limit: 100 })).filter(({ type }) => type === 'channel.sender')
    expect(journal.map(({ data }) => data['status'])).toEqual(['pending', 'pending', 'allowed'])
    expect(JSON.stringify(await runtime.logs.list({ limit: 100 }))).not.toContain(code)
  })

  it('tells a person once that the agent can be used, and nobody whose chat is not known', async () => {
    const { runtime, write, allow, texts, until } = await openChannelRuntime({ access: 'allowlist' })
    await write({ text: 'hi', sender: 'ann', chat: 'of ann' })
    await write({ text: 'hi', sender: 'bob', group: 'g1', chat: 'g' })
    for (const id of ['ann', 'ann', 'g1', 'nobody']) await allow(id)
    await until(() => expect(texts('of ann')).toEqual(['*You can write to this agent now.*']))
    const { messages } = await runtime.channels.messages('test')
    expect(messages).toMatchObject([
      { text: 'You can write to this agent now.', conversation_id: 'test:of ann' },
    ])
    await runtime.channels.setSender('test', 'ann', { status: 'blocked' })
    await allow('ann')
    await until(() => expect(texts('of ann')).toHaveLength(2))
    expect(texts('g')).toEqual([])
  })

  it('gives no person a code while a hundred others have one', async () => {
    const { runtime, write, texts, until } = await openChannelRuntime()
    for (let number = 0; number < 105; number += 1) {
      await write({ text: `hi ${number}`, sender: `s${number}`, chat: `${number}` })
    }
    expect(await runtime.channels.senders('test')).toHaveLength(100)
    await until(() => expect(texts('99')).toHaveLength(1))
    expect(texts('100')).toEqual([])
  })

  it('stops comparing codes after ten wrong ones', async () => {
    let nowMs = Date.parse('2026-11-01T09:00:00.000Z')
    const { runtime, write, texts, until } = await openChannelRuntime({}, { now: () => nowMs })
    await write({ text: 'hi' })
    await until(() => expect(texts()).toHaveLength(1))
    for (let tries = 0; tries < 10; tries += 1) {
      await expect(runtime.channels.pair('test', 'AAAAAAAA')).rejects.toMatchObject({ code: 'not_found' })
    }
    const right = runtime.channels.pair('test', codeIn(texts()[0]))
    await expect(right).rejects.toMatchObject({ code: 'rate_limited', details: { retry_after_seconds: 600 } })
    nowMs += 10 * 60 * 1000
    expect(await runtime.channels.pair('test', codeIn(texts()[0]))).toMatchObject({ status: 'allowed' })
  })
})

describe('A1: who is refused', () => {
  it.each(['pairing', 'allowlist', 'open'] as const)('a blocked person, under %s', async (access) => {
    const { runtime, write, texts } = await openChannelRuntime({ access })
    await runtime.channels.setSender('test', 'mallory', { status: 'blocked' })
    expect(await write({ text: 'hi', sender: 'mallory' })).toBe('denied')
    expect(await write({ text: '/status', sender: 'mallory' })).toBe('denied')
    expect((await runtime.channels.messages('test')).messages).toEqual([])
    expect(texts()).toEqual([])
  })

  it('an unknown person under allowlist, who gets neither code nor reply', async () => {
    const { runtime, write } = await openChannelRuntime({ access: 'allowlist' })
    expect(await write({ text: 'hi', sender: 'ann' })).toBe('denied')
    const [sender] = await runtime.channels.senders('test')
    expect(sender).toMatchObject({ id: 'ann', status: 'pending' })
    expect(sender).not.toHaveProperty('code')
    expect((await runtime.channels.messages('test')).messages).toEqual([])
  })

  it('a group that nobody has allowed, whoever writes there', async () => {
    const { runtime, write, allow, texts, until } = await openChannelRuntime()
    await allow('ann')
    expect(await write({ text: 'hi', sender: 'ann', group: 'g1', chat: 'g' })).toBe('denied')
    expect((await runtime.channels.messages('test')).messages).toEqual([])
    const waiting = (await runtime.channels.senders('test')).find(({ id }) => id === 'g1')
    expect(waiting).toMatchObject({ kind: 'group', status: 'pending' })
    await allow('g1')
    expect(await write({ text: 'and now', sender: 'bob', group: 'g1', chat: 'g' })).toBe('ok')
    await until(() => expect(texts('g')).toEqual(['*[bob]: and now*']))
    await runtime.channels.setSender('test', 'bob', { status: 'blocked' })
    expect(await write({ text: 'again', sender: 'bob', group: 'g1', chat: 'g' })).toBe('denied')
  })

  it('a group whose id is that of an allowed person', async () => {
    const { write, allow } = await openChannelRuntime()
    await allow('42')
    expect(await write({ text: 'hi', sender: '42' })).toBe('ok')
    expect(await write({ text: 'hi there', sender: 'eve', group: '42', chat: 'g' })).toBe('denied')
  })
})

it('A1: the settings let people and groups in besides those that were decided about', async () => {
  const { runtime } = await openChannelRuntime({ id: 'channel_d' })
  const settings = {
    channel_d_default_agent_id: 'parrot',
    bridge_access: 'allowlist',
    channel_d_allowed_senders: 'ann, bob',
    channel_d_allowed_groups: 'g1',
  } as const
  await runtime.settings.update(settings)
  const post = async (text: string, from: object) =>
    (await runtime.channels.receive('bridge', toRequest({ text, ...from }))).body
  expect(await post('1', { sender: 'bob' })).toBe('ok')
  expect(await post('2', { sender: 'eve' })).toBe('denied')
  expect(await post('3', { sender: 'eve', group: 'g1' })).toBe('ok')
  expect(await post('4', { sender: 'bob', group: 'g2' })).toBe('denied')
  await runtime.channels.setSender('channel_d', 'bob', { status: 'blocked' })
  expect(await post('5', { sender: 'bob' })).toBe('denied')
  await runtime.settings.update({ channel_d_access: 'open', channel_d_group_access: 'off' })
  expect(await post('6', { sender: 'eve' })).toBe('ok')
  expect(await post('7', { sender: 'eve', group: 'g1' })).toBe('denied')
  const { access, group_access, warnings } = await runtime.channels.status('bridge')
  expect([access, group_access]).toEqual(['open', 'off'])
  expect(warnings.join(' ')).toContain('channel_d_access is open')
})

it('A1: the status says that nobody may write yet, and who waits', async () => {
  const { runtime, write, allow } = await openChannelRuntime()
  const warnings = async () => (await runtime.channels.status('test')).warnings.join(' ')
  expect(await warnings()).toMatch(/No sender is allowed yet: access is pairing/)
  await write({ text: 'hi', sender: 'ann' })
  expect(await warnings()).toMatch(/waiting for approval: 1/)
  await allow('ann')
  expect(await warnings()).toBe('')
})

it('A1: only a person whom the operator has allowed may decide about approvals', async () => {
  const store = createSqliteStore({ path: ':memory:' })
  const { runtime, channel, allow } = await openChannelRuntime(
    { access: 'open', groupAccess: 'open' },
    { store },
  )
  const may = (id: string) => isAllowedSender({ store, settings: runtime.settings }, channel, id)
  expect(await may('ann')).toBe(false)
  await allow('ann')
  expect(await may('ann')).toBe(true)
  await runtime.channels.setSender('test', 'g1', { status: 'allowed', kind: 'group' })
  expect(await may('g1')).toBe(false)
  await runtime.channels.setSender('test', 'ann', { status: 'blocked' })
  expect(await may('ann')).toBe(false)
})

it('A1: a group that was allowed before it wrote stays a group, also if its anonymous admin writes first', async () => {
  const { runtime, write, allow, texts, until } = await openChannelRuntime()
  await allow('g1')
  await write({ key: '1', text: '/agent', sender: 'g1', group: 'g1', chat: 'g' })
  await until(() =>
    expect(texts('g')).toEqual([expect.stringContaining('You are not allowed to choose the agent.')]),
  )
  expect(await runtime.channels.senders('test')).toEqual([
    expect.objectContaining({ id: 'g1', kind: 'group', status: 'allowed' }),
  ])
  expect(await write({ text: 'hello', sender: 'eve', group: 'g1', chat: 'g' })).toBe('ok')
})

it('A20: what a member of a group writes is untrusted unless the operator has allowed that person', async () => {
  const call = { toolCalls: [{ name: 'pay' }] }
  const model = createScriptedModel([call, call, { text: 'Paid.' }])
  const { runtime, write, allow, until } = await openChannelRuntime(
    {},
    {
      models: { mine: () => model },
      tools: [
        {
          id: 'pay',
          description: 'Pays.',
          inputSchema: { type: 'object' },
          effects: 'external',
          idempotent: false,
          returnsUntrustedContent: false,
          execute: async () => ({}),
        },
      ],
    },
  )
  await runtime.agents.update('parrot', { model: 'mine/x' })
  await Promise.all([allow('g1'), allow('g2'), allow('ann')])
  const statusOf = async (id: string) => {
    const { runs } = await runtime.runs.list({})
    return runs.find(({ user_id }) => user_id === id)?.status
  }
  await write({ text: 'pay', sender: 'eve', group: 'g1', chat: 'a' })
  await until(async () => expect(await statusOf('test:g1')).toBe('waiting'))
  await write({ text: 'pay', key: '2', sender: 'ann', group: 'g2', chat: 'b' })
  await until(async () => expect(await statusOf('test:g2')).toBe('completed'))
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createRuntime } from '../../runtime/create-runtime.ts'
import type { RuntimeOptions } from '../../runtime/runtime-options.ts'
import { createScriptedModel } from '../../testing/scripted-model.ts'
import { codeIn } from '../testing/channel-runtime.ts'
import { createTestChannel, type TestMessage, toRequest } from '../testing/test-channel.ts'
import { parseLink } from './link-command.ts'

it.each([
  ['/link', { kind: 'offer' }],
  ['/unlink', { kind: 'leave' }],
  [' /LINK abcd–2345 ', { kind: 'take', code: 'ABCD2345' }],
  ['/link\u00a0“ＡＢＣＤ 2345”', { kind: 'take', code: 'ABCD2345' }],
  ['/link abc', { kind: 'take', code: 'ABC' }],
  ['/unlink me', undefined],
  ['/links', undefined],
  [`/link ${'my accounts '.repeat(9)}`, undefined],
])('A1: %j is read', (text, expected) => expect(parseLink(text)).toEqual(expected))

/** Ann writes at two platforms, `one` and `two`; Bob at the second one. */
async function openTwo(options: RuntimeOptions = {}, changes: object = {}) {
  const channels = ['one', 'two'].map((id) => createTestChannel({ id, agentId: 'parrot', access: 'pairing' }))
  const runtime = createRuntime({ environment: {}, channels, ...options })
  onTestFinished(() => runtime.close())
  await runtime.agents.create({ id: 'parrot', model: 'test/echo', ...changes }).catch(() => {}) // there after a restart
  for (const [channel, id] of ['one a1', 'two a2', 'two bob'].map(
    (one) => one.split(' ') as [string, string],
  ))
    await runtime.channels.setSender(channel, id, { status: 'allowed' })
  let number = 0
  const sent = (channel: string) => channels.find(({ id }) => id === channel)?.sent ?? []
  const until = <T>(check: () => T) => vi.waitFor(check, { timeout: 30_000, interval: 5 })
  return {
    runtime,
    until,
    /** Writes in a private chat. @returns the answer */
    async ask(channel: 'one' | 'two', sender: string, text: string, message: Partial<TestMessage> = {}) {
      const before = sent(channel).length
      const key = `${text} ${(number += 1)}`
      await runtime.channels.receive(channel, toRequest({ key, chat: sender, sender, text, ...message }))
      await until(() => expect(sent(channel).length).toBeGreaterThan(before))
      return sent(channel).at(-1)?.text ?? ''
    },
    userOf: async (channel: string, id: string) =>
      (await runtime.channels.senders(channel)).find((sender) => sender.id === id)?.user_id,
    usersOfRuns: async () => (await runtime.runs.list({})).runs.map(({ user_id: user }) => user).toReversed(),
  }
}

it('A1: /link makes the chats of a person on two channels one user, and /unlink two again', async () => {
  const { runtime, ask, userOf, usersOfRuns } = await openTwo()
  await ask('one', 'a1', 'hello')
  await ask('two', 'a2', 'my word is walnut')
  await runtime.memory.write({ agent_id: 'parrot', user_id: 'two:a2', text: 'likes walnuts' })
  const code = codeIn(await ask('one', 'a1', '/link'))
  expect(await ask('two', 'a2', `/link ${code.toLowerCase().replace(/^(....)/, '$1 – ')}`)).toContain(
    'Linked',
  )
  expect([await userOf('one', 'a1'), await userOf('two', 'a2')]).toEqual(['one:a1', 'one:a1'])
  expect(await ask('two', 'a2', `/link ${code}`)).toContain('wrong or has expired')
  await ask('two', 'a2', 'and now?')
  expect(await usersOfRuns()).toEqual(['one:a1', 'two:a2', 'one:a1'])
  const [found] = await runtime.memory.search({ agent_id: 'parrot', user_id: 'one:a1', q: 'walnuts' })
  expect(found).toMatchObject({ text: 'likes walnuts', user_id: 'one:a1' })
  const conversationsOf = async (userId: string) =>
    (await runtime.conversations.list({ userId })).conversations.map(({ message_count: count }) => count)
  expect((await conversationsOf('one:a1')).toSorted((a, b) => a - b)).toEqual([2, 4])

  expect(await ask('two', 'a2', '/unlink')).toContain('not linked')
  expect(await userOf('two', 'a2')).toBe('two:a2')
  await ask('two', 'a2', 'alone again')
  expect((await usersOfRuns()).at(-1)).toBe('two:a2')
  expect([await conversationsOf('one:a1'), await conversationsOf('two:a2')]).toEqual([[4, 2], [2]])
  const again = codeIn(await ask('one', 'a1', '/link'))
  await ask('two', 'a2', `/link ${again}`)
  await ask('two', 'a2', 'once more')
  await ask('one', 'a1', '/unlink') // also from the first
  expect(await ask('two', 'a2', 'and alone')).toBe('*and alone*')
  expect(await usersOfRuns()).toEqual(['one:a1', 'two:a2', 'one:a1', 'two:a2', 'one:a1', 'two:a2'])
  const journal = (await runtime.logs.list({ limit: 200 })).filter(({ type }) => type === 'channel.sender')
  expect(journal.flatMap(({ data }) => data['user_id'] ?? [])).toContain('one:a1')
  expect(JSON.stringify(journal)).not.toContain(code)
})

it('A1: nobody is linked by a stranger, in a group, by an own code, or while the agent works', async () => {
  const hang = createScriptedModel([{ hang: true }])
  const { runtime, ask, userOf, until } = await openTwo({ models: { mine: () => hang } }, { model: 'mine/x' })
  const code = codeIn(await ask('one', 'a1', '/link'))
  expect(await ask('one', 'a1', `/link ${code}`)).toContain('code of this chat')
  await runtime.channels.setSender('two', 'g', { status: 'allowed', kind: 'group' })
  for (const text of ['/link', `/link ${code}`, '/unlink'])
    expect(await ask('two', 'a2', text, { group: 'g', chat: 'g' })).toContain('private chat')
  expect(await ask('two', 'a2', `/link ${code}`, { isQuoted: true })).toContain('not allowed')
  expect(await ask('two', 'eve', `/link ${code}`)).toContain('To use this agent')
  await runtime.channels.receive('two', toRequest({ chat: 'a2', sender: 'a2', text: 'work' }))
  await until(async () => expect((await runtime.runs.list({})).runs).toHaveLength(1))
  expect(await ask('two', 'a2', `/link ${code}`)).toContain('still working')
  expect(await userOf('two', 'a2')).toBe('two:a2')
})

it('A1: a code is valid for an hour, and ten wrong ones stop a person, not the others', async () => {
  let nowMs = Date.parse('2026-11-01T09:00:00.000Z')
  const { ask, userOf } = await openTwo({ now: () => nowMs })
  const old = codeIn(await ask('one', 'a1', '/link'))
  nowMs += 60 * 60 * 1000
  expect(await ask('two', 'a2', `/link ${old}`)).toContain('wrong or has expired')
  const code = codeIn(await ask('one', 'a1', '/link'))
  for (let tries = 1; tries < 10; tries += 1) await ask('two', 'a2', '/link AAAAAAAA')
  expect(await ask('two', 'a2', `/link ${code}`)).toContain('Wait 600 seconds')
  expect(await ask('two', 'bob', `/link ${code}`)).toContain('Linked')
  nowMs += 10 * 60 * 1000
  const next = codeIn(await ask('one', 'a1', '/link'))
  expect(await ask('two', 'a2', `/link ${next}`)).toContain('Linked')
  expect(await ask('two', 'bob', `/link ${codeIn(await ask('one', 'a1', '/link'))}`)).toContain('already')
  expect([await userOf('two', 'a2'), await userOf('two', 'bob')]).toEqual(['one:a1', 'one:a1'])
})

it('A1: the operator links a person to any user, and no group', async () => {
  const { runtime, ask, userOf, usersOfRuns } = await openTwo()
  await ask('one', 'a1', 'before')
  const linked = await runtime.channels.setSender('one', 'a1', { user_id: 'ann' })
  expect(linked).toMatchObject({ status: 'allowed', user_id: 'ann' })
  await ask('one', 'a1', 'after')
  expect(await usersOfRuns()).toEqual(['one:a1', 'ann'])
  const { conversations } = await runtime.conversations.list({ userId: 'ann' })
  expect(conversations.map(({ message_count: count }) => count)).toEqual([4])
  await runtime.channels.setSender('one', 'a1', { user_id: null })
  expect(await userOf('one', 'a1')).toBe('one:a1')
  await expect(runtime.channels.setSender('one', 'new', { user_id: 'ann' })).rejects.toMatchObject({
    code: 'not_found',
  })
  await runtime.channels.setSender('one', 'g', { status: 'allowed', kind: 'group' })
  await expect(runtime.channels.setSender('one', 'g', { user_id: 'ann' })).rejects.toMatchObject({
    code: 'validation_error',
  })
})

it('A1: a person whom the settings let in is linked, and is not said to wait', async () => {
  const home = mkdtempSync(join(tmpdir(), 'homeward-link-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const channel = createTestChannel({
    id: 'channel_d',
    agentId: 'parrot',
    access: 'allowlist',
    denial: { status: 200, body: 'denied' },
  })
  const runtime = createRuntime({ environment: {}, home, channels: [channel] })
  onTestFinished(() => runtime.close())
  await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
  await runtime.settings.update({
    channel_d_allowed_senders: 'ann, bob',
    channel_d_default_agent_id: 'parrot',
    channel_d_access: 'allowlist',
  })
  const write = (sender: string, text: string) =>
    runtime.channels.receive('bridge', toRequest({ chat: sender, sender, text }))
  await write('ann', '/link')
  await vi.waitFor(() => expect(channel.sent).toHaveLength(1))
  await write('bob', `/link ${codeIn(channel.sent[0]?.text)}`)
  const senders = await runtime.channels.senders('bridge')
  expect(senders.map(({ id, status, user_id: user }) => `${id} ${status} ${user}`).toSorted()).toEqual([
    'ann allowed bridge:ann',
    'bob allowed bridge:ann',
  ])
  expect((await runtime.channels.status('bridge')).warnings.join()).not.toContain('waiting')
  await runtime.settings.update({ channel_d_allowed_senders: 'ann' })
  const refused = await runtime.channels.receive('bridge', toRequest({ sender: 'bob', text: 'hi' }))
  expect(refused.body).toBe('denied')
})

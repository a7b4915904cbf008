import { expect, it, vi } from 'vitest'
import { createScriptedModel, type ScriptedResponse } from '../../testing/scripted-model.ts'
import { codeIn, openChannelRuntime } from '../testing/channel-runtime.ts'
import type { TestChannelOptions } from '../testing/test-channel.ts'

const args = { amount: 100, password: 'p4ssw0rd' }
const pay = { toolCalls: [{ name: 'pay', args }] }
const done = { text: 'Done.' }

async function open(
  steps: readonly ScriptedResponse[] = [pay, done],
  channelOptions: TestChannelOptions = {},
  fields: object = {},
) {
  const model = createScriptedModel(steps)
  const call = vi.fn(async () => 'paid')
  const tool = {
    id: 'pay',
    description: 'Pays.',
    inputSchema: { type: 'object' },
    effects: 'external',
    idempotent: false,
    returnsUntrustedContent: false,
    execute: call,
  } as const
  const kit = await openChannelRuntime(channelOptions, { models: { mine: () => model }, tools: [tool] })
  await kit.runtime.agents.update('parrot', { model: 'mine/x', approval_tools: ['pay'], ...fields })
  await kit.runtime.start()
  await kit.allow('ann')
  const last = (chat?: string) => kit.texts(chat).at(-1)
  return {
    ...kit,
    call,
    model,
    last,
    /** Writes, and waits until the call is announced. @returns its code */
    async ask(message: { sender?: string; group?: string; chat?: string } = {}) {
      await kit.write({ text: 'pay', key: `pay ${message.chat}`, sender: 'ann', ...message })
      await kit.until(() => expect(last(message.chat)).toContain('/approve'))
      return codeIn(last(message.chat))
    },
  }
}

it('A20: announces a call once, with buttons and its arguments, and makes it once it is approved', async () => {
  const { ask, write, texts, until, channel, call, runtime } = await open()
  const code = await ask()
  expect(texts()[0]).toContain('"amount": 100')
  expect(texts()[0]).not.toContain('p4ssw0rd')
  expect(channel.sent[0]?.notice?.buttons).toEqual([
    { label: 'Approve', command: `/approve ${code}`, style: 'positive' },
    { label: 'Deny', command: `/deny ${code}`, style: 'negative' },
  ])
  expect(call).not.toHaveBeenCalled()
  await write({ text: `/approve ${code.toLowerCase()}`, sender: 'ann' })
  await until(() => expect(texts()).toHaveLength(3))
  expect(texts().slice(1).toSorted()).toEqual(['*Approved: `pay`*', '*Done.*'])
  expect(call).toHaveBeenCalledOnce()
  const { runs } = await runtime.runs.list()
  expect(runs[0]?.approvals).toMatchObject([{ status: 'approved', decided_by: 'test:ann' }])
  await write({ text: `/deny ${code}`, key: 'late', sender: 'ann' })
  await until(() => expect(texts().at(-1)).toContain('This call has already been decided'))
})

it('A20: denies a call, with a reason for the agent', async () => {
  const { ask, write, texts, until, call, model } = await open()
  const code = await ask()
  await write({ text: `/deny ${code} far too much`, sender: 'ann' })
  await until(() => expect(texts()).toHaveLength(3))
  expect(call).not.toHaveBeenCalled()
  expect(JSON.stringify(model.calls[1]?.prompt)).toContain('far too much')
})

it('A20: replaces the announcement after a press, and answers the press', async () => {
  const answerPress = vi.fn(async () => {})
  const { ask, write, texts, until, channel, call } = await open([pay, done], {
    canReplace: true,
    answerPress,
  })
  const code = await ask()
  const press = { id: 'press 1' }
  await write({ text: `/approve ${code}`, key: 'p1', sender: 'ann', press })
  await write({ text: `/approve ${code}`, key: 'p1', sender: 'ann', press })
  await until(() => expect(texts()).toHaveLength(3))
  expect(channel.sent.find(({ text }) => text.includes('Approved'))?.notice).toEqual({ replaces: 'sent 1' })
  expect(answerPress).toHaveBeenCalledWith(press, '', expect.anything())
  expect(call).toHaveBeenCalledOnce()
})

it.each([
  ['a member of an allowed group', { sender: 'eve', group: 'g1' }],
  ['an allowed person who passes on what somebody else wrote', { sender: 'ann', isQuoted: true }],
])('A20: changes nothing for %s', async (_, who) => {
  const { ask, write, until, call, allow, last, runtime } = await open()
  await allow('g1')
  const code = await ask({ group: 'g1' })
  await write({ text: `/approve ${code}`, ...who })
  await until(() => expect(last()).toContain('You are not allowed to decide'))
  expect(call).not.toHaveBeenCalled()
  expect((await runtime.runs.list()).runs[0]?.approvals[0]?.status).toBe('pending')
})

it('A20: shows no arguments in a group, nor to a person whom only an open channel lets in', async () => {
  const { ask, texts, allow } = await open([pay, pay], { access: 'open', groupAccess: 'allowlist' })
  await allow('g1')
  await ask({ group: 'g1', chat: 'g' })
  await ask({ sender: 'eve', chat: 'e' })
  for (const chat of ['g', 'e']) {
    expect(texts(chat)[0]).toContain('`pay`')
    expect(texts(chat)[0]).not.toContain('amount')
  }
})

it('A20: a code decides in its own chat only', async () => {
  const { ask, write, until, call, last } = await open()
  const code = await ask({ chat: '1' })
  await write({ text: `/approve ${code}`, sender: 'ann', chat: '2' })
  await until(() => expect(last('2')).toContain('No call of this chat has the code'))
  await write({ text: '/approve', sender: 'ann', chat: '1' })
  await until(() => expect(last('1')).toContain('Waiting calls'))
  expect(call).not.toHaveBeenCalled()
})

it('A20: the words with a code of the chat decide in a group, also if they do not mention the agent', async () => {
  const { ask, write, texts, until, allow } = await open()
  await allow('g1')
  const code = await ask({ group: 'g1', chat: 'g' })
  const unnamed = { sender: 'ann', group: 'g1', chat: 'g', isAddressed: false }
  await write({ text: '/approve AAAAAAAA', ...unnamed })
  await write({ text: '/approve', ...unnamed })
  await write({ text: 'what is it?', ...unnamed })
  expect(texts('g')).toHaveLength(1)
  await write({ text: `/approve ${code}`, ...unnamed })
  await until(() => expect(texts('g')).toContain('*Done.*'))
  expect(texts('g')).toHaveLength(3)
})

it('A20: a message while a call waits is answered at once and not kept; commands still work', async () => {
  const { ask, write, texts, until, last, model } = await open([pay, done, { text: 'Hello.' }])
  const code = await ask()
  await write({ text: 'are you there?', sender: 'ann' })
  await until(() => expect(last()).toContain('is not stored'))
  expect(last()).toContain('`pay`')
  await write({ text: '/status', sender: 'ann' })
  await until(() => expect(last()).toContain('waiting for an approval'))
  await write({ text: `/approve ${code}`, sender: 'ann' })
  await until(() => expect(texts()).toContain('*Done.*'))
  await write({ text: 'hello', sender: 'ann' })
  await until(() => expect(last()).toBe('*Hello.*'))
  expect(model.calls).toHaveLength(3)
})

it('A20: tells the chat that a call was denied because nobody decided in time', async () => {
  const { ask, texts, until } = await open([pay, done], {}, { approval_timeout: 1 })
  await ask()
  await until(() => expect(texts()).toHaveLength(3))
  expect(texts()).toContain('*Denied, because nobody decided in time: `pay`*')
  expect(texts()).toContain('*Done.*')
})

it('A20: tells the chat of a decision that was made elsewhere, and of a task that was stopped', async () => {
  const { ask, write, texts, until, runtime } = await open([pay, done, pay])
  await ask()
  const [run] = (await runtime.runs.list()).runs
  const approvalId = run?.approvals[0]?.id ?? ''
  await runtime.runs.decideApproval(run?.id ?? '', approvalId, { decision: 'respond', text: 'Paid.' })
  await until(() => expect(texts()).toContain('*Answered by a person in place of `pay`*'))
  await until(() => expect(texts()).toContain('*Done.*'))
  await write({ text: 'pay again', sender: 'ann' })
  await until(() => expect(texts().at(-1)).toContain('/approve'))
  await write({ text: '/stop', sender: 'ann' })
  await until(() => expect(texts()).toContain('*Denied: `pay`*'))
})

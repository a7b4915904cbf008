import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createScriptedModel } from '../../testing/scripted-model.ts'
import { openChannelRuntime } from '../testing/channel-runtime.ts'
import { findCommand } from './commands.ts'
import { parseDecision } from './decide-command.ts'

it.each(['/new', ' /STOP ', '/status', '/help'])('A1: %j is a command', (text) => {
  expect(findCommand(text)).toBeDefined()
})

it.each(['/start', '/new car', 'new', '/', '//new', '/toString', '/constructor', 'please /stop'])(
  'A1: %j goes to the agent',
  (text) => expect(findCommand(text)).toBeUndefined(),
)

it.each([
  ['ABCD2345', 'ABCD2345'],
  ['abcd-2345', 'ABCD2345'],
  ['abcd–2345', 'ABCD2345'],
  ['ABCD\u22122345.', 'ABCD2345'],
  ['“ABCD 2345”', 'ABCD2345'],
  ['A\u200bB\u00adCD\u202f2345\u200b', 'ABCD2345'],
  ['ＡＢＣＤ２３４５', 'ABCD2345'],
  ['abcdefgo', 'ABCDEFGO'], // mistyped: the person reads that no call has this code
])('A20: /approve %s means the code %s', (typed, code) => {
  expect(parseDecision(`/approve ${typed}`)).toEqual({ decision: 'approve', code, reason: undefined })
  const denied = { decision: 'deny', code, reason: 'far too much' }
  expect(parseDecision(`/deny\u00a0${typed} — far too much`)).toEqual(denied)
})

it.each(['/approve the plan', '/deny everything about it', '/approve ABCD2345 thanks', '/deny ABCD–23456'])(
  'A20: %j goes to the agent',
  (text) => expect(parseDecision(text)).toBeUndefined(),
)

it('A1: answers a command of an allowed person without a model, and no command of a stranger', async () => {
  const model = createScriptedModel([])
  const { runtime, write, allow, texts, until } = await openChannelRuntime(
    {},
    { models: { mine: () => model } },
  )
  await runtime.agents.update('parrot', { model: 'mine/x' })
  await write({ text: '/help' })
  await until(() => expect(texts()).toHaveLength(1))
  expect(texts()[0]).toContain('To use this agent')
  await allow('somebody')
  await write({ text: '/help', key: 'again' })
  await write({ text: '/status' })
  await until(() => expect(texts()).toHaveLength(4))
  expect(texts()[2]).toMatch(/\/new.*\/stop.*\/status.*\/help/s)
  expect(texts()[3]).toMatch(/Agent: parrot[^]*Now: idle/)
  expect((await runtime.tasks.list()).tasks).toEqual([])
})

it('A1: /new begins a conversation that knows nothing of the one before, over a restart too', async () => {
  const home = mkdtempSync(join(tmpdir(), 'homeward-commands-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const prompts: string[] = []
  const open = async () => {
    const model = createScriptedModel(
      Array.from({ length: 9 }, () => ({ prompt }: { readonly prompt: unknown }) => {
        prompts.push(JSON.stringify(prompt))
        return { text: 'ok' }
      }),
    )
    const opened = await openChannelRuntime({ access: 'open' }, { home, models: { mine: () => model } })
    await opened.runtime.agents.update('parrot', { model: 'mine/x' })
    return opened
  }
  const one = await open()
  await one.write({ text: 'my word is walnut', key: '1' })
  await one.until(() => expect(one.texts()).toHaveLength(1))
  await one.write({ text: 'still there?', key: '2' })
  await one.until(() => expect(one.texts()).toHaveLength(2))
  expect(prompts[1]).toContain('walnut')
  await one.write({ text: '/new', key: '3' })
  await one.until(() => expect(one.texts()).toHaveLength(3))
  await one.runtime.close()
  const two = await open()
  await two.write({ text: 'what is my word?', key: '4' })
  await two.write({ text: '/new', key: '3' }) // the platform sends it again
  await two.until(() => expect(two.texts()).toHaveLength(1))
  expect(prompts[2]).not.toContain('walnut')
  await two.write({ text: 'and now?', key: '5' })
  await two.until(() => expect(two.texts()).toHaveLength(2))
  expect(prompts[3]).toContain('what is my word?')
  const { conversations } = await two.runtime.conversations.list()
  expect(conversations.map(({ message_count }) => message_count)).toEqual([4, 4])
})

it('A1: /stop ends the current task at once, once, and the next message is answered', async () => {
  const model = createScriptedModel([{ hang: true }, { text: 'second' }, { text: 'third' }])
  const { runtime, write, texts, until } = await openChannelRuntime(
    { access: 'open' },
    { models: { mine: () => model } },
  )
  await runtime.agents.update('parrot', { model: 'mine/x' })
  await write({ text: 'work for ever' })
  await until(async () => expect((await runtime.tasks.list()).tasks[0]?.status).toBe('running'))
  await write({ text: 'next' })
  await write({ text: '/status' })
  await until(() => expect(texts()).toHaveLength(1))
  expect(texts()[0]).toContain('working on a task, messages waiting: 1')
  await Promise.all([write({ text: '/stop', key: 'stop' }), write({ text: '/stop', key: 'stop' })])
  await until(() => expect(texts()).toHaveLength(4))
  expect(texts().filter((text) => text.includes('Stopping the current task'))).toHaveLength(1)
  expect(texts().filter((text) => text.includes('The task was stopped'))).toHaveLength(1)
  expect(texts().at(-1)).toBe('*second*')
  await write({ text: '/stop', key: 'nothing' })
  await until(() => expect(texts()).toHaveLength(5))
  expect(texts()[4]).toContain('Nothing is running')
})

it('A1: /stop of a call that waits for a person lets the chat go on', async () => {
  const model = createScriptedModel([{ toolCalls: [{ name: 'time' }] }, { text: 'second' }])
  const { runtime, write, texts, until } = await openChannelRuntime(
    { access: 'open' },
    { models: { mine: () => model } },
  )
  await runtime.agents.update('parrot', { model: 'mine/x', approval_tools: ['time'] })
  await write({ text: 'what time is it?' })
  await until(async () => expect((await runtime.runs.list({})).runs[0]?.status).toBe('waiting'))
  await write({ text: '/stop' })
  await write({ text: 'next' })
  await until(() => expect(texts()).toContain('*second*'))
  await until(async () => {
    const { runs } = await runtime.runs.list({})
    expect(runs.map(({ status }) => status).toSorted()).toEqual(['cancelled', 'completed'])
  })
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createRuntime } from '../runtime/create-runtime.ts'
import { createTestStore } from '../testing/create-test-store.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { RuntimeOptions } from '../runtime/runtime-options.ts'
import type { AgentRuntime } from '../runtime/runtime.ts'
import { createSqliteStore } from '../store/sqlite/create-sqlite-store.ts'
import { createScriptedModel } from '../testing/scripted-model.ts'
import { ChannelError } from './channel-error.ts'
import type { TestChannelOptions } from './testing/test-channel.ts'
import { createTestChannel, toInbound, toRequest } from './testing/test-channel.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

const files = () => {
  const home = mkdtempSync(join(tmpdir(), 'homeward-channels-'))
  cleanups.push(async () => rmSync(home, { recursive: true, force: true }))
  return createSqliteStore({ path: join(home, 'agents.db') })
}

async function open(
  channelOptions: TestChannelOptions = {},
  options: RuntimeOptions = {},
  store: RuntimeStore = createTestStore(),
) {
  const channel = createTestChannel({ agentId: 'parrot', ...channelOptions })
  const runtime = createRuntime({ store, environment: {}, channels: [channel], ...options })
  cleanups.push(() => runtime.close())
  await runtime.agents.create({ id: 'parrot', model: 'test/echo' }).catch(() => {})
  return { channel, runtime, store }
}

const messagesOf = async (runtime: AgentRuntime) => (await runtime.channels.messages('test')).messages
const statusesOf = async (runtime: AgentRuntime) => (await messagesOf(runtime)).map(({ status }) => status)
const typesOf = async (runtime: AgentRuntime) =>
  (await runtime.logs.list({ limit: 500 }))
    .map(({ type }) => type)
    .filter((type) => type.startsWith('channel.'))
/** Waits for what work in the background does; looks again when something was written. */
const until = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 5 })

describe.each([
  ['in memory', createTestStore],
  ['on SQLite', files],
])('channels %s', (_, create) => {
  it('A1: answers a message once, whatever comes again', async () => {
    const { channel, runtime } = await open({}, {}, create())
    const replies = await Promise.all(
      Array.from({ length: 5 }, () =>
        runtime.channels.receive('test', toRequest({ key: 'a', text: 'Hello' })),
      ),
    )
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    await until(async () => expect(await statusesOf(runtime)).toEqual(['delivered']))
    await runtime.channels.receive('test', toRequest({ key: 'a', text: 'Hello' }))
    expect(channel.sent.map(({ text }) => text)).toEqual(['*Hello*'])
    expect(await typesOf(runtime)).toEqual(['channel.message', 'channel.reply'])
    expect((await messagesOf(runtime))[0]).toMatchObject({
      conversation_id: 'test:1',
      parts: { total: 1, sent: 1 },
      text: 'Hello',
    })
  })

  it.each([
    [['x', 'y'], ['y']],
    [['y'], ['x', 'y']],
  ])('A1: two events of one message are one, in either order (%j, %j)', async (first, second) => {
    const { channel, runtime } = await open({}, {}, create())
    await runtime.channels.receive('test', toRequest({ keys: first, text: 'Hello' }))
    await runtime.channels.receive('test', toRequest({ keys: second, text: 'Hello' }))
    await until(async () => expect(await statusesOf(runtime)).toEqual(['delivered']))
    expect(channel.sent).toHaveLength(1)
  })

  it('A1: answers of a conversation go out in the order of its messages, and the agent knows the ones before', async () => {
    const model = createScriptedModel(
      Array.from(
        { length: 6 },
        () =>
          ({ prompt }: { readonly prompt: readonly { readonly role: string }[] }) => ({
            text: `${prompt.filter(({ role }) => role === 'user').length}`,
          }),
      ),
    )
    const { channel, runtime } = await open(
      {},
      { models: { script: () => model }, workers: { perAgent: 9 } },
      create(),
    )
    await runtime.agents.update('parrot', { model: 'script/x' })
    for (let number = 1; number <= 6; number += 1) {
      await runtime.channels.receive('test', toRequest({ text: `m${number}` }))
    }
    await until(() => expect(channel.sent).toHaveLength(6))
    expect(channel.sent.map(({ text }) => text)).toEqual(['*1*', '*2*', '*3*', '*4*', '*5*', '*6*'])
  })

  it('A1: a send that hangs holds up its own conversation only', async () => {
    const { promise: stuck, resolve } = Promise.withResolvers<void>()
    const { channel, runtime } = await open(
      { onSend: ({ text }) => (text === '*first*' ? stuck : Promise.resolve()) },
      {},
      create(),
    )
    await runtime.channels.receive('test', toRequest({ text: 'first' }))
    await runtime.channels.receive('test', toRequest({ text: 'second' }))
    for (const chat of ['2', '3', '4']) {
      await runtime.channels.receive('test', toRequest({ chat, text: `chat ${chat}` }))
    }
    await until(() => expect(channel.sent).toHaveLength(3))
    expect(channel.sent.map(({ chat }) => chat).toSorted()).toEqual(['2', '3', '4'])
    resolve()
    await until(() => expect(channel.sent).toHaveLength(5))
    expect(channel.sent.filter(({ chat }) => chat === '1').map(({ text }) => text)).toEqual([
      '*first*',
      '*second*',
    ])
  })

  it('A1: a run that fails is answered with a short apology that tells nothing from inside', async () => {
    const { channel, runtime } = await open(
      {},
      { models: { broken: () => Promise.reject(new Error('sk-secret')) } },
      create(),
    )
    await runtime.agents.update('parrot', { model: 'broken/x' })
    await runtime.channels.receive('test', toRequest({ text: 'Hello' }))
    await until(() => expect(channel.sent).toHaveLength(1))
    expect(channel.sent[0]?.text).toMatch(/^\*Sorry, something went wrong/)
    expect(channel.sent[0]?.text).not.toContain('sk-secret')
  })

  it('A1: a person decides about an answer of which nobody can tell whether it arrived', async () => {
    let sends = 0
    const { channel, runtime } = await open(
      {
        maxText: 4,
        async onSend() {
          sends += 1
          if (sends === 2) throw new ChannelError('uncertain', 'The connection broke.')
        },
      },
      {},
      create(),
    )
    await runtime.channels.receive('test', toRequest({ text: 'One two three' }))
    await until(async () => expect(await statusesOf(runtime)).toEqual(['uncertain']))
    const [message] = await messagesOf(runtime)
    expect(message).toMatchObject({ parts: { total: 4, sent: 1 }, failure: { code: 'uncertain' } })
    expect(await runtime.channels.status('test')).toMatchObject({ messages: { uncertain: 1 } })
    expect(await typesOf(runtime)).toEqual(['channel.message', 'channel.failed'])
    await runtime.channels.resolve('test', message?.id ?? '', 'resend')
    await until(async () => expect(await statusesOf(runtime)).toEqual(['delivered']))
    expect(channel.sent.map(({ text }) => text)).toEqual(['*One *', '*two *', '*thre*', '*e*'])
    await expect(runtime.channels.resolve('test', message?.id ?? '', 'discard')).rejects.toMatchObject({
      code: 'conflict',
    })
    await expect(runtime.channels.resolve('test', 'nothing', 'discard')).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('A1: two processes over one store answer once', async () => {
    const store = create()
    const { channel, runtime } = await open({}, {}, { ...store, close: async () => {} })
    const second = createRuntime({ store, environment: {}, channels: [channel] })
    cleanups.push(() => second.close())
    await Promise.all([runtime.start(), second.start()])
    await Promise.all(
      Array.from({ length: 12 }, (_unused, index) =>
        (index % 2 === 0 ? runtime : second).channels.receive(
          'test',
          toRequest({ key: `k${index % 6}`, chat: `${index % 3}`, text: `m${index % 6}` }),
        ),
      ),
    )
    await until(async () =>
      expect((await statusesOf(runtime)).every((one) => one === 'delivered')).toBe(true),
    )
    expect(channel.sent.map(({ text }) => text).toSorted()).toEqual([0, 1, 2, 3, 4, 5].map((n) => `*m${n}*`))
  })
})

it('A1: sends as a platform says: plain when it refuses the format, later when it is too much', async () => {
  const texts: string[] = []
  const { channel, runtime } = await open({
    async onSend({ text }) {
      texts.push(text)
      if (texts.length === 1) throw new ChannelError('rate_limited', 'Slow down.', { retryAfterMs: 1 })
      if (text.startsWith('*')) throw new ChannelError('format', 'No formats.')
    },
  })
  await runtime.channels.receive('test', toRequest({ text: 'Hello' }))
  await until(async () => expect(await statusesOf(runtime)).toEqual(['delivered']))
  expect(texts).toEqual(['*Hello*', '*Hello*', 'Hello'])
  expect(channel.sent.map(({ text }) => text)).toEqual(['Hello'])
})

it('A1: tries an answer again at the time that its back-off says, and not before', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
  cleanups.push(async () => vi.useRealTimers())
  const startedAt = Date.now()
  const triedAt: number[] = []
  const { runtime } = await open(
    {
      async onSend() {
        triedAt.push(Date.now() - startedAt)
        if (triedAt.length <= 3) throw new ChannelError('temporary', 'Not now.')
      },
    },
    { random: () => 0 },
  )
  await runtime.channels.receive('test', toRequest({ text: 'Hello' }))
  for (let step = 0; step < 100; step += 1) await vi.advanceTimersByTimeAsync(100)
  expect(await statusesOf(runtime)).toEqual(['delivered'])
  expect(triedAt).toHaveLength(4)
  const waits = triedAt.slice(1).map((time, index) => time - (triedAt[index] ?? 0))
  // found by looking once a second at the most
  for (const [index, least] of [1000, 2000, 4000].entries()) {
    expect(waits[index]).toBeGreaterThanOrEqual(least)
    expect(waits[index]).toBeLessThanOrEqual(least + 1100)
  }
})

it.each(['auth', 'gone', 'too_long', 'expired', 'permanent'] as const)(
  'A1: an answer that the platform refuses for good (%s) has failed, and what waits there is taken away',
  async (code) => {
    const giveUp = vi.fn(async () => {})
    const { runtime } = await open({
      giveUp,
      onSend: async () => {
        throw new ChannelError(code, 'Refused.')
      },
    })
    await runtime.channels.receive('test', toRequest({ text: 'Hello' }))
    await until(async () => expect(await statusesOf(runtime)).toEqual(['failed']))
    await until(() => expect(giveUp).toHaveBeenCalledOnce())
    expect((await messagesOf(runtime))[0]?.failure).toEqual({ code, message: 'Refused.' })
  },
)

it('A1: what a channel throws that is no error of a channel may have arrived', async () => {
  const { runtime } = await open({
    onSend: async () => {
      throw new TypeError('a mistake in the channel with a token')
    },
  })
  await runtime.channels.receive('test', toRequest({ text: 'Hello' }))
  await until(async () => expect(await statusesOf(runtime)).toEqual(['uncertain']))
  expect(JSON.stringify(await messagesOf(runtime))).not.toContain('token')
})

it('A1: without an agent a message is acknowledged and nothing runs', async () => {
  const channel = createTestChannel({ refusal: { status: 200, body: 'nobody is here' } })
  const runtime = createRuntime({ environment: {}, channels: [channel] })
  cleanups.push(() => runtime.close())
  expect(await runtime.channels.receive('test', toRequest({ text: 'Hello' }))).toEqual({
    status: 200,
    body: 'nobody is here',
  })
  expect(await typesOf(runtime)).toEqual(['channel.failed'])
  expect((await runtime.tasks.list()).tasks).toEqual([])
  const status = await runtime.channels.status('test')
  expect(status).toMatchObject({ ok: false })
  expect(status.warnings[0]).toContain('No agent answers here')
})

it('A1: a message that is not for the agent claims no key', async () => {
  const { channel, runtime } = await open()
  const receive = (message: Parameters<typeof toRequest>[0]) =>
    runtime.channels.receive('test', toRequest(message))
  await receive({ key: 'a', text: 'Hello', isAddressed: false })
  await receive({ key: 'b', text: ' ' })
  expect(await messagesOf(runtime)).toEqual([])
  await receive({ key: 'c', text: 'Again', isAddressed: false, isFollowUp: true })
  expect(await messagesOf(runtime)).toEqual([])
  await receive({ key: 'a', text: 'Hello' })
  await receive({ key: 'c', text: 'Again', isAddressed: false, isFollowUp: true })
  await until(() => expect(channel.sent.map(({ text }) => text)).toEqual(['*Hello*', '*Again*']))
})

it('A1: a message that cannot be kept is not acknowledged', async () => {
  const store = createTestStore()
  let isBroken = true
  const acceptMessages: RuntimeStore['acceptMessages'] = async (batch, signal) => {
    if (isBroken) throw new RuntimeError('storage_error', 'The disk is full.')
    return store.acceptMessages(batch, signal)
  }
  const { channel, runtime } = await open({}, {}, { ...store, acceptMessages })
  const receive = () => runtime.channels.receive('test', toRequest({ key: 'a', text: 'Hello' }))
  await expect(receive()).rejects.toMatchObject({ code: 'storage_error' })
  isBroken = false
  expect(await receive()).toMatchObject({ status: 200 })
  await until(() => expect(channel.sent).toHaveLength(1))
})

it('A1: asks a platform for messages, one process at a time, and goes on behind what was kept', async () => {
  const store = createTestStore()
  const asked: (number | undefined)[] = []
  const poll: TestChannelOptions['poll'] = async ({ offset, signal, accept }) => {
    asked.push(offset)
    if (offset === undefined) {
      await accept(
        [toInbound('test', { text: 'one' }), toInbound('test', { text: 'not', isAddressed: false })],
        8,
      )
    }
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  }
  const { channel, runtime } = await open({ poll }, {}, { ...store, close: async () => {} })
  await runtime.start()
  await until(() => expect(channel.sent.map(({ text }) => text)).toEqual(['*one*']))
  const second = createRuntime({ store, environment: {}, channels: [channel], leaseMs: 1000 })
  cleanups.push(() => second.close())
  await second.start()
  await second.channels.status('test')
  expect(asked).toEqual([undefined])
  await runtime.close()
  await until(() => expect(asked).toEqual([undefined, 8]))
})

it('A1: shows that an answer is being written while the task runs, and no longer', async () => {
  const { promise: answer, resolve } = Promise.withResolvers<void>()
  const typed: AbortSignal[] = []
  const model = createScriptedModel([{ gate: () => answer, text: 'Done' }])
  const { channel, runtime } = await open(
    { typing: async (_, signal) => void typed.push(signal) },
    { models: { script: () => model } },
  )
  await runtime.agents.update('parrot', { model: 'script/x' })
  await runtime.channels.receive('test', toRequest({ text: 'Hello' }))
  await until(() => expect(typed).toHaveLength(1))
  expect(channel.sent).toEqual([])
  resolve()
  await until(() => expect(channel.sent.map(({ text }) => text)).toEqual(['*Done*']))
  expect(typed[0]?.aborted).toBe(true)
})

it('A1: knows channels of the host and those of the interface by both names, and no others', async () => {
  const { runtime } = await open()
  expect(await runtime.channels.status('test', { probe: true })).toMatchObject({
    channel: 'test',
    configured: true,
    ok: true,
    identity: 'test bot',
    probed: true,
  })
  for (const name of ['channel_a', 'telegram']) {
    expect(await runtime.channels.status(name)).toMatchObject({
      channel: 'channel_a',
      platform: 'telegram',
      configured: false,
      missing: ['channel_a_bot_token'],
      mode: 'none',
    })
  }
  await expect(runtime.channels.status('nothing')).rejects.toMatchObject({ code: 'not_found' })
  await expect(runtime.channels.receive('channel_b', toRequest({ text: 'x' }))).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(runtime.channels.setWebhook('telegram', 'https://a.example')).rejects.toMatchObject({
    code: 'conflict',
  })
  await expect(runtime.channels.setWebhook('test', 'https://a.example')).rejects.toMatchObject({
    code: 'not_found',
  })
})

it('A1: another agent begins another conversation', async () => {
  const { channel, runtime } = await open()
  await runtime.agents.create({ id: 'second', model: 'test/echo' })
  await runtime.channels.receive('test', toRequest({ text: 'one' }))
  await until(() => expect(channel.sent).toHaveLength(1))
  Object.assign(channel, { defaultAgentId: 'second' })
  await runtime.settings.update({ openai_api_key: 'sk-any' })
  await runtime.channels.receive('test', toRequest({ text: 'two' }))
  await until(() => expect(channel.sent.map(({ text }) => text)).toEqual(['*one*', '*two*']))
  const { conversations } = await runtime.conversations.list()
  expect(conversations.map(({ agent_id }) => agent_id).toSorted()).toEqual(['parrot', 'second'])
})

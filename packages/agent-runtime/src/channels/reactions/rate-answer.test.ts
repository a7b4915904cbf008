import { expect, it, onTestFinished, vi } from 'vitest'
import type { Channel, ChannelContext } from '../../ports/channel.ts'
import { createRuntime } from '../../runtime/create-runtime.ts'
import { createBridgeChannel } from '../bridge/create-bridge-channel.ts'
import { createSlackChannel } from '../slack/create-slack-channel.ts'
import { createTelegramChannel } from '../telegram/create-telegram-channel.ts'
import { channelContext, fixture, webhookRequest } from '../testing/platform-kit.ts'

/** A runtime with one platform, whose messages get the id `sent`. */
async function open(create: (context: ChannelContext) => Channel, sent: object) {
  const posts: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname } = new URL(new Request(input, init).url)
    posts.push(pathname.split('/').at(-1) ?? '')
    return Response.json(sent)
  }
  const channel = create(channelContext({ fetch, verify: 'off' }))
  const { id } = channel
  const runtime = createRuntime({ environment: {}, channels: [{ ...channel, defaultAgentId: 'parrot' }] })
  onTestFinished(() => runtime.close())
  await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
  const receive = (body: object) => runtime.channels.receive(id, webhookRequest(body))
  return {
    runtime,
    receive,
    allow: (sender: string) => runtime.channels.setSender(id, sender, { status: 'allowed' }),
    /** Has the agent answer a message. @returns the id of its run */
    async answer(message: object) {
      await receive(message)
      const isSent = async () => (await runtime.channels.messages(id)).messages[0]?.status === 'delivered'
      await vi.waitFor(async () => expect(await isSent()).toBe(true), { timeout: 30_000, interval: 5 })
      return (await runtime.runs.list()).runs[0]!.id
    },
    /** Posts a body. @returns what feedback the run has then */
    async react(runId: string, body: object) {
      expect(await receive(body)).toMatchObject({ status: 200 })
      return (await runtime.feedback.list([runId])).map(({ rating, user_id: user }) => `${rating} ${user}`)
    },
  }
}

const thumb = (emoji: string) => ({ type: 'emoji', emoji })
let updates = 900_000_100
const ann = { id: 100_000_001, is_bot: false, first_name: 'Ann' }
const toTelegram = (before: string[], after: string[], changes: object = {}) => ({
  update_id: (updates += 1),
  message_reaction: {
    chat: { id: ann.id, type: 'private', first_name: 'Ann' },
    message_id: 55,
    user: ann,
    date: 1_767_225_700,
    old_reaction: before.map(thumb),
    new_reaction: after.map(thumb),
    ...changes,
  },
})

const openTelegram = () =>
  open((context) => createTelegramChannel({ channel_a_bot_token: '200000002:AAHq3v-testTOKEN' }, context), {
    ok: true,
    result: { message_id: 55 },
  })

it('takes thumbs in Telegram as feedback of the person on the run', async () => {
  const { runtime, allow, answer, react } = await openTelegram()
  await allow('100000001')
  const run = await answer(fixture('telegram-message-private.json'))
  const { user_id: user } = (await runtime.runs.find(run))!
  expect(await react(run, toTelegram([], ['👍']))).toEqual([`up ${user}`])
  expect(await react(run, toTelegram(['👍'], ['🔥', '👎🏽']))).toEqual([`down ${user}`])
  expect((await runtime.runs.list({ feedback: { rating: 'down' } })).runs).toHaveLength(1)
  // an old update that comes late takes nothing else away
  expect(await react(run, toTelegram(['👍'], []))).toEqual([`down ${user}`])
  expect(await react(run, toTelegram(['👎'], ['🔥']))).toEqual([])

  await runtime.feedback.set(run, { rating: 'up', comment: 'Short.' }, { userId: user })
  await react(run, toTelegram([], ['👍']))
  expect(await runtime.feedback.list([run])).toMatchObject([{ rating: 'up', comment: 'Short.' }])
})

it('ignores reactions to other messages, in other chats, and of people who may not write', async () => {
  const { runtime, allow, answer, react } = await openTelegram()
  await allow('100000001')
  const run = await answer(fixture('telegram-message-private.json'))
  const eve = { ...ann, id: 7 }
  const others = [
    toTelegram([], ['👍'], { message_id: 56 }),
    toTelegram([], ['👍'], { chat: { id: -5, type: 'group' } }),
    toTelegram([], ['👍'], { user: eve }),
    toTelegram([], ['👍'], { user: { ...ann, is_bot: true } }),
    toTelegram([], ['👍'], { user: undefined, actor_chat: { id: -5 } }),
    toTelegram([], ['🔥']),
  ]
  for (const update of others) expect(await react(run, update)).toEqual([])
  await runtime.channels.setSender('channel_a', '100000001', { status: 'blocked' })
  expect(await react(run, toTelegram([], ['👍']))).toEqual([])
  expect((await runtime.channels.senders('channel_a')).map(({ id }) => id)).toEqual(['100000001'])
})

it('gets reactions in Telegram by polling, too', async () => {
  const replies: Record<string, unknown> = {
    getWebhookInfo: { url: '' },
    getUpdates: [{ ...fixture('telegram-message-private.json'), update_id: 1 }, toTelegram([], ['👎'])],
  }
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const method = new URL(new Request(input, init).url).pathname.split('/').at(-1) ?? ''
    return Response.json({ ok: true, result: replies[method] })
  }
  const settings = { channel_a_bot_token: '200000002:AAHq3v-testTOKEN' }
  const channel = createTelegramChannel(settings, channelContext({ fetch }))
  const stop = new AbortController()
  type Accept = Parameters<NonNullable<Channel['poll']>>[0]['accept']
  const accept = vi.fn<Accept>().mockImplementation(async () => stop.abort())
  await channel.poll?.({ offset: undefined, signal: stop.signal, accept })
  const [messages, , reactions] = accept.mock.calls[0]!
  expect(messages).toHaveLength(1)
  expect(reactions).toEqual([
    {
      messageId: '55',
      target: { chat_id: ann.id },
      sender: { id: '100000001', name: 'Ann' },
      rating: 'down',
      isRemoved: false,
    },
  ])
})

it('takes thumbs in Slack as feedback of each person of the channel', async () => {
  const { allow, answer, react } = await open(
    (context) =>
      createSlackChannel({ channel_b_bot_token: 'xoxb-1', channel_b_signing_secret: 's' }, context),
    { ok: true, ts: '1767225601.000200', channel: 'C0CHAN0001' },
  )
  const mention = fixture('slack-app-mention.json') as { event: { channel: string; user: string } }
  await allow(mention.event.channel)
  const run = await answer(mention)
  const event = (type: string, reaction: string, user: string, ts = '1767225601.000200') => ({
    ...mention,
    event: { type, user, reaction, item: { type: 'message', channel: mention.event.channel, ts } },
  })
  expect(await react(run, event('reaction_added', '+1::skin-tone-3', 'U1'))).toEqual(['up slack:U1'])
  expect(await react(run, event('reaction_added', 'eyes', 'U2'))).toHaveLength(1)
  expect(await react(run, event('reaction_added', 'thumbsdown', 'U2', '1.2'))).toHaveLength(1)
  expect(await react(run, event('reaction_added', 'thumbsdown', 'U2'))).toEqual([
    'up slack:U1',
    'down slack:U2',
  ])
  expect(await react(run, event('reaction_removed', '+1', 'U1'))).toEqual(['down slack:U2'])
})

it('takes thumbs in Signal as feedback', async () => {
  const { allow, answer, react } = await open(
    (context) => createBridgeChannel({ channel_d_bridge_url: 'http://127.0.0.1:1/v2' }, context),
    { timestamp: '1767225599000' },
  )
  await allow('+15550101')
  const run = await answer(fixture('bridge-signal-message-dm.json'))
  const added = fixture('bridge-signal-reaction.json')
  const removed = JSON.parse(JSON.stringify(added).replace('"isRemove":false', '"isRemove":true')) as object
  const ofOther = JSON.parse(
    JSON.stringify(added).replace('"targetAuthor":"+15550100"', '"targetAuthor":"+1"'),
  ) as object
  expect(await react(run, ofOther)).toEqual([])
  expect(await react(run, added)).toEqual(['up bridge:+15550101'])
  expect(await react(run, removed)).toEqual([])
})

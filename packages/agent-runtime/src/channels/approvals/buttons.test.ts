import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Channel, ChannelContext, NoticeOptions, ReplyTarget } from '../../ports/channel.ts'
import { createDiscordChannel } from '../discord/create-discord-channel.ts'
import { createSlackChannel } from '../slack/create-slack-channel.ts'
import { createTelegramChannel } from '../telegram/create-telegram-channel.ts'
import { addressOf, channelContext, fixture, webhookRequest } from '../testing/platform-kit.ts'
import { createViberChannel } from '../viber/create-viber-channel.ts'

const buttons = [
  { label: 'Approve', command: '/approve ABCD2345', style: 'positive' },
  { label: 'Deny', command: '/deny ABCD2345', style: 'negative' },
] as const
const part = { text: 'Pay?', plain: 'Pay?' }
const now = () => 1_767_225_600_000
const slackSecret = 'test-signing-secret-0123456789abcdef'

/** A platform that gives these replies in turn; notes what it gets. */
function platform(...replies: readonly [number, object][]) {
  const calls: { readonly method: string; readonly path: string; readonly body: unknown }[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const [status, reply] = replies[calls.length] ?? [200, { ok: true, result: {} }]
    const request = new Request(input, init)
    const body: unknown = JSON.parse((await request.text()) || 'null')
    calls.push({ method: request.method, path: new URL(addressOf(request)).pathname, body })
    return Response.json(reply, { status })
  }
  return { calls, context: channelContext({ fetch, verify: 'off', now }) }
}

const telegram = (context: ChannelContext) =>
  createTelegramChannel({ channel_a_bot_token: '200000002:AAHq3v-testTOKEN' }, context)
const slack = (context: ChannelContext) =>
  createSlackChannel({ channel_b_bot_token: 'token-1', channel_b_signing_secret: slackSecret }, context)
const discord = (context: ChannelContext) =>
  createDiscordChannel({ channel_c_bot_token: 'token-2', channel_c_public_key: 'a'.repeat(64) }, context)

const send = (channel: Channel, target: ReplyTarget, notice: NoticeOptions, index = 0) =>
  channel.send(target, part, {
    signal: new AbortController().signal,
    index,
    idempotencyKey: 'n1:0',
    notice,
  })

describe('Telegram', () => {
  const chat = { data: { chat_id: 7 } }
  const sent = { ok: true, result: { message_id: 55 } }

  it('shows buttons as an inline keyboard', async () => {
    const { calls, context } = platform([200, sent])
    expect(await send(telegram(context), chat, { buttons })).toEqual({ id: '55' })
    expect(calls[0]?.body).toMatchObject({
      reply_markup: {
        inline_keyboard: [
          [
            { text: 'Approve', callback_data: '/approve ABCD2345' },
            { text: 'Deny', callback_data: '/deny ABCD2345' },
          ],
        ],
      },
    })
  })

  it('makes the command of a press, in the chat of the message', async () => {
    const { context } = platform()
    const press = {
      id: '987654321',
      from: { id: 42, is_bot: false, first_name: 'Ann' },
      message: { message_id: 55, chat: { id: -5, type: 'supergroup', title: 'Team' }, date: 1, text: 'Pay?' },
      chat_instance: 'x',
      data: '/approve ABCD2345',
    }
    const update = { update_id: 9, callback_query: press }
    expect(await telegram(context).receive(webhookRequest(update))).toMatchObject({
      kind: 'message',
      reply: { status: 200 },
      message: {
        dedupeKeys: ['channel_a:200000002:9'],
        conversationId: 'channel_a:-5',
        text: '/approve ABCD2345',
        sender: { id: '42', name: 'Ann' },
        group: { id: '-5', name: 'Team' },
        press: { id: '987654321' },
      },
    })
  })

  it('replaces the message, and answers the press', async () => {
    const { calls, context } = platform([200, { ok: true, result: true }], [200, { ok: true, result: true }])
    expect(await send(telegram(context), chat, { replaces: '55' })).toEqual({ id: '55' })
    await telegram(context).answerPress?.({ id: '1' }, 'You may `not`', new AbortController().signal)
    expect(calls.map(({ path }) => path.split('/').at(-1))).toEqual([
      'editMessageText',
      'answerCallbackQuery',
    ])
    expect(calls[0]?.body).toMatchObject({ chat_id: 7, message_id: 55, text: 'Pay?' })
    expect(calls[1]?.body).toEqual({ callback_query_id: '1', text: 'You may not', show_alert: true })
  })

  it.each([
    ['message is not modified', 1],
    ["message can't be edited", 2],
  ])('after "%s" makes %d call(s)', async (description, count) => {
    const refusal = { ok: false, error_code: 400, description: `Bad Request: ${description}` }
    const { calls, context } = platform([400, refusal], [200, sent])
    await send(telegram(context), chat, { replaces: '55' })
    expect(calls).toHaveLength(count)
  })
})

describe('Slack', () => {
  const target = { data: { channel: 'C0CHAN0001', thread_ts: '1767225600.000100' } }
  const payload = {
    type: 'block_actions',
    user: { id: 'U0USER0001', username: 'ann', name: 'ann', team_id: 'T0TEAM0001' },
    team: { id: 'T0TEAM0001', domain: 'home' },
    channel: { id: 'C0CHAN0001', name: 'general' },
    message: { type: 'message', ts: '1767225601.000200', thread_ts: '1767225600.000100' },
    actions: [
      { type: 'button', action_id: 'homeward_0', action_ts: '1767225602.1', value: '/approve ABCD2345' },
    ],
  }

  it('shows buttons as blocks, and replaces the message', async () => {
    const { calls, context } = platform([200, { ok: true, ts: '1.2' }], [200, { ok: true, ts: '1.2' }])
    expect(await send(slack(context), target, { buttons })).toEqual({ id: '1.2' })
    expect(calls[0]?.body).toMatchObject({
      text: 'Pay?',
      thread_ts: '1767225600.000100',
      blocks: [
        { type: 'section', text: { type: 'mrkdwn', text: 'Pay?' } },
        {
          type: 'actions',
          elements: [
            { type: 'button', value: '/approve ABCD2345', style: 'primary' },
            { type: 'button', value: '/deny ABCD2345', style: 'danger' },
          ],
        },
      ],
    })
    await send(slack(context), target, { replaces: '1.2' })
    expect(calls[1]).toMatchObject({
      path: '/api/chat.update',
      body: { channel: 'C0CHAN0001', ts: '1.2', text: 'Pay?', blocks: [] },
    })
  })

  it('posts a new message if the old one is gone', async () => {
    const gone = { ok: false, error: 'message_not_found' }
    const { calls, context } = platform([200, gone], [200, { ok: true, ts: '3.4' }])
    expect(await send(slack(context), target, { replaces: '1.2' })).toEqual({ id: '3.4' })
    expect(calls).toHaveLength(2)
  })

  it('makes the command of a press, once its signature is proven', async () => {
    const { context } = platform()
    const channel = slack({ ...context, verify: 'on' })
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
    const digest = createHmac('sha256', slackSecret).update(`v0:1767225600:${body}`).digest('hex')
    const headers = { 'x-slack-request-timestamp': '1767225600', 'x-slack-signature': `v0=${digest}` }
    expect(await channel.receive(webhookRequest(body, headers))).toMatchObject({
      kind: 'message',
      message: {
        conversationId: 'channel_b:T0TEAM0001:C0CHAN0001:1767225600.000100',
        text: '/approve ABCD2345',
        sender: { id: 'U0USER0001' },
        group: { id: 'C0CHAN0001' },
        target,
      },
    })
    expect(await channel.receive(webhookRequest(`${body}x`, headers))).toMatchObject({
      reply: { status: 401 },
    })
  })

  it('ignores the buttons of others', async () => {
    const { context } = platform()
    const other = { ...payload, actions: [{ ...payload.actions[0], action_id: 'other' }] }
    const body = new URLSearchParams({ payload: JSON.stringify(other) }).toString()
    expect(await slack(context).receive(webhookRequest(body))).toMatchObject({
      kind: 'reply',
      reply: { status: 200 },
    })
  })
})

describe('Discord', () => {
  const data = { application_id: '1', token: 'tok', channel_id: '10' }
  const target = { expiresAtMs: now() + 900_000, data }

  it('shows buttons below a message of its own, and leaves "thinking…" for the answer', async () => {
    const { calls, context } = platform([200, { id: '77' }])
    expect(await send(discord(context), target, { buttons })).toEqual({ id: '77' })
    expect(calls[0]).toMatchObject({
      method: 'POST',
      path: '/api/v10/webhooks/1/tok',
      body: {
        components: [
          {
            type: 1,
            components: [
              { type: 2, style: 3, label: 'Approve', custom_id: '/approve ABCD2345' },
              { type: 2, style: 4, label: 'Deny', custom_id: '/deny ABCD2345' },
            ],
          },
        ],
      },
    })
  })

  it.each([
    ['while its token lives', now() + 1, '/api/v10/webhooks/1/tok/messages/77'],
    ['after that by the bot', now() - 1, '/api/v10/channels/10/messages/77'],
  ])('replaces the message %s', async (_, expiresAtMs, path) => {
    const { calls, context } = platform([200, { id: '77' }])
    expect(await send(discord(context), { expiresAtMs, data }, { replaces: '77' })).toEqual({ id: '77' })
    expect(calls).toMatchObject([{ method: 'PATCH', path, body: { content: 'Pay?', components: [] } }])
  })

  it('makes the command of a press, with an answer for the person alone', async () => {
    const { context } = platform()
    const press = {
      ...fixture('discord-component.json'),
      data: { custom_id: '/deny ABCD2345', component_type: 2 },
    }
    const received = await discord(context).receive(webhookRequest(press))
    expect(JSON.parse(received.reply.body ?? '')).toEqual({ type: 5, data: { flags: 64 } })
    expect(received).toMatchObject({
      kind: 'message',
      message: {
        conversationId: 'channel_c:1000000000000000030:1000000000000000010',
        text: '/deny ABCD2345',
        sender: { id: '1000000000000000040' },
        press: { needsAnswer: true },
      },
    })
  })
})

it('Viber: shows buttons in place of the keyboard; a press sends the command as a message', async () => {
  const { calls, context } = platform([200, { status: 0, name: 'Demo' }], [200, { status: 0 }])
  const channel = createViberChannel({ channel_e_auth_token: 'token' }, context)
  await send(channel, { data: { receiver: 'r1' } }, { buttons })
  expect(calls.at(-1)?.body).toMatchObject({
    keyboard: {
      Type: 'keyboard',
      Buttons: [
        { ActionType: 'reply', ActionBody: '/approve ABCD2345', Text: 'Approve' },
        { ActionType: 'reply', ActionBody: '/deny ABCD2345', Text: 'Deny' },
      ],
    },
  })
})

describe('options of a question', () => {
  const options = Array.from({ length: 10 }, (_, index) => ({
    label: `${index}`,
    command: `/answer CODE ${index}`,
  }))

  it('are below each other on Telegram', async () => {
    const { calls, context } = platform([200, { ok: true, result: { message_id: 1 } }])
    await send(telegram(context), { data: { chat_id: 7 } }, { buttons: options })
    const rows = options.map(({ label, command }) => [{ text: label, callback_data: command }])
    expect(calls[0]?.body).toMatchObject({ reply_markup: { inline_keyboard: rows } })
  })

  it('are rows of five on Discord, without a color', async () => {
    const { calls, context } = platform([200, { id: '77' }])
    const data = { application_id: '1', token: 'tok', channel_id: '10' }
    await send(discord(context), { expiresAtMs: now() + 900_000, data }, { buttons: options })
    const toButton = ({ label, command }: (typeof options)[number]) => ({
      label,
      custom_id: command,
      style: 2,
    })
    const rows = [options.slice(0, 5), options.slice(5)].map((row) => ({ components: row.map(toButton) }))
    expect(calls[0]?.body).toMatchObject({ components: rows })
  })
})

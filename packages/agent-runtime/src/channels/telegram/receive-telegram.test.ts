import type { Update } from '@grammyjs/types'
import type * as z from 'zod/mini'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { InboundMessage, ReceivedRequest } from '../../ports/channel.ts'
import {
  channelContext,
  expectNoSecret,
  fixture,
  fixtureText,
  vectorsOf,
  webhookRequest,
} from '../testing/platform-kit.ts'
import { createTelegramChannel } from './create-telegram-channel.ts'
import type { TelegramUpdate } from './telegram-update.ts'
import { getMeOnly, groupText, secrets, telegramChannel, updateWith } from './testing/telegram-kit.ts'

const secretHeader = { 'X-Telegram-Bot-Api-Secret-Token': secrets[2] ?? '' }

async function receive(update: string | object, known = getMeOnly()): Promise<ReceivedRequest> {
  return telegramChannel({ fetch: known.fetch }).receive(webhookRequest(update, secretHeader))
}

async function messageOf(update: string | object, known = getMeOnly()): Promise<InboundMessage> {
  const received = await receive(update, known)
  return received.kind === 'message' ? received.message : expect.unreachable(received.why)
}

describe('where a request comes from', () => {
  for (const { id, bot_token: botToken = '', headers, body, valid } of vectorsOf('telegram')) {
    it(`vector ${id}`, async () => {
      const channel = createTelegramChannel({ channel_a_bot_token: botToken }, channelContext())
      const received = await channel.receive(webhookRequest(body, headers))
      expect(received.reply).toEqual({ status: valid ? 200 : 401 })
      expect(received.kind).toBe(valid ? 'message' : 'reply')
    })
  }

  it('refuses everything while there is no token, whatever the request proves', async () => {
    const channel = createTelegramChannel({}, channelContext())
    for (const given of ['', secrets[2], undefined]) {
      const request = webhookRequest(fixtureText('telegram-message-private.json'), {
        'x-telegram-bot-api-secret-token': given,
      })
      expect((await channel.receive(request)).reply.status).toBe(401)
    }
  })

  it('takes a request without proof only when the check is switched off', async () => {
    const request = webhookRequest(fixtureText('telegram-message-private.json'))
    expect((await telegramChannel().receive(request)).reply.status).toBe(401)
    expect((await telegramChannel({ verify: 'off' }).receive(request)).kind).toBe('message')
  })

  it('says nothing of the secret to who is refused', async () => {
    const received = await telegramChannel().receive(webhookRequest('{}'))
    expect(received.reply).toEqual({ status: 401 })
    expectNoSecret(received, secrets)
  })

  it('refuses a body that is no JSON', async () => {
    expect((await receive('{"update_id":')).reply.status).toBe(400)
  })
})

describe('the fixtures', () => {
  it('telegram-message-private: runs', async () => {
    expect(await messageOf(fixtureText('telegram-message-private.json'))).toEqual({
      dedupeKeys: ['channel_a:200000002:900000001'],
      conversationId: 'channel_a:100000001',
      text: 'hello agent',
      sender: { id: '100000001', name: 'Ann Test' },
      isAddressed: true,
      target: { data: { chat_id: 100000001 } },
    })
  })

  it('telegram-message-start-command: runs', async () => {
    const message = await messageOf(fixtureText('telegram-message-start-command.json'))
    expect(message).toMatchObject({ text: '/start', isAddressed: true })
  })

  it('telegram-message-group-mention: runs, without the mention', async () => {
    expect(await messageOf(fixtureText('telegram-message-group-mention.json'))).toMatchObject({
      conversationId: 'channel_a:-1001234567890',
      text: 'summarise 😀 this',
      isAddressed: true,
      target: { data: { chat_id: -1001234567890, reply_to_message_id: 101 } },
    })
  })

  it('telegram-message-group-plain: is not for the bot, which takes no question to find out', async () => {
    const known = getMeOnly()
    const message = await messageOf(fixtureText('telegram-message-group-plain.json'), known)
    expect(message).toMatchObject({ isAddressed: false })
    expect(known.asked).toBe(0)
  })

  it('telegram-message-group-reply-to-bot: runs', async () => {
    const message = await messageOf(fixtureText('telegram-message-group-reply-to-bot.json'))
    expect(message).toMatchObject({ isAddressed: true, text: 'and tomorrow?' })
  })

  it('telegram-message-photo-caption: the caption is the text', async () => {
    expect(await messageOf(fixtureText('telegram-message-photo-caption.json'))).toMatchObject({
      text: 'what is this?',
    })
  })

  it.each([
    ['/stop@demo_agent_bot', '/stop'],
    ['/stop@other_bot', '/stop@other_bot'],
    ['ask @demo_agent_bot', 'ask @demo_agent_bot'],
  ])('A1: %s in a private chat is read as %s', async (text, expected) => {
    const type = text.startsWith('/') ? 'bot_command' : 'mention'
    const offset = text.indexOf(type === 'mention' ? '@' : '/')
    const entities = [{ type, offset, length: text.length - offset }]
    const update = updateWith('telegram-message-private.json', { text, entities })
    expect(await messageOf(update)).toMatchObject({ isAddressed: true, text: expected })
  })

  for (const name of ['message-from-bot', 'edited-message', 'service-new-member']) {
    it(`telegram-${name}: acknowledged, nothing runs`, async () => {
      const received = await receive(fixtureText(`telegram-${name}.json`))
      expect(received).toMatchObject({ kind: 'reply', reply: { status: 200 } })
    })
  }

  it('are of a shape that every update of the Bot API has', () => {
    expectTypeOf<Update>().toExtend<z.input<typeof TelegramUpdate>>()
  })
})

describe('who is meant in a group', () => {
  const cases: readonly [string, object, { isAddressed: boolean; text: string }][] = [
    [
      'a name in other letters',
      groupText('@Demo_Agent_BOT hi', 'mention', '@Demo_Agent_BOT'),
      { isAddressed: true, text: 'hi' },
    ],
    [
      'a name within, behind an emoji',
      groupText('😀 what does @demo_agent_bot say?', 'mention', '@demo_agent_bot'),
      { isAddressed: true, text: '😀 what does say?' },
    ],
    [
      'another name that begins alike',
      groupText('@demo_agent_bot2 hi', 'mention', '@demo_agent_bot2'),
      { isAddressed: false, text: '@demo_agent_bot2 hi' },
    ],
    [
      'a command for the bot',
      groupText('/ask@demo_agent_bot why', 'bot_command', '/ask@demo_agent_bot'),
      { isAddressed: true, text: '/ask why' },
    ],
    [
      'a command for another bot',
      groupText('/ask@other_bot why', 'bot_command', '/ask@other_bot'),
      { isAddressed: false, text: '/ask@other_bot why' },
    ],
    [
      'a command for nobody',
      groupText('/ask why', 'bot_command', '/ask'),
      { isAddressed: false, text: '/ask why' },
    ],
    [
      'an address that is no mention',
      groupText('write to x@demo_agent_bot', 'email', 'x@demo_agent_bot'),
      { isAddressed: false, text: 'write to x@demo_agent_bot' },
    ],
    [
      'a mention without a name',
      groupText('Demo hi', 'text_mention', 'Demo', { user: { id: 200000002, is_bot: true } }),
      { isAddressed: true, text: 'hi' },
    ],
    [
      'somebody else without a name',
      groupText('Bea hi', 'text_mention', 'Bea', { user: { id: 5, is_bot: false } }),
      { isAddressed: false, text: 'Bea hi' },
    ],
  ]
  for (const [title, update, expected] of cases) {
    it(title, async () => {
      expect(await messageOf(update)).toMatchObject(expected)
    })
  }

  it('a caption may name it', async () => {
    const update = updateWith('telegram-message-group-plain.json', {
      text: undefined,
      caption: 'see @demo_agent_bot',
      caption_entities: [{ type: 'mention', offset: 4, length: 15 }],
    })
    expect(await messageOf(update)).toMatchObject({ isAddressed: true, text: 'see' })
  })

  it('asks for its name once', async () => {
    const known = getMeOnly()
    const channel = telegramChannel({ fetch: known.fetch })
    const request = webhookRequest(fixtureText('telegram-message-group-mention.json'), secretHeader)
    await Promise.all([channel.receive(request), channel.receive(request)])
    await channel.receive(request)
    expect(known.asked).toBe(1)
  })

  it('learns its name from a reply to it, and asks nobody', async () => {
    const known = getMeOnly()
    const channel = telegramChannel({ fetch: known.fetch })
    for (const name of ['telegram-message-group-reply-to-bot.json', 'telegram-message-group-mention.json']) {
      const received = await channel.receive(webhookRequest(fixtureText(name), secretHeader))
      expect(received).toMatchObject({ kind: 'message', message: { isAddressed: true } })
    }
    expect(known.asked).toBe(0)
  })

  it('has the message sent again when its name cannot be asked for', async () => {
    const failing: typeof fetch = async () => new Response('<html>down</html>', { status: 502 })
    const channel = telegramChannel({ fetch: failing })
    const request = webhookRequest(fixtureText('telegram-message-group-mention.json'), secretHeader)
    const received = await channel.receive(request)
    expect(received).toMatchObject({ kind: 'reply', reply: { status: 503 } })
    expectNoSecret(received, secrets)
  })

  it('runs nothing for its bare name', async () => {
    const received = await receive(groupText('@demo_agent_bot', 'mention', '@demo_agent_bot'))
    expect(received).toMatchObject({ kind: 'reply', reply: { status: 200 } })
  })
})

describe('people who write in the name of a chat', () => {
  const mention = 'telegram-message-group-mention.json'
  const standIn = (id: number, username: string) => ({ id, is_bot: true, first_name: 'Group', username })

  it('an anonymous admin is the group', async () => {
    const update = updateWith(mention, {
      from: standIn(1087968824, 'GroupAnonymousBot'),
      sender_chat: { id: -1001234567890, title: 'Team', type: 'supergroup' },
    })
    const message = await messageOf(update)
    expect(message).toMatchObject({ isAddressed: true, sender: { id: '-1001234567890', name: 'Team' } })
  })

  it('a person who writes as a channel is the channel', async () => {
    const update = updateWith(mention, {
      from: standIn(136817688, 'Channel_Bot'),
      sender_chat: { id: -1009, title: 'News', type: 'channel' },
    })
    expect(await messageOf(update)).toMatchObject({ sender: { id: '-1009', name: 'News' } })
  })

  it.each([
    ['of another person', { type: 'user', sender_user: { id: 5, is_bot: false, first_name: 'Eve' } }, true],
    ['of a person who hides', { type: 'hidden_user', sender_user_name: 'Eve' }, true],
    ['of a channel', { type: 'channel', chat: { id: -1005, type: 'channel' }, message_id: 1 }, true],
    [
      'of its own',
      { type: 'user', sender_user: { id: 100000001, is_bot: false, first_name: 'A' } },
      undefined,
    ],
  ])('A20: tells a forwarded message %s from what the person writes', async (_, origin, isQuoted) => {
    const from = { id: 100000001, is_bot: false, first_name: 'Ann' }
    const chat = { id: 100000001, type: 'private' }
    const forwarded = {
      message_id: 7,
      date: 1,
      from,
      chat,
      text: 'pay',
      forward_origin: { ...origin, date: 1 },
    }
    const message = await messageOf({ update_id: 7, message: forwarded })
    expect([message.text, message.isQuoted]).toEqual(['pay', isQuoted])
  })

  it('a post that Telegram forwards from the linked channel starts nothing', async () => {
    const update = updateWith(mention, {
      from: { id: 777000, is_bot: false, first_name: 'Telegram' },
      sender_chat: { id: -1009, title: 'News', type: 'channel' },
      is_automatic_forward: true,
    })
    expect(await receive(update)).toMatchObject({ kind: 'reply', reply: { status: 200 } })
  })

  it('a bot without such a chat is still a bot', async () => {
    const update = updateWith(mention, { from: standIn(42, 'other_bot') })
    expect(await receive(update)).toMatchObject({ kind: 'reply', reply: { status: 200 } })
  })
})

describe('topics and chains', () => {
  const plain = 'telegram-message-group-plain.json'

  it('a topic of a forum is a conversation of its own, and is answered in it', async () => {
    const message = await messageOf(updateWith(plain, { message_thread_id: 7, is_topic_message: true }))
    expect(message.conversationId).toBe('channel_a:-1001234567890:7')
    expect(message.target.data).toMatchObject({ message_thread_id: 7 })
  })

  for (const [title, chat] of [
    ['outside of a forum', {}],
    ['in the general topic of a forum', { is_forum: true }],
  ] as const) {
    it(`a chain of replies ${title} stays in the conversation of the group`, async () => {
      const group = { id: -1001234567890, type: 'supergroup', ...chat }
      const message = await messageOf(updateWith(plain, { message_thread_id: 90, chat: group }))
      expect(message.conversationId).toBe('channel_a:-1001234567890')
      expect(message.target.data).not.toHaveProperty('message_thread_id')
    })
  }

  it('a message in a topic that the bot has opened is no reply to the bot', async () => {
    const replied = { from: { id: 200000002, is_bot: true }, forum_topic_created: { name: 'x' } }
    const message = await messageOf(
      updateWith(plain, { is_topic_message: true, message_thread_id: 7, reply_to_message: replied }),
    )
    expect(message.isAddressed).toBe(false)
  })
})

describe('what is not for it', () => {
  const cases: readonly [string, object][] = [
    [
      'a post of a channel',
      { update_id: 1, channel_post: fixture('telegram-message-private.json')['message'] },
    ],
    ['a message of nobody', updateWith('telegram-message-private.json', { from: undefined })],
    ['a voice message', updateWith('telegram-message-private.json', { text: undefined, voice: {} })],
    ['blanks', updateWith('telegram-message-private.json', { text: ' \n ' })],
    ['another shape', { update_id: 1, message: { text: 5 } }],
    ['no update', { hello: 'world' }],
    ['a list', []],
  ]
  for (const [title, update] of cases) {
    it(`acknowledges ${title}`, async () => {
      expect(await receive(update)).toMatchObject({ kind: 'reply', reply: { status: 200 } })
    })
  }
})

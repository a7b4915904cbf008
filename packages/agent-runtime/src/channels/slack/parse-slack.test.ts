import { describe, expect, it } from 'vitest'
import { threadCpuMs } from '../../../../../tests/thread-cpu-ms.ts'
import type { InboundMessage } from '../../ports/channel.ts'
import { fixture } from '../testing/platform-kit.ts'
import { parseSlack } from './parse-slack.ts'
import { SlackEnvelope } from './slack-event.ts'

type Fields = Readonly<Record<string, unknown>>

/** A fixture, with some fields of its event or of the whole replaced. */
function parsed(file: string, event: Fields = {}, envelope: Fields = {}) {
  const given = fixture(file)
  const merged = { ...given, ...envelope, event: { ...(given['event'] as Fields), ...event } }
  return parseSlack(SlackEnvelope.parse(merged))
}
function messageOf(file: string, event: Fields = {}, envelope: Fields = {}): InboundMessage {
  const result = parsed(file, event, envelope)
  if ('ignored' in result) return expect.unreachable(`it was ignored: ${result.ignored}`)
  return result.message
}

const mention = 'slack-app-mention.json'
const channelMessage = 'slack-message-channel-mention.json'
const direct = 'slack-message-im.json'

describe('parseSlack', () => {
  it('reads a direct message without its escapes', () => {
    expect(messageOf(direct)).toEqual({
      chatId: 'D0DM000001',
      dedupeKeys: [
        'channel_b:D0DM000001:1767225600.000100',
        'channel_b:D0DM000001:66cc9473-12a2-4934-bd57-301917883ae3',
      ],
      conversationId: 'channel_b:T0TEAM0001:D0DM000001',
      text: 'hello <agent> & co',
      sender: { id: 'U0USER0001' },
      isAddressed: true,
      target: { data: { channel: 'D0DM000001' } },
    })
  })
  it('answers a direct message in its thread, in the same conversation', () => {
    const message = messageOf(direct, { thread_ts: '1767225500.000001' })
    expect(message.conversationId).toBe('channel_b:T0TEAM0001:D0DM000001')
    expect(message.target.data).toEqual({ channel: 'D0DM000001', thread_ts: '1767225500.000001' })
  })
  it('makes the same message of both deliveries of a mention', () => {
    const message = messageOf(mention)
    expect(messageOf(channelMessage)).toEqual(message)
    expect(message).toMatchObject({
      conversationId: 'channel_b:T0TEAM0001:C0CHAN0001:1767225600.000100',
      text: 'status',
      isAddressed: true,
      target: { data: { channel: 'C0CHAN0001', thread_ts: '1767225600.000100' } },
    })
    expect(message.dedupeKeys).toContain('channel_b:C0CHAN0001:1767225600.000100')
  })
  it('knows one gesture with two times by the id of the client', () => {
    const [, first] = messageOf(mention).dedupeKeys
    expect(messageOf(mention, { ts: '1767225600.000999' }).dedupeKeys).toContain(first)
    // another channel: a message of its own
    expect(messageOf(mention, { channel: 'C0OTHER001' }).dedupeKeys).not.toContain(first)
  })
  it('has one key when the client gave no id', () => {
    expect(messageOf(mention, { client_msg_id: null }).dedupeKeys).toEqual([
      'channel_b:C0CHAN0001:1767225600.000100',
    ])
  })
  it('reads a file with a text as a message', () => {
    expect(messageOf('slack-message-file-share.json')).toMatchObject({ text: 'see file', isAddressed: true })
  })
  it('passes a message that names nobody on as not meant', () => {
    const message = messageOf('slack-message-channel-plain.json')
    expect(message.isAddressed).toBe(false)
    expect(message.isFollowUp).toBeUndefined()
  })
  it('marks an answer in a thread as one that may be meant', () => {
    const reply = { thread_ts: '1767225600.000100', text: 'and now?' }
    expect(messageOf('slack-message-channel-plain.json', reply)).toMatchObject({
      isAddressed: false,
      isFollowUp: true,
      conversationId: 'channel_b:T0TEAM0001:C0CHAN0001:1767225600.000100',
      target: { data: { channel: 'C0CHAN0001', thread_ts: '1767225600.000100' } },
    })
  })
  it.each(['mpim', 'group', 'channel'])('needs a mention in a chat of the kind %s', (kind) => {
    const changes = { channel: 'G0GROUP001', channel_type: kind }
    expect(messageOf('slack-message-channel-plain.json', changes).isAddressed).toBe(false)
    expect(messageOf(channelMessage, changes).isAddressed).toBe(true)
  })
  it.each([
    ['another user', '<@U0OTHER001> status'],
    ['the id without marks', 'U0BOT00001 status'],
    ['an escaped mention', '&lt;@U0BOT00001&gt; status'],
    ['a longer id', '<@U0BOT000011> status'],
  ])('is not meant by %s', (_what, text) => {
    expect(messageOf(channelMessage, { text }).isAddressed).toBe(false)
  })
  it('takes `app_mention` as meant when Slack does not say who the bot is', () => {
    expect(messageOf(mention, {}, { authorizations: undefined }).isAddressed).toBe(true)
    expect(messageOf(channelMessage, {}, { authorizations: [] }).isAddressed).toBe(false)
  })
  it.each([
    ['slack-message-own-bot.json', 'a bot has sent it'],
    ['slack-message-other-bot.json', 'a message of subtype bot_message'],
    ['slack-message-changed.json', 'a message of subtype message_changed'],
    ['slack-message-deleted.json', 'a message of subtype message_deleted'],
    ['slack-app-rate-limited.json', 'Slack dropped events: more than 30,000 in an hour'],
  ])('ignores %s', (file, why) => {
    expect(parseSlack(SlackEnvelope.parse(fixture(file)))).toEqual({ ignored: why })
  })
  it.each([
    ['a mention by another bot', { bot_id: 'B0OTHER001' }],
    ['a bot known by its profile', { bot_profile: { id: 'B0OTHER001' } }],
    ['the bot itself, without a bot_id', { user: 'U0BOT00001' }],
    ['Slackbot', { user: 'USLACKBOT' }],
    ['a hidden message', { hidden: true }],
    ['somebody who joins', { subtype: 'channel_join' }],
    ['a message without a sender', { user: undefined }],
    ['a message without a time', { ts: undefined }],
    ['a mention and nothing else', { text: '<@U0BOT00001> ' }],
    ['a file without a text', { subtype: 'file_share', text: '' }],
    ['another event', { type: 'reaction_added' }],
  ])('ignores %s, in both deliveries', (_what, event) => {
    for (const file of [mention, channelMessage]) expect(parsed(file, event)).toHaveProperty('ignored')
  })
  it('keeps a person who installed the app for themselves apart from the bot', () => {
    const authorizations = [{ user_id: 'U0USER0001', is_bot: false }]
    expect(messageOf(direct, {}, { authorizations }).isAddressed).toBe(true)
  })
  it.each([
    ['<@U0BOT00001|demo> hi <@U0BOT00001>, you', 'hi, you'],
    ['<@U0BOT00001> ask <@U0OTHER001> and <@U0OTHER002|eve>', 'ask @U0OTHER001 and @eve'],
    [
      '<@U0BOT00001> see <https://example.test/a?b=1&amp;c=2|the page>',
      'see the page (https://example.test/a?b=1&c=2)',
    ],
    ['<@U0BOT00001> see <https://example.test>', 'see https://example.test'],
    ['<@U0BOT00001> see <http://example.test|example.test>', 'see http://example.test'],
    ['<@U0BOT00001> mail <mailto:a@example.test|a@example.test>', 'mail a@example.test'],
    ['<@U0BOT00001> in <#C0CHAN0001|general> and <#C0CHAN0002>', 'in #general and #C0CHAN0002'],
    ['<@U0BOT00001> tell <!here> and <!subteam^S1|@team>', 'tell @here and @team'],
    ['<@U0BOT00001> is &amp;lt; an entity?', 'is &lt; an entity?'],
    ['<@U0BOT00001> line one\nline two', 'line one\nline two'],
  ])('reads %j', (text, expected) => {
    expect(messageOf(mention, { text }).text).toBe(expected)
  })
  it('ends quickly on a text of many brackets', async () => {
    const text = `<@U0BOT00001> ${'<'.repeat(200_000)}${'<@'.repeat(200_000)}${'<a|'.repeat(50_000)}${' '.repeat(200_000)}x`
    const read = () => expect(messageOf(mention, { text }).isAddressed).toBe(true)
    // a quadratic reading takes seconds
    expect(await threadCpuMs(read)).toBeLessThan(500)
  })
})

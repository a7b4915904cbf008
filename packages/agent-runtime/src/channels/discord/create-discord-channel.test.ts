import { describe, expect, it, vi } from 'vitest'
import type { Settings } from '@homeward/contract/agent-platform'
import type { ChannelContext, InboundMessage } from '../../ports/channel.ts'
import { channelContext, fixture, fixtureText, webhookRequest } from '../testing/platform-kit.ts'
import { createDiscordChannel } from './create-discord-channel.ts'
import { signDiscord, testPublicKey } from './testing/sign-discord.ts'

const settings = { channel_c_bot_token: 'test-discord-token-0123456789', channel_c_public_key: testPublicKey }
const nowMs = 1_767_225_600_000

/** A channel that may not call anybody. */
function channel(changes: Partial<ChannelContext> = {}, more: Settings = {}) {
  const fetch = vi.fn<typeof globalThis.fetch>(() => Promise.reject(new Error('no network')))
  return createDiscordChannel({ ...settings, ...more }, channelContext({ fetch, ...changes }))
}
const receive = (body: string | object, more?: Settings) =>
  channel({}, more).receive(signDiscord(typeof body === 'string' ? body : JSON.stringify(body), nowMs / 1000))

type Fields = Readonly<Record<string, unknown>>
const changed = (file: string, fields: Fields, command: Fields = {}): Fields => {
  const given = fixture(file)
  return { ...given, ...fields, data: { ...(given['data'] as Fields), ...command } }
}
async function messageOf(body: string | object, more?: Settings): Promise<InboundMessage> {
  const received = await receive(body, more)
  return received.kind === 'message' ? received.message : expect.unreachable(received.why)
}
async function replyTo(body: string | object, more?: Settings): Promise<unknown> {
  const { kind, reply } = await receive(body, more)
  expect(kind).toBe('reply')
  expect(reply).toMatchObject({ status: 200, contentType: 'application/json' })
  return JSON.parse(reply.body ?? '')
}
const note = (words: string) => ({
  type: 4,
  data: expect.objectContaining({ content: expect.stringContaining(words), flags: 64 }),
})

const inGuild = 'discord-command-guild.json'
const inPrivate = 'discord-command-dm.json'
const text = (value: string, name = 'text') => ({ name, type: 3, value })

describe('createDiscordChannel', () => {
  it('answers PING', async () => {
    expect(await receive(fixtureText('discord-ping.json'))).toMatchObject({
      kind: 'reply',
      reply: { status: 200, contentType: 'application/json', body: '{"type":1}' },
    })
  })
  it('answers 401 to a PING with a wrong signature, as Discord tries', async () => {
    const body = fixtureText('discord-ping.json')
    const request = webhookRequest(body, {
      'x-signature-timestamp': String(nowMs / 1000),
      'x-signature-ed25519': '0'.repeat(128),
    })
    expect((await channel().receive(request)).reply).toEqual({ status: 401 })
    expect((await channel().receive(webhookRequest(body))).reply).toEqual({ status: 401 })
  })
  it('takes everything when the check is switched off', async () => {
    const request = webhookRequest(fixtureText(inGuild))
    expect((await channel({ verify: 'off' }).receive(request)).kind).toBe('message')
  })
  it('says "thinking…" to a question from a server', async () => {
    const received = await receive(fixtureText(inGuild))
    expect(received).toEqual({
      kind: 'message',
      reply: { status: 200, contentType: 'application/json', body: '{"type":5}' },
      refusal: expect.objectContaining({
        status: 200,
        body: expect.stringContaining('No agent answers here yet.'),
      }),
      denial: expect.objectContaining({
        status: 200,
        body: expect.stringMatching(/"type":4.*You cannot use this agent here.*"flags":64/),
      }),
      message: {
        dedupeKeys: ['channel_c:1456074443980800002'],
        chatId: '1000000000000000010',
        conversationId: 'channel_c:1000000000000000030:1000000000000000010',
        text: 'what is the weather?',
        sender: { id: '1000000000000000040', name: 'Tester' },
        group: { id: '1000000000000000010', name: 'general' },
        isAddressed: true,
        target: {
          expiresAtMs: nowMs + 900_000,
          data: {
            application_id: '1000000000000000001',
            token: 'tok-guild',
            channel_id: '1000000000000000010',
          },
        },
      },
    })
  })
  it('reads a question from a private chat', async () => {
    expect(await messageOf(fixtureText(inPrivate))).toMatchObject({
      conversationId: 'channel_c:@me:1000000000000000011',
      text: 'hello',
      sender: { id: '1000000000000000040', name: 'Tester' },
    })
  })
  it('keeps people apart who ask in the same private chat of others', async () => {
    expect((await messageOf(changed(inPrivate, { context: 2 }))).conversationId).toBe(
      'channel_c:@me:1000000000000000011:1000000000000000040',
    )
  })
  it('takes a thread as a conversation of its own', async () => {
    expect((await messageOf(fixtureText('discord-command-thread.json'))).conversationId).toBe(
      'channel_c:1000000000000000030:1000000000000000012',
    )
  })
  it('reads the message that the command on messages was used on', async () => {
    expect(await messageOf(fixtureText('discord-message-command.json'))).toMatchObject({
      dedupeKeys: ['channel_c:1456074443980800006'],
      text: 'please explain this',
    })
  })
  it.each<[string, Fields[], string]>([
    ['an option of any name', [text('hi', 'frage')], 'hi'],
    ['`text` before other texts', [text('short', 'style'), text('hi')], 'hi'],
    ['the first text', [{ name: 'n', type: 4, value: 5 }, text('  hi ', 'a'), text('no', 'b')], 'hi'],
    [
      'an option of a command inside',
      [{ name: 'sub', type: 2, options: [{ name: 'x', type: 1, options: [text('hi')] }] }],
      'hi',
    ],
  ])('reads %s', async (_what, options, expected) => {
    expect((await messageOf(changed(inGuild, {}, { options }))).text).toBe(expected)
  })

  it('A20: says that somebody else wrote the message on which a person uses the command', async () => {
    const own = await messageOf(fixtureText('discord-message-command.json'))
    expect(own).not.toHaveProperty('isQuoted')
    const author = /"author": \{\s+"id": "\d+"/
    const foreign = fixtureText('discord-message-command.json').replace(author, '"author": {"id": "7"')
    expect(await messageOf(foreign)).toMatchObject({ isQuoted: true })
  })
  it('listens to the command of the settings, however it is written there', async () => {
    const body = changed(inGuild, {}, { name: 'frage' })
    expect((await messageOf(body, { channel_c_command: '/Frage' })).text).toBe('what is the weather?')
    expect(await replyTo(body)).toEqual(note('Use /ask'))
    expect(await replyTo(fixtureText(inGuild), { channel_c_command: 'frage' })).toEqual(note('Use /frage'))
  })
  it.each<[string, Fields, string]>([
    ['without an option', { options: [] }, 'Write a question after /ask.'],
    ['without options', { options: undefined }, 'Write a question'],
    ['with an empty question', { options: [text('  ')] }, 'Write a question'],
    ['with a number only', { options: [{ name: 'n', type: 4, value: 1 }] }, 'Write a question'],
    ['on a user', { type: 2, name: 'Ask agent' }, 'does not support this'],
    [
      'on a message without text',
      { type: 3, target_id: '1', resolved: { messages: { 1: { content: '' } } } },
      'no text',
    ],
    ['on a message that is not there', { type: 3, target_id: '1', resolved: {} }, 'no text'],
  ])('tells only the person about a command %s', async (_what, command, words) => {
    expect(await replyTo(changed(inGuild, {}, command))).toEqual(note(words))
  })
  it('does not answer bots', async () => {
    const { member } = fixture(inGuild) as { member: { user: Fields } }
    const body = changed(inGuild, { member: { ...member, user: { ...member.user, bot: true } } })
    expect(await replyTo(body)).toEqual(note('does not answer other bots'))
  })
  it.each<[string, object, object]>([
    ['a button', fixture('discord-component.json'), { type: 6 }],
    ['suggestions', { ...fixture(inGuild), type: 4 }, { type: 8, data: { choices: [] } }],
    ['a form', { ...fixture(inGuild), type: 5 }, note('does not support this')],
    ['a type of the future', { ...fixture(inGuild), type: 99 }, note('does not support this')],
    ['a command without data', { ...fixture(inGuild), data: undefined }, note('does not support this')],
    ['a list', [], note('does not support this')],
    [
      'a channel id that is an address',
      changed(inGuild, { channel_id: '1/../../x' }),
      note('does not support this'),
    ],
    [
      'an application id that is an address',
      changed(inGuild, { application_id: '@me' }),
      note('does not support this'),
    ],
    ['a token that is an address', changed(inGuild, { token: 'a/../b?c' }), note('does not support this')],
  ])('answers %s, and nothing runs', async (_what, body, expected) => {
    expect(await replyTo(body)).toEqual(expected)
  })
  it('acknowledges webhook events, which number their types differently', async () => {
    for (const event of [
      { version: 1, type: 0 },
      { version: 1, type: 1, event: { type: 'APPLICATION_AUTHORIZED' } },
    ]) {
      expect((await receive(event)).reply).toEqual({ status: 204 })
    }
  })
  it('answers 400 to what is no JSON', async () => {
    expect((await receive('{')).reply).toEqual({ status: 400 })
  })
  it('leaves Markdown as it is, in parts below the limit with whole blocks of code', () => {
    const code = Array.from({ length: 200 }, (_, line) => `console.log("line ${line} 🚀")`).join('\n')
    const parts = channel().render(`# Title\n\n**bold** & <@1>\n\n\`\`\`ts\n${code}\n\`\`\`\n\nThe end.`)
    expect(parts.length).toBeGreaterThan(2)
    for (const part of parts) {
      expect(part.text.length).toBeLessThanOrEqual(1950)
      expect(part.text.split('```').length % 2).toBe(1)
      expect(part.text.isWellFormed()).toBe(true)
    }
    const all = parts.map((part) => part.text).join('\n')
    expect(all).toContain('# Title\n\n**bold** & <@1>')
    for (let line = 0; line < 200; line += 1) expect(all).toContain(`console.log("line ${line} 🚀")`)
  })
})

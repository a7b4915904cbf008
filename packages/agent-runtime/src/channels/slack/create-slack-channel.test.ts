import { createHmac } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import type { ChannelContext } from '../../ports/channel.ts'
import { channelContext, fixtureText, webhookRequest } from '../testing/platform-kit.ts'
import { createSlackChannel } from './create-slack-channel.ts'

const secret = 'test-signing-secret-0123456789abcdef'
const settings = { channel_b_bot_token: 'test-slack-token-0123456789', channel_b_signing_secret: secret }
const timestamp = '1767225600'

/** A request as Slack signs it. */
function signed(body: string, headers: Readonly<Record<string, string>> = {}) {
  const digest = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')
  return webhookRequest(body, {
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': `v0=${digest}`,
    ...headers,
  })
}

/** A channel that may not call anybody. */
function channel(changes: Partial<ChannelContext> = {}) {
  const fetch = vi.fn<typeof globalThis.fetch>(() => Promise.reject(new Error('no network')))
  return createSlackChannel(settings, channelContext({ fetch, ...changes }))
}

describe('createSlackChannel', () => {
  it('gives the challenge back as plain text, once it is proven', async () => {
    const body = fixtureText('slack-url-verification.json')
    expect(await channel().receive(signed(body))).toMatchObject({
      kind: 'reply',
      reply: {
        status: 200,
        contentType: 'text/plain',
        body: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P',
      },
    })
    expect(await channel().receive(webhookRequest(body))).toMatchObject({ reply: { status: 401 } })
  })
  it('acknowledges a message without a body', async () => {
    const received = await channel().receive(signed(fixtureText('slack-message-im.json')))
    expect(received).toMatchObject({ kind: 'message', reply: { status: 200 } })
    expect(received.reply.body).toBeUndefined()
  })
  it('names the speaker of a group', async () => {
    const fetch = vi.fn<typeof globalThis.fetch>(async (input) => {
      expect(new Request(input).url).toContain('/users.info')
      return Response.json({ ok: true, user: { profile: { display_name: 'Ann' } } })
    })
    const received = await channel({ fetch }).receive(signed(fixtureText('slack-app-mention.json')))
    expect(received).toMatchObject({ kind: 'message', message: { sender: { name: 'Ann' } } })
  })
  it('takes a repeated delivery like the first', async () => {
    const body = fixtureText('slack-app-mention.json')
    const retry = signed(body, { 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_timeout' })
    expect(await channel().receive(retry)).toEqual(await channel().receive(signed(body)))
  })
  it.each([
    'slack-message-own-bot.json',
    'slack-message-other-bot.json',
    'slack-message-changed.json',
    'slack-message-deleted.json',
    'slack-app-rate-limited.json',
  ])('acknowledges %s, and nothing runs', async (file) => {
    expect(await channel().receive(signed(fixtureText(file)))).toMatchObject({
      kind: 'reply',
      reply: { status: 200 },
    })
  })
  it.each([
    ['a slash command', 'token=x&command=%2Fask&text=hi'],
    ['a list', '[]'],
    ['nothing', ''],
    ['null', 'null'],
    ['an event that is a text', '{"type":"event_callback","event":"message"}'],
    ['numbers where texts are', '{"type":"event_callback","event":{"type":"message","ts":1,"channel":2}}'],
    ['a challenge that is no text', '{"type":"url_verification","challenge":{"a":1}}'],
    ['bytes that are no text', '\uD800'],
  ])('acknowledges %s', async (_what, body) => {
    expect(await channel().receive(signed(body))).toMatchObject({ kind: 'reply', reply: { status: 200 } })
  })
  it('refuses a wrong signature without a word', async () => {
    const request = signed(fixtureText('slack-message-im.json'), {
      'x-slack-signature': `v0=${'0'.repeat(64)}`,
    })
    expect(await channel().receive(request)).toMatchObject({ kind: 'reply', reply: { status: 401 } })
    expect((await channel().receive(request)).reply).toEqual({ status: 401 })
  })
  it('takes everything when the check is switched off', async () => {
    const request = webhookRequest(fixtureText('slack-message-im.json'))
    expect((await channel({ verify: 'off' }).receive(request)).kind).toBe('message')
  })
  it('renders mrkdwn in parts that stay below the limit after escaping', () => {
    const code = Array.from(
      { length: 300 },
      (_, line) => `if (a < ${line} && b > ${line}) { call("&") }`,
    ).join('\n')
    const markdown = `# Title\n\n**bold** <!channel> <@U0USER0001> & more\n\n\`\`\`ts\n${code}\n\`\`\`\n\nThe end.`
    const parts = channel().render(markdown)
    expect(parts.length).toBeGreaterThan(3)
    for (const { text, plain } of parts) {
      expect(text.length).toBeLessThanOrEqual(3800)
      expect(plain.length).toBeLessThanOrEqual(3800)
      // nobody is called, in either form
      expect(text + plain).not.toMatch(/<[!@#]/)
      expect(text.split('```')).toHaveLength(text.includes('```') ? 3 : 1)
    }
    const all = parts.map(({ text }) => text).join('\n')
    expect(all).toContain('*Title*')
    expect(all).toContain('&lt;!channel&gt;')
    for (let line = 0; line < 300; line += 1)
      expect(all).toContain(`if (a &lt; ${line} &amp;&amp; b &gt; ${line})`)
    expect(all).toContain('The end.')
  })
})

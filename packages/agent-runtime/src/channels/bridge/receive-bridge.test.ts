import { describe, expect, it } from 'vitest'
import type { ChannelRequest, InboundMessage, ReceivedRequest } from '../../ports/channel.ts'
import { channelContext, fixtureText, vectorsOf, webhookRequest } from '../testing/platform-kit.ts'
import { hmacSha256, toHex } from '../webhooks/verify-hmac.ts'
import { createBridgeChannel } from './create-bridge-channel.ts'

const secret = 'bridge-test-secret'
const settings = { channel_d_bridge_url: 'http://127.0.0.1:8080/v2' }
const local = createBridgeChannel(settings, channelContext())
const remote = createBridgeChannel({ ...settings, channel_d_bridge_secret: secret }, channelContext())
const hello = JSON.stringify({ from: '+15550101', text: 'hi' })

const fromHere = (body: string | object): ChannelRequest => ({ ...webhookRequest(body), isLocal: true })
const receive = (body: string | object) => local.receive(fromHere(body))

async function messageOf(body: string | object): Promise<InboundMessage> {
  const received = await receive(body)
  if (received.kind === 'message') return received.message
  return expect.unreachable(`it was not taken: ${received.why}`)
}

const ignored = (why: string): ReceivedRequest => ({
  kind: 'reply',
  reply: { status: 200, contentType: 'application/json', body: JSON.stringify({ ok: true, ignored: why }) },
  why,
})

describe('who may post', () => {
  const statusOf = async (request: ChannelRequest, channel = remote) => {
    const received = await channel.receive(request)
    return received.reply.status
  }
  const withHeaders = (headers: Record<string, string>, search = '') => ({
    ...webhookRequest(hello, headers),
    search,
  })

  for (const vector of vectorsOf('bridge')) {
    it(`a signature: ${vector.id}`, async () => {
      const channel = createBridgeChannel(
        { ...settings, channel_d_bridge_secret: vector.secret },
        channelContext(),
      )
      const received = await channel.receive(webhookRequest(vector.body, vector.headers))
      expect(received.reply.status === 401).toBe(!vector.valid)
    })
  }

  it('who holds the secret, in a header or in the address', async () => {
    expect(await statusOf(withHeaders({ authorization: `Bearer ${secret}` }))).toBe(200)
    expect(await statusOf(withHeaders({ authorization: `bearer  ${secret}` }))).toBe(200)
    expect(await statusOf(withHeaders({}, `token=${secret}`))).toBe(200)
  })

  it('nobody without it, with a wrong one, or with a right one beside a wrong signature', async () => {
    expect(await statusOf(withHeaders({}))).toBe(401)
    expect(await statusOf({ ...webhookRequest(hello), isLocal: true })).toBe(401)
    expect(await statusOf(withHeaders({ authorization: 'Bearer wrong' }, `token=${secret}`))).toBe(401)
    expect(await statusOf(withHeaders({ authorization: secret }))).toBe(401)
    expect(await statusOf(withHeaders({ authorization: `x Bearer ${secret}` }))).toBe(401)
    expect(await statusOf(withHeaders({}, 'token='))).toBe(401)
    const wrong = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}`, authorization: `Bearer ${secret}` }
    expect(await statusOf(withHeaders(wrong, `token=${secret}`))).toBe(401)
  })

  it('nobody whose signature has something around it', async () => {
    const right = `sha256=${toHex(await hmacSha256(secret, hello))}`
    const statuses = [right, `x${right}`, `${right}0`].map((signature) =>
      statusOf(withHeaders({ 'x-hub-signature-256': signature })),
    )
    expect(await Promise.all(statuses)).toEqual([200, 401, 401])
  })

  it('only this very machine when no secret is set, whatever is sent along', async () => {
    expect(await statusOf(fromHere(hello), local)).toBe(200)
    expect(await statusOf(webhookRequest(hello), local)).toBe(401)
    expect(await statusOf(withHeaders({ authorization: 'Bearer ' }, 'token='), local)).toBe(401)
    const empty = createBridgeChannel({ ...settings, channel_d_bridge_secret: '' }, channelContext())
    expect(await statusOf(withHeaders({}, 'token='), empty)).toBe(401)
  })

  it('anyone, when the check is switched off', async () => {
    expect(
      await statusOf(webhookRequest(hello), createBridgeChannel(settings, channelContext({ verify: 'off' }))),
    ).toBe(200)
  })

  it('says nothing to who is refused', async () => {
    const received = await remote.receive(webhookRequest('not json'))
    expect(received).toEqual({ kind: 'reply', reply: { status: 401 }, why: expect.any(String) })
  })
})

describe('Signal', () => {
  it('takes a private message', async () => {
    expect(await messageOf(fixtureText('bridge-signal-message-dm.json'))).toEqual({
      dedupeKeys: ['channel_d:+15550101:+15550100:+15550101:1767225600000'],
      conversationId: 'channel_d:+15550101',
      text: 'hello agent',
      sender: { id: '+15550101', name: 'Ann' },
      isAddressed: true,
      target: {
        data: {
          conversation_id: '+15550101',
          to: '+15550101',
          reply_to: '1767225600000',
          account: '+15550100',
        },
      },
    })
  })

  it('takes a mention in a group without the placeholder, and answers the group', async () => {
    const message = await messageOf(fixtureText('bridge-signal-message-group-mention.json'))
    const group = 'Pmpi+EfPWmsxiomLe9Nx2XF9HOE483p6iKiFj65iMwI='
    expect(message).toMatchObject({
      conversationId: `channel_d:${group}`,
      text: 'status?',
      isAddressed: true,
      target: { data: { to: `group.${Buffer.from(group).toString('base64')}` } },
    })
  })

  it('finds nobody addressed in what a group writes among itself', async () => {
    const message = await messageOf(fixtureText('bridge-signal-message-group-plain.json'))
    expect(message.isAddressed).toBe(false)
  })

  it('takes the envelope of a subscription too, and an answer to the bot for a mention', async () => {
    const line = JSON.parse(fixtureText('bridge-signal-message-group-plain.json'))
    line.params.envelope.dataMessage.quote = { id: 1, author: '+15550100', text: 'earlier' }
    const message = await messageOf({ ...line, params: { subscription: 0, result: line.params } })
    expect(message).toMatchObject({ isAddressed: true, text: 'not for you' })
  })

  it('writes the names of others where they are mentioned', async () => {
    const line = JSON.parse(fixtureText('bridge-signal-message-group-mention.json'))
    line.params.envelope.dataMessage.message = '\uFFFC and 🚀 \uFFFC: go'
    line.params.envelope.dataMessage.mentions.push({ name: 'Bob', number: '+15550109', start: 9, length: 1 })
    expect((await messageOf(line)).text).toBe('and 🚀 @Bob: go')
  })

  it('answers nothing to typing, receipts, reactions, and what its own phone sends', async () => {
    expect(await receive(fixtureText('bridge-signal-typing.json'))).toEqual(ignored('typingMessage'))
    expect(await receive(fixtureText('bridge-signal-receipt.json'))).toEqual(ignored('receiptMessage'))
    const reaction = expect.objectContaining({ messageId: '1767225599000', rating: 'up' })
    expect(await receive(fixtureText('bridge-signal-reaction.json'))).toEqual({
      ...ignored('a reaction'),
      reaction,
    })
    const line = JSON.parse(fixtureText('bridge-signal-message-dm.json'))
    line.params.envelope.sourceNumber = '+15550100'
    expect(await receive(line)).toEqual(ignored('own message'))
    line.params.envelope = { source: '+15550100', syncMessage: { sentMessage: { message: 'note' } } }
    expect(await receive(line)).toEqual(ignored('syncMessage'))
  })
})

describe('WhatsApp', () => {
  const event = JSON.parse(fixtureText('bridge-whatsapp-gowa-message.json'))
  const changed = (changes: object) => ({ ...event, payload: { ...event.payload, ...changes } })

  it('takes a private message', async () => {
    expect(await messageOf(event)).toMatchObject({
      dedupeKeys: ['channel_d:15550101@s.whatsapp.net:3EB0C127D7BACC83D6A1'],
      conversationId: 'channel_d:15550101@s.whatsapp.net',
      text: 'hello agent',
      sender: { id: '15550101@s.whatsapp.net', name: 'Ann' },
      isAddressed: true,
    })
  })

  it('is addressed in a group by its number only', async () => {
    const inGroup = (body: string) => messageOf(changed({ chat_id: '1203@g.us', body }))
    expect(await inGroup('hello all')).toMatchObject({
      isAddressed: false,
      conversationId: 'channel_d:1203@g.us',
    })
    expect(await inGroup('@15550100 status?')).toMatchObject({ isAddressed: true, text: 'status?' })
    expect(await inGroup('@155501009 status?')).toMatchObject({ isAddressed: false })
  })

  it('ignores its own messages, other events, and what is shown to all', async () => {
    expect(await receive(fixtureText('bridge-whatsapp-gowa-from-me.json'))).toEqual(ignored('own message'))
    expect(await receive({ ...event, event: 'message.ack' })).toEqual(ignored('event message.ack'))
    expect(await receive(changed({ chat_id: 'status@broadcast' }))).toEqual(ignored('status'))
    expect(await receive(changed({ body: '' }))).toEqual(ignored('no text'))
  })
})

describe('any other bridge', () => {
  it('takes a whole message', async () => {
    expect(await messageOf(fixtureText('bridge-generic-message.json'))).toEqual({
      dedupeKeys: ['channel_d:signal:+15550101:m-1'],
      conversationId: 'channel_d:signal:+15550101',
      text: 'hello agent',
      sender: { id: '+15550101', name: 'Ann' },
      isAddressed: true,
      target: { data: { conversation_id: 'signal:+15550101', to: '+15550101', reply_to: 'm-1' } },
    })
  })

  it('takes a sender and a text, which counts as seen for a minute only', async () => {
    const message = await messageOf(fixtureText('bridge-generic-minimal.json'))
    expect(message).toMatchObject({ conversationId: 'channel_d:+15550101', text: 'hi', dedupeForMs: 60_000 })
    expect(message.dedupeKeys).toEqual([expect.stringMatching(/^channel_d:[0-9a-f]{64}$/)])
    expect((await messageOf({ from: '+15550101', text: 'ho' })).dedupeKeys).not.toEqual(message.dedupeKeys)
    expect((await messageOf({ user_id: '+15550101', message: 'hi' })).dedupeKeys).toEqual(message.dedupeKeys)
  })

  for (const body of [
    { user_id: 7, text: { body: 'hi' } },
    { chat_id: '7', body: ' hi ' },
    { sender: { id: '7' }, message: 'hi' },
    { sender: '7', message: { text: 'hi' } },
  ]) {
    it(`takes ${JSON.stringify(body)}`, async () => {
      expect(await messageOf(body)).toMatchObject({
        sender: { id: '7' },
        text: 'hi',
        target: { data: { to: '7' } },
      })
    })
  }

  it('is addressed in a group only when the bridge says so, and answers the group', async () => {
    const inGroup = { from: 'ann', conversation_id: 'team', text: 'hi', is_group: true }
    expect(await messageOf(inGroup)).toMatchObject({ isAddressed: false, target: { data: { to: 'team' } } })
    expect(await messageOf({ ...inGroup, mentioned: true })).toMatchObject({ isAddressed: true })
  })

  it('ignores what nobody said, bots, and itself', async () => {
    expect(await receive({ text: 'hi' })).toEqual(ignored('no sender'))
    expect(await receive({ from: '7', text: '  ' })).toEqual(ignored('no text'))
    expect(await receive({ from: '7', text: 'hi', from_me: true })).toEqual(ignored('own message'))
    expect(await receive({ sender: { id: '7', is_bot: true }, text: 'hi' })).toEqual(ignored('a bot'))
    for (const body of ['null', '[]', '7', '"hi"', '{}'])
      expect(await receive(body)).toEqual(ignored('no sender'))
  })

  it('refuses what is no JSON', async () => {
    for (const body of ['', '{', 'hi', '\uFEFF']) {
      const received = await receive(body)
      expect(received.reply).toEqual({ status: 400 })
    }
    const bytes = new Uint8Array([0x22, 0xff, 0x22])
    expect((await local.receive({ ...fromHere(''), body: bytes })).reply.status).toBe(400)
  })

  it('shortens ids that no store would take, and keeps them apart', async () => {
    const long = 'x'.repeat(5000)
    const [one, other] = await Promise.all(
      ['a', 'b'].map((end) =>
        messageOf({ from: 'ann', conversation_id: long + end, id: long + end, text: 'hi' }),
      ),
    )
    expect(one?.conversationId.length).toBeLessThanOrEqual(200)
    expect(one?.conversationId).not.toBe(other?.conversationId)
    expect(one?.dedupeKeys).not.toEqual(other?.dedupeKeys)
  })

  it('takes no rounded number for an id', async () => {
    const message = await messageOf('{"from":"ann","id":5057541111111111111,"text":"hi"}')
    expect(message.dedupeForMs).toBe(60_000)
  })
})

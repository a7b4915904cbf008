import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { InboundMessage, ReceivedRequest } from '../../ports/channel.ts'
import {
  channelContext,
  expectNoSecret,
  fixtureText,
  vectorsOf,
  webhookRequest,
} from '../testing/platform-kit.ts'
import { createViberChannel } from './create-viber-channel.ts'
import { token, viberChannel } from './testing/viber-kit.ts'

const sign = (body: string): string => createHmac('sha256', token).update(body).digest('hex')

async function receive(body: string | object): Promise<ReceivedRequest> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return viberChannel().receive(webhookRequest(text, { 'X-Viber-Content-Signature': sign(text) }))
}

async function messageOf(body: string | object): Promise<InboundMessage> {
  const received = await receive(body)
  return received.kind === 'message' ? received.message : expect.unreachable(received.why)
}

const text = fixtureText('viber-message-text.json')

describe('where a callback comes from', () => {
  for (const { id, secret, headers, body, valid } of vectorsOf('viber')) {
    it(`vector ${id}`, async () => {
      const channel = createViberChannel({ channel_e_auth_token: secret }, channelContext())
      expect((await channel.receive(webhookRequest(body, headers))).reply.status).toBe(valid ? 200 : 401)
    })
  }

  it('refuses everything while there is no token', async () => {
    const channel = createViberChannel({}, channelContext())
    for (const signature of ['', sign(text), undefined]) {
      const request = webhookRequest(text, { 'x-viber-content-signature': signature })
      expect((await channel.receive(request)).reply).toEqual({ status: 401 })
    }
  })

  it('takes a signature in capitals, and none in an address', async () => {
    const request = webhookRequest(text, { 'x-viber-content-signature': sign(text).toUpperCase() })
    expect((await viberChannel().receive(request)).kind).toBe('message')
    const inAddress = { ...webhookRequest(text), search: `sig=${sign(text)}` }
    expect((await viberChannel().receive(inAddress)).reply.status).toBe(401)
  })

  it('takes a callback without proof only when the check is switched off', async () => {
    expect((await viberChannel({ verify: 'off' }).receive(webhookRequest(text))).kind).toBe('message')
  })

  it('refuses a body that is no JSON', async () => {
    expect((await receive('{"event":')).reply.status).toBe(400)
  })
})

describe('the fixtures', () => {
  it('viber-message-text: runs, known by the digits of its token', async () => {
    expect(await messageOf(text)).toEqual({
      dedupeKeys: ['channel_e:dGVzdC11c2VyLTE=:5912661846655238145'],
      dedupeForMs: 31_536_000_000,
      conversationId: 'channel_e:dGVzdC11c2VyLTE=',
      text: 'hello agent',
      sender: { id: 'dGVzdC11c2VyLTE=', name: 'Ann Test' },
      isAddressed: true,
      target: { data: { receiver: 'dGVzdC11c2VyLTE=' } },
    })
  })

  it('viber-webhook: answered at once, while set_webhook still waits', async () => {
    const received = await receive(fixtureText('viber-webhook.json'))
    expect(received).toMatchObject({ kind: 'reply', reply: { status: 200 } })
  })

  it('viber-conversation-started: greeted in the answer, which names no receiver', async () => {
    const { reply, kind } = await receive(fixtureText('viber-conversation-started.json'))
    expect({ kind, ...reply }).toMatchObject({ kind: 'reply', status: 200, contentType: 'application/json' })
    expect(JSON.parse(reply.body ?? '')).toEqual({
      type: 'text',
      sender: { name: 'Assistant' },
      text: expect.stringMatching(/\S/),
    })
  })

  for (const name of ['subscribed', 'unsubscribed', 'delivered', 'seen', 'failed']) {
    it(`viber-${name}: acknowledged with nothing in the answer, nothing runs`, async () => {
      const received = await receive(fixtureText(`viber-${name}.json`))
      expect(received).toMatchObject({ kind: 'reply', reply: { status: 200 } })
      expect(received.reply.body).toBeUndefined()
    })
  }
})

describe('tokens of 64 bits', () => {
  it('tells two apart that are the same number', async () => {
    const other = text.replace('5912661846655238145', '5912661846655238146')
    expect(JSON.parse(other)).toEqual(JSON.parse(text))
    const [one, two] = [await messageOf(text), await messageOf(other)]
    expect(one.dedupeKeys).not.toEqual(two.dedupeKeys)
    expect((await messageOf(text)).dedupeKeys).toEqual(one.dedupeKeys)
  })

  it('takes them as text and with blanks', async () => {
    const quoted = text.replace(
      '"message_token":5912661846655238145',
      '"message_token" : "5912661846655238145"',
    )
    expect((await messageOf(quoted)).dedupeKeys).toEqual((await messageOf(text)).dedupeKeys)
  })

  it('is not misled by what the user writes or is called', async () => {
    const fake = JSON.stringify('"message_token":1,').slice(1, -1)
    const forged = text.replace('hello agent', fake).replace('Ann Test', fake)
    expect((await messageOf(forged)).dedupeKeys).toEqual((await messageOf(text)).dedupeKeys)
  })

  it('does without one, by the time of the message', async () => {
    const { message_token: _none, ...rest } = JSON.parse(text) as Record<string, unknown>
    expect((await messageOf(rest)).dedupeKeys).toEqual(['channel_e:dGVzdC11c2VyLTE=:1767225600123'])
  })

  it('is not misled by another token in the callback', async () => {
    const nested = text.replace('{"event"', '{"context":{"message_token":77},"event"')
    expect((await messageOf(nested)).dedupeKeys).toEqual((await messageOf(text)).dedupeKeys)
  })
})

it('takes what somebody without a name writes, without the blanks around it', async () => {
  const callback = {
    event: 'message',
    message_token: 5,
    sender: { id: 'u', name: '' },
    message: { text: ' a b\n' },
  }
  expect(await messageOf(callback)).toMatchObject({ text: 'a b', sender: { id: 'u' } })
  expect((await messageOf(callback)).sender).not.toHaveProperty('name')
})

describe('what is not for it', () => {
  const message = {
    event: 'message',
    message_token: 5,
    sender: { id: 'u' },
    message: { type: 'text', text: 'x' },
  }
  const cases: readonly [string, object][] = [
    ['a message of nobody', { ...message, sender: undefined }],
    ['a message of an empty user', { ...message, sender: { id: '' } }],
    ['a sticker', { ...message, message: { type: 'sticker', sticker_id: 46105 } }],
    ['blanks', { ...message, message: { type: 'text', text: ' \n' } }],
    ['a message without token and time', { ...message, message_token: undefined }],
    ['an unknown event', { event: 'x'.repeat(500) }],
    ['another shape', { event: 7 }],
    ['a list', []],
    [
      'a subscriber who opens the chat again',
      { event: 'conversation_started', subscribed: true, user: { id: 'u' } },
    ],
  ]
  for (const [title, callback] of cases) {
    it(`acknowledges ${title}`, async () => {
      const received = await receive(callback)
      expect(received).toMatchObject({ kind: 'reply', reply: { status: 200 } })
      expect(received.reply.body).toBeUndefined()
      expectNoSecret(received, [token])
    })
  }

  it('says of a failed delivery why, and of anything no more than a line', async () => {
    const whyOf = async (callback: object) => {
      const received = await receive(callback)
      return received.kind === 'reply' ? received.why : expect.unreachable('it is no message')
    }
    expect(await whyOf({ event: 'failed', desc: 'not subscribed' })).toContain('not subscribed')
    expect(await whyOf({ event: 'failed' })).toContain('no reason')
    const long = 'x'.repeat(5000)
    for (const callback of [{ event: 'failed', desc: long }, { event: long }])
      expect((await whyOf(callback))?.length).toBeLessThan(250)
  })
})

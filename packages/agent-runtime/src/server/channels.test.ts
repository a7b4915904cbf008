import { once } from 'node:events'
import { request as sendOverHttp, type IncomingMessage } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTestStore } from '../testing/create-test-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { ChannelRequest } from '../ports/channel.ts'
import { ChannelError } from '../channels/channel-error.ts'
import type { TestChannelOptions } from '../channels/testing/test-channel.ts'
import { createTestChannel } from '../channels/testing/test-channel.ts'
import { startPlatform, ways, type TestPlatform, type TestPlatformOptions } from './testing/start-platform.ts'

const path = '/api/channels/test/webhook'
const open: TestPlatform[] = []
afterEach(async () => {
  for (const platform of open.splice(0)) await platform[Symbol.asyncDispose]()
})

/** The status of a call under another `Host`, which `fetch` does not send. */
async function statusAs(
  platform: TestPlatform,
  way: (typeof ways)[number],
  method: string,
  to: string,
  headers: Record<string, string>,
): Promise<number> {
  const body = method === 'POST' ? JSON.stringify({ text: JSON.stringify(headers) }) : undefined
  const all = { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers }
  if (way === 'in process') {
    return (await platform.fetch(to, { method, headers: all, ...(body !== undefined && { body }) })).status
  }
  const call = sendOverHttp(platform.url + to, { method, headers: all })
  call.end(body)
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode ?? 0
}

describe.each(ways)('channels %s', (way) => {
  async function start(channelOptions: TestChannelOptions = {}, options: TestPlatformOptions = {}) {
    const channel = createTestChannel({ agentId: 'parrot', ...channelOptions })
    const seen: ChannelRequest[] = []
    const watched = {
      ...channel,
      receive: async (request: ChannelRequest) => {
        seen.push(request)
        return channel.receive(request)
      },
    }
    const platform = await startPlatform(way, { channels: [watched], ...options })
    open.push(platform)
    await platform.runtime.agents.create({ id: 'parrot', model: 'test/echo' })
    return { platform, channel, seen }
  }
  const hello = { text: 'Hello' }

  it('A1: a webhook is answered as the channel says, and the message is answered once', async () => {
    const { platform, channel } = await start()
    const reply = await platform.send('POST', path, { body: hello })
    expect([reply.status, reply.text, reply.headers.get('x-content-type-options')]).toEqual([
      200,
      'ok',
      'nosniff',
    ])
    await vi.waitFor(() => expect(channel.sent).toHaveLength(1), { timeout: 60_000 })
  })

  it('A1: a channel may answer its platform with a status that has no body', async () => {
    const channel = createTestChannel({ agentId: 'parrot' })
    const reply = { kind: 'reply', reply: { status: 204 }, why: 'a handshake' } as const
    const platform = await startPlatform(way, { channels: [{ ...channel, receive: async () => reply }] })
    open.push(platform)
    expect(await platform.send('POST', path, { body: hello })).toMatchObject({ status: 204, text: '' })
  })

  it('A2: a channel that refuses is answered with an error like any other, without particulars', async () => {
    const { platform } = await start()
    const refused = await platform.send('POST', path, { body: hello, headers: { 'x-test-secret': 'wrong' } })
    expect([refused.status, refused.headers.get('content-type')]).toEqual([
      401,
      'application/json; charset=utf-8',
    ])
    expect(refused.body).toEqual({
      error: 'Unauthorized',
      code: 'unauthorized',
      request_id: refused.headers.get('x-request-id'),
    })
  })

  it('A1, A19: a platform may come by any host and without a token, and only to webhooks', async () => {
    const { platform } = await start({}, { auth: { kind: 'token', token: 'the-token' } })
    const headers = { host: 'tunnel.example', origin: 'https://tunnel.example' }
    const call = async (method: string, to: string, given: Record<string, string>) =>
      statusAs(platform, way, method, to, given)
    expect(await call('POST', path, headers)).toBe(200)
    const status = '/api/channels/test/status'
    expect((await platform.send('GET', status)).status).toBe(401)
    for (const given of [{ host: headers.host }, { origin: headers.origin }]) {
      expect(await call('GET', status, { ...given, authorization: 'Bearer the-token' })).toBe(403)
      expect(await call('GET', path, given)).toBe(403)
      expect(await call('POST', '/api/channels/test/set-webhook', given)).toBe(403)
    }
  })

  it('A1: reads the bytes as they came, of whatever content type, and no more than 1 MiB', async () => {
    const { platform, seen } = await start()
    const body = '{ "text":  "Grüße" }'
    const reply = await platform.fetch(path, {
      method: 'POST',
      body,
      headers: { 'content-type': 'text/plain' },
    })
    expect(reply.status).toBe(200)
    expect(new TextDecoder().decode(seen[0]?.body)).toBe(body)
    const large = await platform.fetch(path, { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) })
    expect(large.status).toBe(413)
    expect(seen).toHaveLength(1)
  })

  it('A1: a platform sends again what could not be kept', async () => {
    const store = createTestStore()
    const acceptMessages = async () => {
      throw new RuntimeError('storage_error', 'The disk is full.')
    }
    const { platform } = await start({}, { store: { ...store, acceptMessages } })
    const reply = await platform.send('POST', path, { body: hello })
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '5'])
    expect(reply.text).not.toContain('disk')
  })

  it('A1: answers for channels that are unknown or not set up', async () => {
    const { platform } = await start()
    const send = async (method: string, to: string, body?: object) =>
      (await platform.send(method, `/api/channels/${to}`, body ? { body } : {})).status
    expect(await send('POST', 'nothing/webhook', hello)).toBe(404)
    expect(await send('POST', 'channel_b/webhook', hello)).toBe(404)
    expect(await send('POST', 'Bad%20Name/webhook', hello)).toBe(400)
    expect(await send('GET', 'nothing/status')).toBe(404)
    for (const channel of [
      'channel_a',
      'channel_b',
      'channel_c',
      'channel_d',
      'channel_e',
      'slack',
      'viber',
    ]) {
      expect(await send('GET', `${channel}/status`)).toBe(200)
    }
    const base = { base_url: 'https://home.example' }
    expect(await send('POST', 'telegram/set-webhook', base)).toBe(409)
    expect(await send('POST', 'test/set-webhook', base)).toBe(404)
    expect(await send('POST', 'telegram/set-webhook', { base_url: 'http://home.example' })).toBe(400)
  })

  it.each([
    ['GET', 'nothing/status', undefined, 'Getting the status of a channel'],
    ['GET', 'nothing/messages', undefined, 'Listing the messages of a channel'],
    ['POST', 'nothing/set-webhook', { base_url: 'https://home.example' }, 'Setting a webhook'],
    ['POST', 'nothing/messages/m/resolve', { decision: 'resend' }, 'Resolving an answer'],
  ])('A2: says of an unknown channel what was attempted: %s %s', async (method, to, body, attempt) => {
    const { platform } = await start()
    const answer = await platform.send(method, `/api/channels/${to}`, body ? { body } : {})
    expect([answer.status, answer.body.message]).toEqual([
      404,
      `${attempt} failed: no channel has the name "nothing". List the channels to find it.`,
    ])
  })

  it('A1: registers the webhook with the platform, and tells when that fails', async () => {
    const setWebhook = vi.fn(async () => {})
    const { platform } = await start({ setWebhook })
    const body = { base_url: 'https://home.example/' }
    const to = '/api/channels/test/set-webhook'
    expect((await platform.send('POST', to, { body })).body).toEqual({
      ok: true,
      webhook_url: 'https://home.example/api/channels/test/webhook',
    })
    setWebhook.mockRejectedValue(new ChannelError('temporary', 'Setting the webhook failed: it is down.'))
    const failed = await platform.send('POST', to, { body })
    expect([failed.status, failed.body.code]).toEqual([502, 'channel_error'])
    expect(failed.text).toContain('it is down')
  })

  it('A1: a person sees and decides about answers that are uncertain', async () => {
    let isDown = true
    const { platform, channel } = await start({
      onSend: async () => {
        if (isDown) throw new ChannelError('uncertain', 'The connection broke.')
      },
    })
    await platform.send('POST', path, { body: hello })
    const list = '/api/channels/test/messages'
    const message = await vi.waitFor(
      async () => {
        const { body } = await platform.send('GET', `${list}?status=uncertain`)
        expect(body.messages).toHaveLength(1)
        return body.messages[0]
      },
      { timeout: 60_000 },
    )
    expect(message).toMatchObject({ channel: 'test', text: 'Hello', parts: { total: 1, sent: 0 } })
    isDown = false
    const to = `${list}/${message.id}/resolve`
    expect((await platform.send('POST', to, { body: { decision: 'perhaps' } })).status).toBe(400)
    const decided = await platform.send('POST', to, { body: { decision: 'resend' } })
    expect([decided.status, decided.body.message.status]).toEqual([200, 'delivering'])
    await vi.waitFor(() => expect(channel.sent).toHaveLength(1), { timeout: 60_000 })
    await vi.waitFor(
      async () => {
        expect((await platform.send('POST', to, { body: { decision: 'discard' } })).status).toBe(409)
      },
      { timeout: 60_000 },
    )
    expect(
      (await platform.send('POST', `${list}/none/resolve`, { body: { decision: 'discard' } })).status,
    ).toBe(404)
    expect((await platform.send('GET', `${list}?status=delivered&limit=1`)).body.messages).toHaveLength(1)
  })

  it('A1: only what surely comes from this machine counts as local', async () => {
    const { platform, seen } = await start()
    for (const headers of [
      {},
      { 'x-forwarded-for': '203.0.113.5' },
      { forwarded: 'for=203.0.113.5' },
      { 'cf-connecting-ip': '203.0.113.5' },
      { host: 'tunnel.example' },
      { origin: 'https://page.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      await statusAs(platform, way, 'POST', path, headers)
    }
    // in process nobody knows the address of the caller
    const isReal = way === 'over HTTP'
    expect(seen.map(({ isLocal }) => isLocal)).toEqual([isReal, ...Array<boolean>(7).fill(false)])
  })
})

import { expect, it, vi } from 'vitest'
import { createHome, startServer } from '../server/server-process.ts'
import { channels, senders, startChannelWorld, type ChannelName, type ChannelWorld } from './channel-world.ts'
import { createPlatformClient } from './platform-client.ts'

const limit = { timeout: 120_000 }

/** Calls a webhook as the platform does: under a foreign host name, through a tunnel, but for the bridge. */
async function post(url: string, world: ChannelWorld, channel: ChannelName, number: number, text: string) {
  const { body, headers } = await world.webhook(channel, number, text)
  const response = await fetch(`${url}/api/channels/${channel}/webhook`, { method: 'POST', body, headers })
  return { status: response.status, text: await response.text() }
}

async function prepare(url: string, world: ChannelWorld) {
  const client = createPlatformClient(url)
  await client.ok('POST', '/api/agents', { id: 'helper', model: 'openai/channels' })
  await client.ok('PUT', '/api/settings', world.settings)
  for (const channel of channels) {
    const id = encodeURIComponent(senders[channel])
    await client.ok('PUT', `/api/channels/${channel}/senders/${id}`, { status: 'allowed' })
  }
  return client
}

const acknowledged: Record<ChannelName, string | RegExp> = {
  channel_a: '',
  channel_b: '',
  channel_c: /"type":5/,
  channel_d: /"ok":true/,
  channel_e: '',
}

it.concurrent('A1: five platforms get one answer each, whatever they send again', limit, async () => {
  await using home = await createHome()
  await using world = await startChannelWorld()
  await using server = await startServer(home.path, world.environment)
  const url = server.agentsUrl
  const client = await prepare(url, world)
  for (const channel of channels) {
    const first = await post(url, world, channel, 1, `question-${channel}`)
    expect(first, channel).toEqual({ status: 200, text: expect.stringMatching(acknowledged[channel]) })
    expect((await post(url, world, channel, 1, `question-${channel}`)).status).toBe(200)
  }
  await vi.waitFor(
    () => {
      for (const channel of channels) {
        expect(world.answersAt(channel), channel).toEqual([
          expect.stringContaining(`answer to question-${channel}`),
        ])
      }
    },
    { timeout: 60_000, interval: 50 },
  )
  for (const channel of channels) {
    const status = await client.ok('GET', `/api/channels/${channel}/status`)
    expect(status, channel).toMatchObject({
      channel,
      configured: true,
      messages: { waiting: 0, failed: 0, uncertain: 0 },
    })
    const { messages } = await client.ok('GET', `/api/channels/${channel}/messages`)
    expect(messages.map((message: { status: string }) => message.status)).toEqual(['delivered'])
    await post(url, world, channel, 1, `question-${channel}`)
    const forged = await fetch(`${url}/api/channels/${channel}/webhook`, {
      method: 'POST',
      body: (await world.webhook(channel, 2, 'question-forged')).body,
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.5' },
    })
    expect(forged.status, channel).toBe(401)
  }
  const logs = await client.ok(
    'GET',
    '/api/logs?types=channel.message,channel.reply,channel.failed&limit=100',
  )
  expect(logs.events).toHaveLength(10)
  for (const secret of Object.entries(world.settings).filter(([key]) => /token|secret/.test(key))) {
    expect(server.output() + JSON.stringify(logs)).not.toContain(secret[1])
  }
})

it.concurrent(
  'A1: a kill -9 between the acknowledgement and the answer loses and doubles nothing',
  limit,
  async () => {
    await using home = await createHome()
    await using world = await startChannelWorld()
    const release = world.holdModel()
    {
      await using server = await startServer(home.path, world.environment)
      await prepare(server.agentsUrl, world)
      for (const channel of channels) {
        for (const number of [1, 2]) {
          const { status } = await post(
            server.agentsUrl,
            world,
            channel,
            number,
            `question-${channel}${number}`,
          )
          expect(status, channel).toBe(200)
        }
      }
      await server.end('SIGKILL')
    }
    release()
    await using server = await startServer(home.path, world.environment)
    for (const channel of channels) await post(server.agentsUrl, world, channel, 1, `question-${channel}1`)
    await vi.waitFor(
      () => {
        for (const channel of channels) {
          expect(world.answersAt(channel), channel).toEqual(
            [1, 2].map((number) => expect.stringContaining(`answer to question-${channel}${number}`)),
          )
        }
      },
      { timeout: 90_000, interval: 100 },
    )
  },
)

it.concurrent(
  'A1: asks Telegram for messages while no webhook is set, and goes on behind a restart',
  limit,
  async () => {
    await using home = await createHome()
    await using world = await startChannelWorld()
    world.offer(1, 'question-one')
    {
      await using server = await startServer(home.path, world.environment)
      const client = await prepare(server.agentsUrl, world)
      await vi.waitFor(() => expect(world.answersAt('channel_a')).toHaveLength(1), { timeout: 60_000 })
      expect(await client.ok('GET', '/api/channels/telegram/status')).toMatchObject({
        mode: 'polling',
        ok: true,
      })
      await server.end('SIGTERM')
    }
    world.offer(2, 'question-two')
    await using server = await startServer(home.path, world.environment)
    const client = createPlatformClient(server.agentsUrl)
    await vi.waitFor(
      () =>
        expect(world.answersAt('channel_a')).toEqual([
          expect.stringContaining('question-one'),
          expect.stringContaining('question-two'),
        ]),
      { timeout: 40_000 },
    )
    const set = { base_url: 'https://home.example' }
    for (const [name, channel] of [
      ['telegram', 'channel_a'],
      ['channel_e', 'channel_e'],
    ] as const) {
      expect(await client.ok('POST', `/api/channels/${name}/set-webhook`, set)).toEqual({
        ok: true,
        webhook_url: `https://home.example/api/channels/${channel}/webhook`,
      })
    }
    expect(world.calls).toEqual(expect.arrayContaining(['setWebhook', 'set_webhook']))
    expect((await client.send('POST', '/api/channels/channel_b/set-webhook', set)).status).toBe(404)
    expect(
      (await client.send('POST', '/api/channels/channel_a/set-webhook', { base_url: 'http://a.b' })).status,
    ).toBe(400)
    expect(
      (await client.send('POST', '/api/channels/channel_a/set-webhook', { base_url: 'https://a.b:444' }))
        .status,
    ).toBe(400)
  },
)

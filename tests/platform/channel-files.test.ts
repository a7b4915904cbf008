import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, vi } from 'vitest'
import { createHome, startServer } from '../server/server-process.ts'
import { channels, senders, startChannelWorld, type ChannelName, type ChannelWorld } from './channel-world.ts'
import { createPlatformClient } from './platform-client.ts'

const limit = { timeout: 120_000 }
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk', 'base64')
const pictureOf = (channel: ChannelName) => Buffer.concat([png, Buffer.of(channels.indexOf(channel))])

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

async function post(url: string, channel: ChannelName, { body, headers }: { body: string; headers: object }) {
  const address = `${url}/api/channels/${channel}/webhook`
  const response = await fetch(address, { method: 'POST', body, headers: { ...headers } })
  expect(response.status, channel).toBe(200)
}

it.concurrent('A1: pictures of all five platforms reach the model, with their text', limit, async () => {
  await using home = await createHome()
  await using world = await startChannelWorld()
  await using server = await startServer(home.path, world.environment)
  const url = server.agentsUrl
  const client = await prepare(url, world)
  for (const channel of channels) {
    const edit = world.withPicture(channel, pictureOf(channel))
    await post(url, channel, await world.webhook(channel, 1, `question-${channel}`, undefined, edit))
    await post(url, channel, await world.webhook(channel, 1, `question-${channel}`, undefined, edit))
  }
  const answered = (channel: ChannelName) => world.answersAt(channel)
  await vi.waitFor(
    () => {
      for (const channel of channels)
        expect(answered(channel), channel).toEqual([expect.stringContaining(`answer to question-${channel}`)])
    },
    { timeout: 60_000, interval: 50 },
  )
  for (const channel of channels)
    expect(world.prompts(), channel).toContain(pictureOf(channel).toString('base64'))
  expect(world.downloads).toHaveLength(4)
  const withKey = world.downloads.filter(({ authorization }) => authorization !== undefined)
  expect(withKey.map(({ path }) => path)).toEqual([expect.stringContaining('channel_b')])
  const { conversations } = await client.ok('GET', '/api/conversations')
  for (const { id } of conversations) {
    const { messages } = await client.ok('GET', `/api/conversations/${encodeURIComponent(id)}`)
    expect(JSON.stringify(messages)).toContain('"media_type":"image/png"')
  }
  for (const secret of Object.entries(world.settings).filter(([key]) => /token|secret/.test(key)))
    expect(server.output()).not.toContain(secret[1])
})

it.concurrent('A1: a large file of a bridge is taken, one of another platform is not', limit, async () => {
  await using home = await createHome()
  await using world = await startChannelWorld()
  await using server = await startServer(home.path, world.environment)
  const url = server.agentsUrl
  await prepare(url, world)
  const large = Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024, 7)])
  const edit = world.withPicture('channel_d', large)
  await post(url, 'channel_d', await world.webhook('channel_d', 1, 'question-large', undefined, edit))
  await vi.waitFor(() => expect(world.answersAt('channel_d')).toHaveLength(1), {
    timeout: 60_000,
    interval: 50,
  })
  expect(world.prompts().length).toBeGreaterThan(large.length)
  const { body, headers } = await world.webhook('channel_b', 1, 'x'.repeat(1024 * 1024 + 1))
  const refused = await fetch(`${url}/api/channels/channel_b/webhook`, { method: 'POST', body, headers })
  expect(refused.status).toBe(413)
})

/** A model of Google on loopback that answers with a text and a picture. */
async function startPainter(bytes: Buffer) {
  const parts = [
    { text: 'A picture:' },
    { inlineData: { mimeType: 'image/png', data: bytes.toString('base64') } },
  ]
  const candidates = [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }]
  const chunk = {
    candidates,
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  }
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${JSON.stringify(chunk)}\n\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    environment: { GOOGLE_API_KEY: 'k', GOOGLE_BASE_URL: `http://127.0.0.1:${port}/v1beta` },
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}

it.concurrent('A1: a picture of the model follows its text, and Viber gets a sentence', limit, async () => {
  await using home = await createHome()
  await using world = await startChannelWorld()
  await using painter = await startPainter(pictureOf('channel_a'))
  await using server = await startServer(home.path, { ...world.environment, ...painter.environment })
  const url = server.agentsUrl
  const client = await prepare(url, world)
  await client.ok('PUT', '/api/agents/helper', { model: 'google/gemini-3-image' })
  for (const channel of channels) await post(url, channel, await world.webhook(channel, 1, 'draw'))
  for (const channel of channels) {
    const count = channel === 'channel_e' ? 1 : 2
    const whole = { status: 'delivered', parts: { total: count, sent: count } }
    await vi.waitFor(
      async () => {
        const { messages } = await client.ok('GET', `/api/channels/${channel}/messages`)
        expect(messages, channel).toMatchObject([whole])
      },
      { timeout: 60_000, interval: 50 },
    )
    expect(world.answersAt(channel), channel).toEqual([expect.stringContaining('A picture:')])
  }
  expect(world.uploads.map(({ channel }) => channel).toSorted()).toEqual(channels.slice(0, 4))
  for (const { bytes } of world.uploads) expect(bytes).toEqual(pictureOf('channel_a'))
  expect(world.answersAt('channel_e')[0]).toMatch(/The file .* cannot be sent here/)
})

it.concurrent('A1: a message that starts with the agent may have files', limit, async () => {
  await using home = await createHome()
  await using world = await startChannelWorld()
  await using server = await startServer(home.path, world.environment)
  const url = server.agentsUrl
  await prepare(url, world)
  await post(url, 'channel_a', await world.webhook('channel_a', 1, 'question-first'))
  await vi.waitFor(() => expect(world.answersAt('channel_a')).toHaveLength(1), { timeout: 60_000 })
  const send = async (file: object) => {
    const message = { conversation_id: senders.channel_a, text: 'A picture:', files: [file] }
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'once' }
    const body = JSON.stringify(message)
    return fetch(`${url}/api/channels/telegram/send`, { method: 'POST', headers, body })
  }
  const file = { name: 'a.png', media_type: 'image/png', data: pictureOf('channel_b').toString('base64') }
  expect((await send(file)).status).toBe(202)
  expect((await send(file)).status).toBe(202)
  expect((await send({ ...file, data: 'AQID' })).status).toBe(409)
  expect((await send({ ...file, data: 'not base64' })).status).toBe(400)
  expect((await send({ path: 'secret.txt' })).status).toBe(400)
  await vi.waitFor(() => expect(world.uploads).toHaveLength(1), { timeout: 60_000 })
  expect(world.answersAt('channel_a').slice(1)).toEqual(['A picture:'])
  expect(world.uploads[0]?.bytes).toEqual(pictureOf('channel_b'))
})

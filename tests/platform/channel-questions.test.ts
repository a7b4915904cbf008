import { expect, it, vi } from 'vitest'
import { createHome, startServer } from '../server/server-process.ts'
import { channels, senders, startChannelWorld, type ChannelName, type WebhookCall } from './channel-world.ts'
import { createPlatformClient } from './platform-client.ts'

const limit = { timeout: 180_000 }
const wait = { timeout: 60_000, interval: 50 }

async function post(url: string, channel: ChannelName, { body, headers }: WebhookCall) {
  const response = await fetch(`${url}/api/channels/${channel}/webhook`, { method: 'POST', body, headers })
  return response.status
}

/** The commands of the buttons in what was sent to a platform. */
const commandsIn = (sent: unknown) => [
  ...new Set(JSON.stringify(sent).match(/\/answer [A-Z\d]{8} \d+/g) ?? []),
]

it('questions are asked and answered once at five platforms, over a kill -9', limit, async () => {
  await using home = await createHome()
  await using world = await startChannelWorld()
  const asked = (channel: ChannelName) =>
    world.sentTo(channel).filter((_, index) => world.answersAt(channel)[index]?.startsWith('Which color?'))
  {
    await using server = await startServer(home.path, world.environment)
    const url = server.agentsUrl
    const client = createPlatformClient(url)
    await client.ok('POST', '/api/agents', { id: 'helper', model: 'openai/channels', ask_user: true })
    await client.ok('PUT', '/api/settings', world.settings)
    for (const channel of channels) {
      const id = encodeURIComponent(senders[channel])
      await client.ok('PUT', `/api/channels/${channel}/senders/${id}`, { status: 'allowed' })
      expect(await post(url, channel, await world.webhook(channel, 1, `ask-me question-${channel}`))).toBe(
        200,
      )
    }
    await vi.waitFor(() => {
      for (const channel of channels) expect(asked(channel), channel).toHaveLength(1)
    }, wait)
    await server.end('SIGKILL')
  }
  await using server = await startServer(home.path, world.environment)
  const url = server.agentsUrl
  for (const channel of channels) {
    const commands = commandsIn(asked(channel))
    expect(commands, channel).toHaveLength(channel === 'channel_d' ? 0 : 2)
    const isPressed = channel === 'channel_a' || channel === 'channel_b' || channel === 'channel_c'
    const answer = isPressed
      ? await world.press(channel, 2, commands[1] ?? '')
      : await world.webhook(channel, 2, channel === 'channel_e' ? (commands[1] ?? '') : 'BLUE')
    // platforms send what they send twice
    expect([await post(url, channel, answer), await post(url, channel, answer)], channel).toEqual([200, 200])
  }
  await vi.waitFor(() => {
    for (const channel of channels) {
      const finals = world.answersAt(channel).filter((text) => text.includes(`answer to question-${channel}`))
      expect(finals, channel).toHaveLength(1)
      expect(asked(channel).length, channel).toBeGreaterThanOrEqual(1)
    }
  }, wait)
  expect(world.calls).toEqual(expect.arrayContaining(['editMessageText', 'chat.update']))
  const { runs } = await createPlatformClient(url).ok('GET', '/api/runs')
  expect(runs).toHaveLength(5)
  for (const run of runs) {
    expect(run).toMatchObject({ status: 'completed', waits: [{ status: 'answered', data: 'blue' }] })
    expect(run.result.tool_calls).toBe(1)
  }
})

it('an agent in the background answers in the chat once, over a kill -9', limit, async () => {
  await using home = await createHome()
  await using world = await startChannelWorld()
  const dug = () => world.answersAt('channel_a').filter((text) => text.includes('answer to question-dug'))
  {
    await using server = await startServer(home.path, world.environment)
    const client = createPlatformClient(server.agentsUrl)
    for (const id of ['helper', 'digger'])
      await client.ok('POST', '/api/agents', { id, model: 'openai/channels' })
    await client.ok('PUT', '/api/settings', world.settings)
    const id = encodeURIComponent(senders.channel_a)
    await client.ok('PUT', `/api/channels/channel_a/senders/${id}`, { status: 'allowed' })
    const asked = await world.webhook('channel_a', 1, 'dig-for-me question-first')
    expect(await post(server.agentsUrl, 'channel_a', asked)).toBe(200)
    await vi.waitFor(async () => {
      const { runs } = await client.ok('GET', '/api/runs?agent_id=digger')
      expect(runs).toHaveLength(1)
    }, wait)
    await server.end('SIGKILL')
  }
  await using server = await startServer(home.path, world.environment)
  await vi.waitFor(() => expect(dug()).toHaveLength(1), wait)
  const { runs } = await createPlatformClient(server.agentsUrl).ok('GET', '/api/runs?agent_id=digger')
  expect(runs).toMatchObject([{ status: 'completed' }])
  expect(dug()).toHaveLength(1)
})

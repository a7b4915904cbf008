import { expect, it, vi } from 'vitest'
import { createHome, startServer } from '../server/server-process.ts'
import { channels, senders, startChannelWorld, type ChannelName, type WebhookCall } from './channel-world.ts'
import { createPlatformClient } from './platform-client.ts'

const limit = { timeout: 180_000 }
const wait = { timeout: 60_000, interval: 50 }

async function post(url: string, channel: ChannelName, { body, headers }: WebhookCall) {
  const response = await fetch(`${url}/api/channels/${channel}/webhook`, { method: 'POST', body, headers })
  return { status: response.status, text: await response.text() }
}

it(
  'A20: calls are announced once at five platforms, and made once they are approved, over a kill -9',
  limit,
  async () => {
    await using home = await createHome()
    await using world = await startChannelWorld()
    const announced = (channel: ChannelName) =>
      world.answersAt(channel).filter((text) => text.includes('/approve'))
    {
      await using server = await startServer(home.path, world.environment)
      const url = server.agentsUrl
      const client = createPlatformClient(url)
      await client.ok('POST', '/api/agents', {
        id: 'helper',
        model: 'openai/channels',
        approval_tools: ['write_file'],
      })
      await client.ok('PUT', '/api/settings', world.settings)
      for (const channel of channels) {
        const id = encodeURIComponent(senders[channel])
        await client.ok('PUT', `/api/channels/${channel}/senders/${id}`, { status: 'allowed' })
        const asked = await world.webhook(channel, 1, `use-tool question-${channel}`)
        expect((await post(url, channel, asked)).status, channel).toBe(200)
      }
      await vi.waitFor(() => {
        for (const channel of channels) expect(announced(channel), channel).toHaveLength(1)
      }, wait)
      await server.end('SIGKILL')
    }
    await using server = await startServer(home.path, world.environment)
    const url = server.agentsUrl
    const codes = Object.fromEntries(
      channels.map((channel) => [
        channel,
        /\/approve ([A-Z\d]{8})/.exec(announced(channel)[0] ?? '')?.[1] ?? '',
      ]),
    )
    expect(world.sentTo('channel_a')[0]).toMatchObject({
      reply_markup: { inline_keyboard: [[{ callback_data: `/approve ${codes['channel_a']}` }, {}]] },
    })
    expect(world.sentTo('channel_e')[0]).toMatchObject({
      keyboard: { Buttons: [{ ActionBody: `/approve ${codes['channel_e']}` }, {}] },
    })
    for (const channel of ['channel_a', 'channel_b', 'channel_c'] as const) {
      const press = await world.press(channel, 2, `/approve ${codes[channel]}`)
      const reply = await post(url, channel, press)
      expect(reply.status, channel).toBe(200)
      if (channel === 'channel_c') expect(JSON.parse(reply.text)).toEqual({ type: 5, data: { flags: 64 } })
      await post(url, channel, press)
    }
    for (const channel of ['channel_d', 'channel_e'] as const) {
      await post(url, channel, await world.webhook(channel, 2, `/approve ${codes[channel]}`))
    }
    await vi.waitFor(() => {
      for (const channel of channels) {
        const answers = world.answersAt(channel)
        const finals = answers.filter((text) => text.includes(`answer to question-${channel}`))
        expect(finals, channel).toHaveLength(1)
        const decided = answers.filter((text) => text.includes('Approved'))
        expect(decided.length, channel).toBeGreaterThanOrEqual(1)
        expect(announced(channel), channel).toHaveLength(1)
      }
    }, wait)
    expect(world.calls.filter((call) => call === 'answerCallbackQuery').length).toBeGreaterThanOrEqual(1)
    expect(world.calls).toEqual(expect.arrayContaining(['editMessageText', 'chat.update']))
    const client = createPlatformClient(url)
    const { runs } = await client.ok('GET', '/api/runs')
    expect(runs).toHaveLength(5)
    for (const run of runs) {
      expect(run).toMatchObject({ status: 'completed', approvals: [{ status: 'approved' }] })
      expect(run.result.tool_calls).toBe(1)
    }
  },
)

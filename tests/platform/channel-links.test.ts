import { expect, it, vi } from 'vitest'
import { createHome, startServer } from '../server/server-process.ts'
import { senders, startChannelWorld, type ChannelName } from './channel-world.ts'
import { createPlatformClient } from './platform-client.ts'

const soon = { timeout: 60_000, interval: 50 }

it('A1: a person is linked over Telegram and Slack, whenever the server is killed', async () => {
  await using home = await createHome()
  await using world = await startChannelWorld()
  const [telegram, slack] = ['channel_a', 'channel_b'] as const
  const user = `telegram:${senders[telegram]}`
  let number = 0
  const post = async (url: string, channel: ChannelName, text: string) => {
    number += 1
    const { body, headers } = await world.webhook(channel, number, text)
    const sent = await fetch(`${url}/api/channels/${channel}/webhook`, { method: 'POST', body, headers })
    expect(sent.status).toBe(200)
  }
  const answer = (channel: ChannelName, expected: string) =>
    vi.waitFor(() => {
      const found = world.answersAt(channel).find((text) => text.includes(expected))
      expect(found).toBeDefined()
      return found ?? ''
    }, soon)
  let code: string
  {
    await using server = await startServer(home.path, world.environment)
    const { agentsUrl: url } = server
    const client = createPlatformClient(url)
    await client.ok('POST', '/api/agents', { id: 'helper', model: 'openai/channels' })
    await client.ok('PUT', '/api/settings', world.settings)
    for (const channel of [telegram, slack])
      await client.ok('PUT', `/api/channels/${channel}/senders/${senders[channel]}`, { status: 'allowed' })
    await post(url, slack, 'question-slack')
    await answer(slack, 'answer to question-slack')
    const memory = { agent_id: 'helper', user_id: `slack:${senders[slack]}`, text: 'likes walnuts' }
    await client.ok('POST', '/api/memory/write', memory)
    await post(url, telegram, '/link')
    code = /\b[A-Z2-9]{8}\b/.exec(await answer(telegram, '/link '))?.[0] ?? ''
    await server.end('SIGKILL')
  }
  {
    await using server = await startServer(home.path, world.environment)
    await post(server.agentsUrl, slack, `/link ${code.slice(0, 4)} ${code.slice(4).toLowerCase()}`)
    await server.end('SIGKILL') // what was acknowledged is stored
  }
  await using server = await startServer(home.path, world.environment)
  const client = createPlatformClient(server.agentsUrl)
  await answer(slack, 'Linked.')
  for (const channel of [telegram, slack]) {
    const { senders: listed } = await client.ok('GET', `/api/channels/${channel}/senders`)
    expect(listed).toMatchObject([{ id: senders[channel], user_id: user }])
  }
  await post(server.agentsUrl, slack, 'question-linked')
  await answer(slack, 'answer to question-linked')
  const { runs } = await client.ok('GET', '/api/runs')
  expect(runs).toMatchObject([{ user_id: user }, { user_id: `slack:${senders[slack]}` }])
  const { conversations } = await client.ok('GET', `/api/conversations?user_id=${user}`)
  expect(conversations).toMatchObject([{ message_count: 4 }])
  const { results } = await client.ok('GET', `/api/memory/search?q=walnuts&user_id=${user}`)
  expect(results).toMatchObject([{ text: 'likes walnuts' }])
})

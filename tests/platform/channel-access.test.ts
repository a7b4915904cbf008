import { expect, it, vi } from 'vitest'
import { createHome, startServer } from '../server/server-process.ts'
import { channels, senders, startChannelWorld, type ChannelName, type ChannelWorld } from './channel-world.ts'
import { createPlatformClient } from './platform-client.ts'

const limit = { timeout: 120_000 }
const soon = { timeout: 60_000, interval: 50 }

/** A server that nobody may write to yet. */
async function open(home: { readonly path: string }, world: ChannelWorld) {
  const server = await startServer(home.path, world.environment)
  const client = createPlatformClient(server.agentsUrl)
  let number = 0
  return {
    server,
    client,
    async prepare() {
      await client.ok('POST', '/api/agents', { id: 'helper', model: 'openai/channels' })
      await client.ok('PUT', '/api/settings', world.settings)
    },
    async post(channel: ChannelName, text: string, sender?: string) {
      number += 1
      const { body, headers } = await world.webhook(channel, number, text, sender)
      const url = `${server.agentsUrl}/api/channels/${channel}/webhook`
      const response = await fetch(url, { method: 'POST', body, headers })
      expect(response.status, channel).toBe(200)
      return response.text()
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const welcome = 'You can write to this agent now.'
const codeIn = (text = '') => /\b[A-Z2-9]{8}\b/.exec(text)?.[0] ?? ''

it.concurrent(
  'A1: an unknown person on each platform gets a code, which lets the person in',
  limit,
  async () => {
    await using home = await createHome()
    await using world = await startChannelWorld()
    await using running = await open(home, world)
    const { client, post } = running
    await running.prepare()
    for (const channel of channels) await post(channel, 'question-before')
    await vi.waitFor(() => {
      for (const channel of channels) expect(world.answersAt(channel), channel).toHaveLength(1)
    }, soon)
    for (const channel of channels) {
      const again = await post(channel, 'question-again')
      if (channel === 'channel_c') expect(again).toMatch(/"type":4.*"flags":64/)
      const { senders: waiting } = await client.ok('GET', `/api/channels/${channel}/senders`)
      const code = codeIn(world.answersAt(channel)[0])
      expect(waiting, channel).toEqual([
        expect.objectContaining({ id: senders[channel], kind: 'person', status: 'pending', code }),
      ])
      expect((await client.send('POST', `/api/channels/${channel}/pair`, { code: 'AAAAAAAA' })).status).toBe(
        404,
      )
      const { sender } = await client.ok('POST', `/api/channels/${channel}/pair`, { code })
      expect(sender, channel).toMatchObject({ id: senders[channel], status: 'allowed' })
      expect((await client.send('POST', `/api/channels/${channel}/pair`, { code })).status).toBe(404)
      await vi.waitFor(() => expect(world.answersAt(channel), channel).toHaveLength(2), soon)
      expect(world.answersAt(channel)[1], channel).toBe(welcome)
      await post(channel, `question-${channel}`)
    }
    await vi.waitFor(() => {
      for (const channel of channels) {
        expect(world.answersAt(channel), channel).toHaveLength(3)
        expect(world.answersAt(channel)[2], channel).toContain(`answer to question-${channel}`)
      }
    }, soon)
    expect(world.prompts()).not.toMatch(/question-(?:before|again)/)
    const { tasks } = await client.ok('GET', '/api/tasks')
    expect(tasks.map((task: { user_id: string }) => task.user_id).toSorted()).toEqual([
      'bridge:+15550101',
      'discord:1000000000000000040',
      'slack:U0USER0001',
      'telegram:100000001',
      'viber:dGVzdC11c2VyLTE=',
    ])
  },
)

it.concurrent('A1: a code survives a kill -9, and is sent once', limit, async () => {
  await using home = await createHome()
  await using world = await startChannelWorld()
  const release = world.holdPlatforms()
  {
    await using running = await open(home, world)
    await running.prepare()
    for (const channel of channels) await running.post(channel, 'question-before')
    await running.server.end('SIGKILL')
  }
  release()
  await using running = await open(home, world)
  const { senders: waiting } = await running.client.ok('GET', '/api/channels/telegram/senders')
  expect(waiting).toHaveLength(1)
  const { messages } = await running.client.ok('GET', '/api/channels/telegram/messages')
  expect(messages).toHaveLength(1)
  expect(messages[0]).not.toHaveProperty('task_id')
  // what was being sent at that moment may have arrived: then a person decides
  await vi.waitFor(async () => {
    const { messages: all } = await running.client.ok('GET', '/api/channels/telegram/messages')
    expect(['delivered', 'uncertain']).toContain(all[0].status)
  }, soon)
  expect(world.answersAt('channel_a').length).toBeLessThanOrEqual(1)
})

it.concurrent('A1: a person is told that it may write once, also after a kill -9', limit, async () => {
  await using home = await createHome()
  await using world = await startChannelWorld()
  let release = () => {}
  {
    await using running = await open(home, world)
    await running.prepare()
    for (const channel of channels) await running.post(channel, 'question-before')
    await vi.waitFor(() => {
      for (const channel of channels) expect(world.answersAt(channel), channel).toHaveLength(1)
    }, soon)
    release = world.holdPlatforms()
    for (const channel of channels) {
      const path = `/api/channels/${channel}/senders/${encodeURIComponent(senders[channel])}`
      for (let times = 0; times < 2; times += 1) {
        await running.client.ok('PUT', path, { status: 'allowed' })
      }
    }
    await running.server.end('SIGKILL')
  }
  release()
  await using running = await open(home, world)
  for (const channel of channels) {
    await vi.waitFor(async () => {
      const { messages } = await running.client.ok('GET', `/api/channels/${channel}/messages`)
      const told = messages.filter(({ text }: { text: string }) => text === welcome)
      expect(told, channel).toHaveLength(1)
      // what was being sent at that moment may have arrived: then a person decides
      expect(['delivered', 'uncertain'], channel).toContain(told[0].status)
    }, soon)
  }
})

it.concurrent('A1: a blocked person gets nothing, and what others write stays apart', limit, async () => {
  await using home = await createHome()
  await using world = await startChannelWorld()
  await using running = await open(home, world)
  const { client, post } = running
  await running.prepare()
  const put = (id: string, status: string) =>
    client.send('PUT', `/api/channels/bridge/senders/${encodeURIComponent(id)}`, { status })
  expect((await put('a/b c?', 'blocked')).body).toMatchObject({ ok: true, sender: { id: 'a/b c?' } })
  expect((await put('ann', 'unknown')).status).toBe(400)
  expect((await client.send('PUT', '/api/channels/nope/senders/x', { status: 'allowed' })).status).toBe(404)
  await put('ann', 'allowed')
  await put('bob', 'allowed')
  await client.ok('PUT', '/api/settings', { channel_d_access: 'open' })
  await post('channel_d', 'question-secret', 'ann')
  await vi.waitFor(() => expect(world.answersAt('channel_d')).toHaveLength(1), soon)
  const before = world.prompts().length
  await post('channel_d', 'question-other', 'bob')
  await post('channel_d', 'question-blocked', 'a/b c?')
  await vi.waitFor(() => expect(world.answersAt('channel_d')).toHaveLength(2), soon)
  expect(world.prompts().slice(before)).not.toMatch(/question-(?:secret|blocked)/)
  await post('channel_d', '/new', 'ann')
  await post('channel_d', '/help', 'ann')
  await vi.waitFor(() => expect(world.answersAt('channel_d')).toHaveLength(4), soon)
  expect(world.answersAt('channel_d').join('\n')).toMatch(/Started a new conversation[^]*\/stop/)
  const { warnings } = await client.ok('GET', '/api/channels/bridge/status')
  expect(warnings.join(' ')).toContain('Anyone can use this agent')
})

it.concurrent('A1, A12: an allowed group is one user, and its text says who speaks', limit, async () => {
  await using home = await createHome()
  await using world = await startChannelWorld()
  await using running = await open(home, world)
  const { client, server } = running
  await running.prepare()
  let number = 0
  const say = async (name: string, text: string) => {
    const sender = { id: name.toLowerCase(), name }
    const message = { id: `g-${(number += 1)}`, conversation_id: 'family', sender, text }
    const body = JSON.stringify({ ...message, is_group: true, mentioned: true })
    const response = await fetch(`${server.agentsUrl}/api/channels/bridge/webhook`, { method: 'POST', body })
    expect(await response.json()).toEqual({ ok: true })
  }
  await say('Ann', 'question-early')
  const { senders: waiting } = await client.ok('GET', '/api/channels/channel_d/senders')
  expect(waiting).toEqual([expect.objectContaining({ id: 'family', kind: 'group', status: 'pending' })])
  expect(waiting[0]).not.toHaveProperty('code')
  await client.ok('PUT', '/api/channels/channel_d/senders/family', { status: 'allowed' })
  await say('Ann', 'question-one')
  await say('Bob] [Eve', 'question-two')
  await vi.waitFor(() => expect(world.answersAt('channel_d')).toHaveLength(2), soon)
  const { tasks } = await client.ok('GET', '/api/tasks')
  expect(tasks.map((task: { input: string; user_id: string }) => [task.user_id, task.input])).toEqual([
    ['bridge:family', '[Bob Eve]: question-two'],
    ['bridge:family', '[Ann]: question-one'],
  ])
  expect(world.prompts()).not.toContain('question-early')
  await client.ok('PUT', '/api/settings', { channel_d_group_access: 'off' })
  await say('Ann', '/status')
  await client.ok('PUT', '/api/settings', { channel_d_group_access: null })
  await say('Ann', '/help')
  await vi.waitFor(() => expect(world.answersAt('channel_d')).toHaveLength(3), soon)
  expect(world.answersAt('channel_d')[2]).toContain('/stop')
})

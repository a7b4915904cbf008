import { expect, it, vi } from 'vitest'
import { createHome, startServer } from '../server/server-process.ts'
import { channels, senders, startChannelWorld, type ChannelName, type ChannelWorld } from './channel-world.ts'
import { createPlatformClient } from './platform-client.ts'

const limit = { timeout: 120_000 }
const soon = { timeout: 60_000, interval: 50 }

/** A server at which one person of each platform is allowed. */
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
      for (const channel of channels) {
        const id = encodeURIComponent(senders[channel])
        await client.ok('PUT', `/api/channels/${channel}/senders/${id}`, { status: 'allowed' })
      }
    },
    async post(channel: ChannelName, text: string, sender?: string) {
      number += 1
      const { body, headers } = await world.webhook(channel, number, text, sender)
      const url = `${server.agentsUrl}/api/channels/${channel}/webhook`
      expect((await fetch(url, { method: 'POST', body, headers })).status, channel).toBe(200)
    },
    /** The chat of the newest message. */
    async chatAt(channel: ChannelName): Promise<string> {
      const { messages } = await client.ok('GET', `/api/channels/${channel}/messages`)
      return messages[0].conversation_id
    },
    async send(channel: string, body: object, key?: string) {
      const headers = { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) }
      const url = `${server.agentsUrl}/api/channels/${channel}/send`
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
      return { status: response.status, body: await response.json() }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

it.concurrent('A1: a message that starts with the agent arrives once on each platform', limit, async () => {
  await using home = await createHome()
  await using world = await startChannelWorld()
  await using running = await open(home, world)
  await running.prepare()
  for (const channel of channels) await running.post(channel, `question-${channel}`)
  await vi.waitFor(() => {
    for (const channel of channels) expect(world.answersAt(channel), channel).toHaveLength(1)
  }, soon)
  for (const channel of channels) {
    const body = { conversation_id: await running.chatAt(channel), text: `Good *morning* ${channel}` }
    const first = await running.send(channel, body, `key ${channel}`)
    expect(first, channel).toMatchObject({ status: 202, body: { message: { channel, text: body.text } } })
    const again = await running.send(channel, body, `key ${channel}`)
    expect([again.status, again.body.message.id], channel).toEqual([202, first.body.message.id])
    expect((await running.send(channel, { ...body, text: 'other' }, `key ${channel}`)).status).toBe(409)
  }
  await vi.waitFor(() => {
    for (const channel of channels) {
      expect(world.answersAt(channel)[1], channel).toMatch(new RegExp(`Good .*morning.* ${channel}`))
      expect(world.answersAt(channel), channel).toHaveLength(2)
    }
  }, soon)
  const data = Buffer.from('the plan').toString('base64')
  const withFile = {
    conversation_id: '100000001',
    text: 'Read this',
    files: [{ name: 'plan.txt', media_type: 'text/plain', data }],
  }
  expect((await running.send('telegram', withFile)).status).toBe(202)
  await vi.waitFor(async () => {
    const { messages } = await running.client.ok('GET', '/api/channels/telegram/messages')
    expect(messages[0]).toMatchObject({ status: 'delivered', parts: { total: 2, sent: 2 } })
  }, soon)
  const broken = { ...withFile, files: [{ name: 'plan.txt', media_type: 'text/plain', data: '***' }] }
  expect((await running.send('telegram', broken)).status).toBe(400)
  const to = (conversationId: unknown) => ({ conversation_id: conversationId, text: 'hi' })
  expect((await running.send('telegram', to('nowhere'))).status).toBe(403)
  expect((await running.send('nothing', to('nowhere'))).status).toBe(404)
  expect((await running.send('telegram', { ...to('100000001'), text: '' })).status).toBe(400)
  expect((await running.send('telegram', to('100000001'))).status).toBe(202)
  await running.client.ok('PUT', '/api/channels/telegram/senders/100000001', { status: 'blocked' })
  const refused = await running.send('telegram', to('100000001'))
  expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
})

it.concurrent('A1: a message that was accepted is sent after a kill -9', limit, async () => {
  await using home = await createHome()
  await using world = await startChannelWorld()
  let id = ''
  let release = () => {}
  {
    await using running = await open(home, world)
    await running.prepare()
    await running.post('channel_d', 'question-first')
    await vi.waitFor(() => expect(world.answersAt('channel_d')).toHaveLength(1), soon)
    release = world.holdPlatforms()
    const body = { conversation_id: await running.chatAt('channel_d'), text: 'after all' }
    id = (await running.send('channel_d', body, 'k')).body.message.id
    await running.server.end('SIGKILL')
  }
  release()
  await using running = await open(home, world)
  await vi.waitFor(async () => {
    const { messages } = await running.client.ok('GET', '/api/channels/channel_d/messages')
    const message = messages.find((one: { id: string }) => one.id === id)
    expect(['delivered', 'uncertain']).toContain(message.status)
  }, soon)
  expect(world.answersAt('channel_d').filter((text) => text === 'after all').length).toBeLessThanOrEqual(1)
})

it.concurrent('A1: a route lets another agent answer in a chat of each platform', limit, async () => {
  await using home = await createHome()
  await using world = await startChannelWorld()
  await using running = await open(home, world)
  const { client } = running
  await running.prepare()
  await client.ok('POST', '/api/agents', { id: 'writer', model: 'openai/channels' })
  const chats: Record<ChannelName, string> = {
    channel_a: '100000001',
    channel_b: `D${senders.channel_b}`,
    channel_c: '2000000000000000040',
    channel_d: 'signal:+15550101',
    channel_e: senders.channel_e,
  }
  for (const channel of channels) {
    const routes = [{ conversation: chats[channel], agent_id: 'writer' }]
    const put = await client.ok('PUT', `/api/channels/${channel}/routes`, { routes })
    expect(put, channel).toEqual({ ok: true, routes })
    expect(await client.ok('GET', `/api/channels/${channel}/routes`), channel).toEqual({ routes })
    await running.post(channel, `question-${channel}`)
    const { messages } = await client.ok('GET', `/api/channels/${channel}/messages`)
    const { task } = await client.ok('GET', `/api/tasks/${messages[0].task_id}`)
    expect(task.agent_id, channel).toBe('writer')
    await running.post(channel, '/agent helper')
    await running.post(channel, 'question-again')
    const { routes: changed } = await client.ok('GET', `/api/channels/${channel}/routes`)
    expect(changed, channel).toEqual([{ conversation: chats[channel], agent_id: 'helper' }])
  }
  const unknown = { routes: [{ conversation: '1', agent_id: 'nobody' }] }
  expect((await client.send('PUT', '/api/channels/telegram/routes', unknown)).status).toBe(400)
  expect((await client.send('GET', '/api/channels/nothing/routes')).status).toBe(404)
})

it.concurrent('A1: a task is reported once to each platform, also after a kill -9', limit, async () => {
  await using home = await createHome()
  await using world = await startChannelWorld()
  let release = () => {}
  {
    await using running = await open(home, world)
    const { client } = running
    await running.prepare()
    const reportTo = []
    for (const channel of channels) {
      await running.post(channel, `question-${channel}`)
      reportTo.push({ channel, conversation_id: await running.chatAt(channel) })
    }
    await vi.waitFor(() => {
      for (const channel of channels) expect(world.answersAt(channel), channel).toHaveLength(1)
    }, soon)
    const nowhere = { report_to: [{ channel: 'telegram', conversation_id: 'nowhere' }] }
    expect((await client.send('PUT', '/api/agents/helper', nowhere)).status).toBe(400)
    const { agent } = await client.ok('PUT', '/api/agents/helper', { report_to: reportTo })
    expect(agent.report_to).toEqual(reportTo)
    release = world.holdModel()
    const created = await client.send('POST', '/api/tasks', { agent_id: 'helper', task: 'question-report' })
    expect(created.status).toBe(202)
    await running.server.end('SIGKILL')
  }
  release()
  await using running = await open(home, world)
  await vi.waitFor(() => {
    for (const channel of channels) {
      const reports = world.answersAt(channel).filter((text) => text.includes('question-report'))
      expect(reports, channel).toHaveLength(1)
    }
  }, soon)
  for (const channel of channels) {
    const { messages } = await running.client.ok('GET', `/api/channels/${channel}/messages`)
    expect(messages, channel).toHaveLength(2)
  }
})

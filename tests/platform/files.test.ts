import { expect, it } from 'vitest'
import { createHome, startServer } from '../server/server-process.ts'
import { createPlatformClient } from './platform-client.ts'
import { startStandInProvider } from './stand-in-provider.ts'

const limit = { timeout: 90_000 }
const data = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]).toString('base64')
const files = [{ name: 'cat.png', media_type: 'image/png', data }]

it(
  'a task with a file that was acknowledged sends the file behind a kill -9, and so does its conversation',
  limit,
  async () => {
    await using home = await createHome()
    await using provider = await startStandInProvider([{ text: 'Let me', hang: true }, { text: 'A cat.' }])
    let id: string
    {
      await using server = await startServer(home.path, provider.environment)
      const client = createPlatformClient(server.agentsUrl)
      await client.ok('POST', '/api/agents', { id: 'seer', model: 'openai/any' })
      const body = { agent_id: 'seer', task: 'What is it?', conversation_id: 'c', files }
      id = (await client.send('POST', '/api/tasks', body)).body.task.id
      await provider.hanging
      await server.end('SIGKILL')
    }
    await using server = await startServer(home.path, provider.environment)
    const client = createPlatformClient(server.agentsUrl)
    await expect
      .poll(async () => (await client.ok('GET', `/api/tasks/${id}`)).task.status, limit)
      .toBe('completed')
    await client.ok('POST', '/api/agents/run', { agent_id: 'seer', task: 'Sure?', conversation_id: 'c' })
    expect(provider.calls.length).toBeGreaterThanOrEqual(3)
    for (const { prompt } of provider.calls) expect(prompt).toContain(`data:image/png;base64,${data}`)
    const { messages } = await client.ok('GET', '/api/conversations/c')
    const stored = await fetch(`${server.agentsUrl}/api/files/${messages[0].files[0].id}`)
    expect(Buffer.from(await stored.arrayBuffer()).toString('base64')).toBe(data)
  },
)

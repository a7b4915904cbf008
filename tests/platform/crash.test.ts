import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createHome, startServer } from '../server/server-process.ts'
import { createPlatformClient, type PlatformClient } from './platform-client.ts'
import { startStandInProvider } from './stand-in-provider.ts'

const limit = { timeout: 60_000 }

/** Everything that a client can see of what the platform keeps. */
async function visible(client: PlatformClient, conversationId: string): Promise<Record<string, unknown>> {
  const paths = {
    agents: '/api/agents',
    conversation: `/api/conversations/${conversationId}`,
    conversations: '/api/conversations?agent_id=keeper',
    memories: '/api/memory/search?q=harbour&agent_id=keeper',
    settings: '/api/settings',
    skills: '/api/skills',
    config: '/api/skills/home-assistant/config',
  }
  const found = Object.entries(paths).map(
    async ([name, path]) => [name, await client.ok('GET', path)] as const,
  )
  return Object.fromEntries(await Promise.all(found))
}

async function fill(client: PlatformClient): Promise<string> {
  await client.ok('POST', '/api/agents', { id: 'keeper', model: 'test/echo', skills: ['word-count'] })
  const run = { agent_id: 'keeper', task: 'Keep this in mind.' }
  const { conversation_id: conversationId } = await client.ok('POST', '/api/agents/run', run)
  const message = { conversation_id: conversationId, role: 'user', content: 'And this.' }
  await client.ok('POST', '/api/conversations', message)
  await client.ok('POST', '/api/memory/write', { agent_id: 'keeper', text: 'The boat lies in the harbour.' })
  await client.ok('PUT', '/api/settings', {
    registry_url: 'https://store.example/r.json',
    google_api_key: 'g',
  })
  await client.ok('PUT', '/api/skills/home-assistant/config', { access_token: 'home-token' })
  const form = new FormData()
  form.append('file', new Blob(['---\nname: notes\ndescription: Takes notes.\n---\nNote.\n']), 'SKILL.md')
  await client.ok('POST', '/api/skills/upload-skill-md', form)
  await client.ok('DELETE', '/api/skills/weather')
  return conversationId
}

it.concurrent(
  'A6, A8, A13: keeps what was answered with 2xx when it is killed during a run, and goes on with that run',
  limit,
  async () => {
    await using home = await createHome()
    await using provider = await startStandInProvider([
      { text: 'Half an answ', hang: true },
      { text: 'A whole answer.' },
    ])
    const { environment } = provider
    let before: Record<string, unknown>
    let runId = ''
    let lastId = ''
    let conversationId: string
    {
      await using server = await startServer(home.path, environment)
      const client = createPlatformClient(server.agentsUrl)
      conversationId = await fill(client)
      before = await visible(client, conversationId)
      const request = { agent_id: 'demo', task: 'Write.', idempotency_key: 'once' }
      const stream = client.events('POST', '/api/agents/run/stream', request)
      for await (const { id, event, data } of stream) {
        if (event === 'start') runId = data.run_id
        lastId = id
        if (event === 'assistant') break
      }
      await server.end('SIGKILL')
    }
    await using server = await startServer(home.path, environment)
    const client = createPlatformClient(server.agentsUrl)
    // The lease of the process that was killed has to end first: this takes some twenty seconds.
    const resumed = client.events('GET', `/api/runs/${runId}/events`, undefined, { 'Last-Event-ID': lastId })
    const events = await Array.fromAsync(resumed)
    expect(events.filter(({ event }) => event === 'assistant').map(({ data }) => data.delta)).toEqual([
      'A whole answer.',
    ])
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { output: 'A whole answer.' } })
    const number = (id: string) => Number(id.split(':').at(-1))
    expect(number(events[0]?.id ?? '')).toBeGreaterThan(number(lastId))
    const { run } = await client.ok('GET', `/api/runs/${runId}`)
    expect(run).toMatchObject({ status: 'completed', result: { success: true, run_id: runId } })
    // the same request again is the same run: nothing is done twice
    const again = { agent_id: 'demo', task: 'Write.', idempotency_key: 'once' }
    expect((await client.send('POST', '/api/agents/run', again)).body).toMatchObject({
      run_id: runId,
      success: true,
      output: 'A whole answer.',
    })
    expect(provider.calls).toHaveLength(2)

    const after = await visible(client, conversationId)
    // a seed skill that was removed is back: the start installs what is not there
    const withoutWeather = (skills: unknown) =>
      (skills as { skills: { id: string }[] }).skills.filter(({ id }) => id !== 'weather')
    expect({ ...after, skills: withoutWeather(after['skills']) }).toEqual({
      ...before,
      skills: withoutWeather(before['skills']),
    })
    for (const file of ['config.json', 'configs/home-assistant.json']) {
      expect((await stat(join(home.path, file))).mode & 0o777, file).toBe(0o600)
    }
    expect((await stat(home.path)).mode & 0o077).toBe(0)
  },
)

it.concurrent(
  'leaves the runs of a server alone that is up, when a second one cannot have its port',
  limit,
  async () => {
    await using home = await createHome()
    await using provider = await startStandInProvider([{ text: 'Working', hang: true }])
    await using server = await startServer(home.path, provider.environment)
    const client = createPlatformClient(server.agentsUrl)
    const running = client.events('POST', '/api/agents/run/stream', { agent_id: 'demo', task: 'Work.' })
    const { value: start } = await running.next()
    await provider.hanging
    const { port } = new URL(server.agentsUrl)
    await expect(startServer(home.path, { PORT: port })).rejects.toThrow('is in use')
    const { run } = await client.ok('GET', `/api/runs/${start.data.run_id}`)
    expect(run.status).toBe('running')
    await running.return(undefined)
    await client.ok('POST', `/api/runs/${run.id}/cancel`)
    expect((await client.ok('GET', `/api/runs/${run.id}`)).run.status).toBe('cancelled')
  },
)

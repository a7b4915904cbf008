import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createHome, startServer } from '../server/server-process.ts'
import { startChatModel } from './chat-model.ts'
import { createPlatformClient } from './platform-client.ts'

const reads = 40
const killedAt = 25
const bytes = 50 * 1024

/** A model that reads a long file again and again, and rejects prompts of more than 128,000 tokens. */
async function startReader() {
  const { promise: reached, resolve } = Promise.withResolvers<void>()
  const model = await startChatModel({
    windowTokens: 128_000,
    answer(_, number) {
      if (number === killedAt) resolve()
      if (number >= reads) return { text: 'All read.' }
      return { calls: [{ name: 'read_file', args: { path: 'long.txt', offset: number } }] }
    },
  })
  return { ...model, reached }
}

it(
  'A8, A21: a run with 40 results of 50 KiB ends in a window of 128,000 tokens, also after a kill -9',
  { timeout: 120_000 },
  async () => {
    await using home = await createHome()
    await using model = await startReader()
    const environment = { ...model.environment, CONTEXT_WINDOW_TOKENS: '128000' }
    const workspace = join(home.path, 'workspaces', 'reader')
    let runId: string
    {
      await using server = await startServer(home.path, environment)
      const client = createPlatformClient(server.agentsUrl)
      await client.ok('POST', '/api/agents', {
        id: 'reader',
        model: 'openai/local',
        limits: { max_turns: 60 },
      })
      await mkdir(workspace, { recursive: true, mode: 0o700 })
      await writeFile(join(workspace, 'long.txt'), 'A long text. '.repeat(bytes / 13))
      const stream = client.events('POST', '/api/agents/run/stream', {
        agent_id: 'reader',
        task: 'Read all of it.',
      })
      runId = (await stream.next()).value.data.run_id
      await model.reached
      await server.end('SIGKILL')
    }
    await using server = await startServer(home.path, environment)
    const client = createPlatformClient(server.agentsUrl)
    const find = async () => (await client.ok('GET', `/api/runs/${runId}`)).run
    await expect.poll(async () => (await find()).status, { timeout: 90_000 }).toBe('completed')
    expect((await find()).result).toMatchObject({ stop_reason: 'done', output: 'All read.' })
    expect(model.standIn.requests.filter(({ refusal }) => refusal !== undefined)).toEqual([])
    expect(model.standIn.requests.length).toBeGreaterThan(reads)
    const last = JSON.stringify(model.standIn.requests.at(-1)?.body)
    expect(last).toContain('are in the workspace file long.txt.]')
  },
)

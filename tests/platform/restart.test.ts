import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { createAnswerCount } from '../server/answer-count.ts'
import { createHome, startServer } from '../server/server-process.ts'
import { createPlatformClient, type PlatformClient } from './platform-client.ts'

const rounds = 3
const workers = 4

/** What was answered with 2xx: a path, and what has to be found in its answer. */
type Kept = readonly [path: string, text: string]

/** One piece of work of each kind, until the server is gone. */
async function workUntilGone(client: PlatformClient, keep: (...fact: Kept) => void): Promise<void> {
  try {
    for (;;) {
      const mark = `m${randomUUID()}`
      const agent = { id: mark, model: 'test/echo', personality: mark }
      if ((await client.send('POST', '/api/agents', agent)).status === 201) keep(`/api/agents/${mark}`, mark)
      const run = await client.send('POST', '/api/agents/run', { agent_id: 'demo', task: `Say ${mark} {}` })
      if (run.status === 200) {
        keep(`/api/runs/${run.body.run_id}`, '"status":"completed"')
        keep(`/api/conversations/${run.body.conversation_id}`, mark)
      }
      const memory = await client.send('POST', '/api/memory/write', {
        agent_id: 'demo',
        text: `About ${mark}`,
      })
      if (memory.status === 201) keep(`/api/memory/search?q=${mark}`, memory.body.id)
      const message = { agent_id: 'demo', role: 'user', content: mark }
      const { status, body } = await client.send('POST', '/api/conversations', message)
      if (status === 201) keep(`/api/conversations/${body.conversation_id}`, body.message_id)
    }
  } catch {
    // the server is gone
  }
}

it.concurrent(
  'keeps what was answered with 2xx through kills at random moments',
  { timeout: 600_000 },
  // the expectations of the test itself: what polls has to know which of those that run side by side it is in
  async ({ expect }) => {
    await using home = await createHome()
    const kept: Kept[] = []
    for (let round = 0; round < rounds; round += 1) {
      await using server = await startServer(home.path)
      const client = createPlatformClient(server.agentsUrl)
      const answers = createAnswerCount()
      const keep = (...fact: Kept) => {
        kept.push(fact)
        answers.note()
      }
      const work = Array.from({ length: workers }, () => workUntilGone(client, keep))
      // A moment that nothing in the server can foresee: the other workers are in the middle of something then.
      await Promise.race([answers.reached(20 + Math.floor(Math.random() * 80)), Promise.all(work)])
      await server.end('SIGKILL')
      await Promise.all(work)
    }
    await using server = await startServer(home.path)
    const client = createPlatformClient(server.agentsUrl)
    expect(kept.length).toBeGreaterThan(rounds * workers * 3)
    for (const [path, text] of kept) {
      const answer = await client.send('GET', path)
      expect([path, answer.status, answer.text.includes(text)]).toEqual([path, 200, true])
    }
    // What was cut off is taken up again once nobody can be working on it any more (A8).
    const running = async () => (await client.ok('GET', '/api/runs?status=running')).runs
    await expect.poll(running, { timeout: 60_000, interval: 500 }).toEqual([])
    expect(server.output()).not.toMatch(/^(?:cloud|agents):/m)
  },
)

it.concurrent(
  'A20: a run that waits for a person goes on after a kill, and asks once',
  { timeout: 300_000 },
  async () => {
    await using home = await createHome()
    const agent = {
      id: 'careful',
      model: 'test/tools',
      skills: ['word-count'],
      approval_tools: ['word_count'],
    }
    const task = 'Use word_count with {"text": "one two"}'
    let waiting
    {
      await using server = await startServer(home.path)
      const client = createPlatformClient(server.agentsUrl)
      await client.ok('POST', '/api/agents', agent)
      waiting = await client.ok('POST', '/api/agents/run', { agent_id: 'careful', task })
      expect(waiting).toMatchObject({
        stop_reason: 'approval',
        approvals: [{ tool: 'word_count', status: 'pending' }],
      })
      await server.end('SIGKILL')
    }
    await using server = await startServer(home.path)
    const client = createPlatformClient(server.agentsUrl)
    const path = `/api/runs/${waiting.run_id}`
    expect((await client.ok('GET', path)).run.status).toBe('waiting')
    const decide = `${path}/approvals/${waiting.approvals[0].id}`
    await client.ok('POST', decide, { decision: 'approve' })
    const events = await Array.fromAsync(client.events('GET', `${path}/events`))
    expect(events.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['start', 'approval', 'tool_start', 'tool_call', 'done']),
    )
    expect(events.at(-1)?.data.finalContent).toContain('"words":2')
    expect((await client.send('POST', decide, { decision: 'deny' })).status).toBe(409)
  },
)

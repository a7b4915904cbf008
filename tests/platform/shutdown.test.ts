import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, vi } from 'vitest'
import { endInTime } from '../server/end-in-time.ts'
import { createHome, startServer } from '../server/server-process.ts'
import { createPlatformClient, type PlatformEvent } from './platform-client.ts'
import { startStandInProvider } from './stand-in-provider.ts'

it('ends within 3 s while a run and a stream wait for a model; both are told, and the runs go on later', async () => {
  await using home = await createHome()
  await using provider = await startStandInProvider([{ text: 'Once upon', hang: true }])
  await using server = await startServer(home.path, provider.environment)
  const client = createPlatformClient(server.agentsUrl)
  const request = { agent_id: 'demo', task: 'Tell me a story.' }
  const plain = client.send('POST', '/api/agents/run', request)
  const seen: PlatformEvent[] = []
  const { promise: streaming, resolve } = Promise.withResolvers<void>()
  const streamed = (async () => {
    for await (const event of client.events('POST', '/api/agents/run/stream', request)) {
      seen.push(event)
      if (event.event === 'assistant') resolve()
    }
  })()
  await Promise.all([provider.hanging, streaming])
  await endInTime(server)
  expect(await plain).toMatchObject({ status: 503, body: { code: 'closed' } })
  await streamed
  // no end: the reader comes back with its Last-Event-ID
  expect(seen.map(({ event }) => event)).toEqual(['start', 'assistant'])

  await using world = await startStandInProvider([{ text: 'Once upon a time.' }])
  await using again = await startServer(home.path, world.environment)
  const later = createPlatformClient(again.agentsUrl)
  const { id, data } = seen[0]!
  const path = `/api/runs/${data.run_id}/events`
  const rest = later.events('GET', path, undefined, { 'Last-Event-ID': seen.at(-1)?.id ?? id })
  expect((await Array.fromAsync(rest)).at(-1)).toMatchObject({
    event: 'done',
    data: { finalContent: 'Once upon a time.' },
  })
  await vi.waitFor(async () => {
    const { runs } = await later.ok('GET', '/api/runs')
    expect(runs.map(({ status }: { status: string }) => status)).toEqual(['completed', 'completed'])
  }, 60_000)
})

it('ends within 3 s while a program ignores SIGTERM, and leaves nothing of it running', async () => {
  await using home = await createHome()
  const folder = join(home.path, 'skills', 'stubborn')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'SKILL.md'), '---\nname: stubborn\ndescription: Stays.\n---\nUse it.\n')
  const tool =
    '{ id: stay, description: Stays., type: exec, command: [node, stay.mjs], effects: read, timeout: 300 }'
  await writeFile(join(folder, 'tools.yaml'), `tools:\n  - ${tool}\n`)
  const program = [
    "import { openSync, writeSync } from 'node:fs'",
    "process.on('SIGTERM', () => {})",
    "writeSync(openSync('alive', 'w'), 'alive')",
    'setInterval(() => {}, 1000)',
  ]
  await writeFile(join(folder, 'stay.mjs'), `${program.join('\n')}\n`)
  const workspace = join(home.path, 'workspaces', 'a')
  await mkdir(workspace, { recursive: true })
  await promisify(execFile)('mkfifo', [join(workspace, 'alive')])
  await using server = await startServer(home.path)
  const client = createPlatformClient(server.agentsUrl)
  await client.ok('POST', '/api/agents', { id: 'a', model: 'test/tools', skills: ['stubborn'] })
  const answer = client.send('POST', '/api/agents/run', { agent_id: 'a', task: 'stay' })
  // the system closes the other end of the pipe when the program is gone, and not before
  const pipe = createReadStream(join(workspace, 'alive'))
  await once(pipe, 'data')
  const gone = once(pipe, 'end')
  await endInTime(server, 'SIGINT')
  expect(await answer).toMatchObject({ status: 503, body: { code: 'closed' } })
  await gone
})

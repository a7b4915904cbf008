import { expect, it } from 'vitest'
import { startStandInProvider } from '../platform/stand-in-provider.ts'
import { createPlatformClient } from '../platform/platform-client.ts'
import { createHome, startServer } from '../server/server-process.ts'
import { keys, openTerminal } from './terminal.ts'

it('homeward chat comes back after a kill -9 of the server in mid-answer, and shows the answer once', async () => {
  await using home = await createHome()
  await using person = await createHome()
  await using provider = await startStandInProvider([
    { text: 'The first half', hang: true },
    { text: 'The whole answer.' },
  ])
  let port = ''
  let runId = ''
  await using terminal = await (async () => {
    await using server = await startServer(home.path, provider.environment)
    ;({ port } = new URL(server.agentsUrl))
    const client = createPlatformClient(server.agentsUrl)
    await client.ok('POST', '/api/agents', { id: 'helper', model: 'openai/stand-in' })
    const opened = openTerminal(['chat', 'helper'], {
      environment: { PORT: port, HOMEWARD_HOME: person.path },
    })
    await opened.shows('Talking to helper.')
    opened.type(`Tell me${keys.enter}`)
    await opened.shows('The first half')
    runId = (await client.ok('GET', '/api/runs')).runs[0].id
    await server.end('SIGKILL')
    return opened
  })()
  await terminal.shows('connection lost, the answer continues on the server; reconnecting…')
  await using server = await startServer(home.path, { ...provider.environment, PORT: port })
  await terminal.shows(/The whole answer\.[^]*helper · \/help/)
  expect(terminal.text().match(/The whole answer\./g)).toHaveLength(1)
  const { runs } = await createPlatformClient(server.agentsUrl).ok('GET', '/api/runs')
  expect(runs).toMatchObject([{ id: runId, status: 'completed' }])
  terminal.type(keys.ctrlD)
  expect(await terminal.ended()).toBe(0)
})

import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startPlatform, ways } from './testing/start-platform.ts'

let home: string
const file = () => join(home, 'mcp.json')
const saved = async () =>
  JSON.parse(await readFile(file(), 'utf8')) as Record<string, Record<string, unknown>>
beforeEach(async () => void (home = await mkdtemp(join(tmpdir(), 'homeward-mcp-'))))
afterEach(() => rm(home, { recursive: true, force: true }))

const sdk = (name: string) => JSON.stringify(import.meta.resolve(`@modelcontextprotocol/server${name}`))
/** A server whose tools are named in its folder's `tools`, and which tells there that it was started. */
const serverText = `
import { appendFileSync, readFileSync } from 'node:fs'
import { McpServer } from ${sdk('')}
import { serveStdio } from ${sdk('/stdio')}
appendFileSync('starts', 'x')
serveStdio(() => {
  const server = new McpServer({ name: 'demo', version: '1.0.0' })
  for (const name of readFileSync('tools', 'utf8').split(' '))
    server.registerTool(name, { description: name }, () => ({ content: [{ type: 'text', text: process.env.API_KEY ?? 'none' }] }))
  return server
})`

/** @returns the input that adds it */
async function writeServer(tools = 'one two') {
  await writeFile(join(home, 'server.mjs'), serverText)
  await writeFile(join(home, 'tools'), tools)
  return { command: process.execPath, args: [join(home, 'server.mjs')], cwd: home }
}

const secret = 'secret-of-the-server-0123456789'

describe.each(ways)('MCP servers %s', (way) => {
  it('keep headers and the client secret for the origin of their address only', async () => {
    await using platform = await startPlatform(way, { home })
    const oauth = { grant_type: 'client_credentials', client_id: 'me' }
    const put = (body: object) => platform.send('PUT', '/api/mcp/servers/shop', { body: { oauth, ...body } })
    const given = { headers: { 'x-key': secret }, oauth: { ...oauth, client_secret: secret } }
    await put({ url: 'https://shop.example/mcp', ...given })
    await put({ url: 'https://shop.example/other' })
    expect(await saved()).toMatchObject({ mcpServers: { shop: given } })
    await put({ url: 'https://evil.example/mcp' })
    expect(JSON.stringify(await saved())).not.toContain(secret)
  })

  it('are added, tested, listed without secrets, changed with the secrets they have, and deleted', async () => {
    await using platform = await startPlatform(way, { home })
    const { send } = platform
    const command = await writeServer()
    const args = [...command.args, '--api-key', secret]
    const body = { ...command, args, env: { API_KEY: secret }, tools: ['one'], unknown: 1 }
    const created = await send('PUT', '/api/mcp/servers/demo', { body })
    const shownArgs = [...command.args, '--api-key', '[secret]']
    const server = {
      name: 'demo',
      source: 'file',
      ...command,
      args: shownArgs,
      env: ['API_KEY'],
      tools: ['one'],
    }
    expect([created.status, created.body]).toEqual([200, { ok: true, server }])
    expect((await stat(file())).mode & 0o777).toBe(0o600)
    const tested = await send('POST', '/api/mcp/servers/demo/test')
    expect(tested.body).toMatchObject({
      ok: true,
      tools: [
        { name: 'one', is_offered: true },
        { name: 'two', is_offered: false },
      ],
      protocol_version: '2026-07-28',
    })

    const kept = await send('PUT', '/api/mcp/servers/demo', { body: { ...command, args: shownArgs } })
    expect(kept.body.server.env).toEqual(['API_KEY'])
    expect((await saved())['mcpServers']?.['demo']).toEqual({ ...command, args, env: { API_KEY: secret } })
    await send('POST', '/api/agents', { body: { id: 'a', model: 'test/tools', mcp_servers: ['demo'] } })
    const run = await send('POST', '/api/agents/run', { body: { agent_id: 'a', task: 'demo.one {}' } })
    expect(run.body.output).toContain('[secret]')
    const list = await send('GET', '/api/mcp/servers')
    for (const { text } of [created, kept, run, list, tested]) expect(text).not.toContain(secret)

    const http = { url: `http://127.0.0.1:1/mcp?token=${secret}`, headers: { 'X-Key': secret } }
    const moved = await send('PUT', '/api/mcp/servers/demo', { body: http })
    expect(moved.body.server).toEqual({
      name: 'demo',
      source: 'file',
      url: 'http://127.0.0.1:1/mcp?token=[secret]',
      headers: ['X-Key'],
    })
    await send('PUT', '/api/mcp/servers/demo', { body: { url: moved.body.server.url } })
    expect((await saved())['mcpServers']?.['demo']).toEqual(http)
    const failed = await send('POST', '/api/mcp/servers/demo/test')
    expect(failed.body).toMatchObject({ ok: false, error: expect.stringContaining('"demo" failed') })
    expect((await send('GET', '/api/mcp/servers')).body.servers[0].problem).toBe(failed.body.error)
    await send('PUT', '/api/mcp/servers/demo', { body: { ...http, headers: null } })
    expect((await saved())['mcpServers']?.['demo']).toEqual({ url: http.url })
    expect((await send('DELETE', '/api/mcp/servers/demo')).body).toEqual({ ok: true })
    expect((await send('DELETE', '/api/mcp/servers/demo')).status).toBe(404)
    expect((await send('POST', '/api/mcp/servers/demo/test')).status).toBe(404)
    expect(await saved()).toEqual({ mcpServers: {} })
  })
})

it.each([
  ['neither a command nor a url', {}],
  ['both', { command: 'node', url: 'http://127.0.0.1/mcp' }],
  ['an address of another protocol', { url: 'file:///etc/passwd' }],
  ['a header of two lines', { url: 'http://127.0.0.1/mcp', headers: { a: 'b\nc: d' } }],
  ['a variable with a strange name', { command: 'node', env: { 'A B': 'c' } }],
  ['a command line', { command: ['node', '-e'] }],
])('refuses %s', async (_, body) => {
  await using platform = await startPlatform('in process', { home })
  const answer = await platform.send('PUT', '/api/mcp/servers/demo', { body })
  expect([answer.status, answer.body.code]).toEqual([400, 'validation_error'])
})

it('reads mcp.json at the start as other programs write it, makes it private, and names entries that it cannot use', async () => {
  const demo = await writeServer()
  const shared = { type: 'stdio', ...demo, env: { API_KEY: secret } }
  const broken = { command: 'node', url: 'http://127.0.0.1/mcp' }
  await writeFile(
    file(),
    JSON.stringify({ mcpServers: { demo: shared, broken, odd: { ...demo, mode: secret } } }),
  )
  await chmod(file(), 0o644)
  await using platform = await startPlatform('in process', { home, mcpServers: { mine: demo } })
  const { body, text } = await platform.send('GET', '/api/mcp/servers')
  expect(body.servers).toMatchObject([
    { name: 'broken', problem: expect.stringContaining('must have either a command or a url') },
    { name: 'demo', source: 'file', env: ['API_KEY'] },
    { name: 'mine', source: 'app' },
    { name: 'odd', problem: expect.stringContaining('unknown key "mode"') },
  ])
  expect(text).not.toContain(secret)
  expect((await stat(file())).mode & 0o777).toBe(0o600)
  expect((await platform.send('PUT', '/api/mcp/servers/mine', { body: demo })).status).toBe(409)
  expect((await platform.send('DELETE', '/api/mcp/servers/mine')).status).toBe(409)
  await writeFile(file(), '{ not json')
  const list = await platform.send('GET', '/api/mcp/servers')
  expect(list.body.servers[0].problem).toContain('mcp.json failed: it is not valid JSON')
  expect((await platform.send('PUT', '/api/mcp/servers/new', { body: demo })).status).toBe(500)
  expect(await readFile(file(), 'utf8')).toBe('{ not json')
})

it('starts a program when an agent needs it, notices another list of tools, and keeps the last one while it is away', async () => {
  const server = await writeServer('one')
  const agent = { id: 'a', model: 'test/tools', mcp_servers: ['demo'] }
  const starts = () => readFile(join(home, 'starts'), 'utf8').catch(() => '')
  const call = async (task: string, platform: Awaited<ReturnType<typeof startPlatform>>) =>
    (await platform.send('POST', '/api/agents/run', { body: { agent_id: 'a', task } })).body
  {
    await using platform = await startPlatform('in process', { home })
    await platform.send('PUT', '/api/mcp/servers/demo', { body: server })
    await platform.send('POST', '/api/agents', { body: agent })
    expect(await starts()).toBe('')
    expect((await call('demo.one {}', platform)).steps).toHaveLength(1)
    await writeFile(join(home, 'tools'), 'one three')
    await platform.send('PUT', '/api/mcp/servers/demo', { body: { ...server, tools: ['one', 'three'] } })
    expect((await call('demo.three {}', platform)).steps).toHaveLength(1)
    expect(await starts()).toBe('xx')
  }
  await rm(join(home, 'server.mjs'))
  await using platform = await startPlatform('in process', { home })
  const away = await call('demo.three {}', platform)
  expect(JSON.stringify(away.steps)).toContain('Using the MCP server \\"demo\\" failed')
})

const program = { evil: { command: 'sh', args: ['-c', 'id'] } }

it(
  'A29: no agent, setting or skill names a program to start: an agent picks MCP servers that operators have named',
  { timeout: 60_000 },
  async () => {
    await using platform = await startPlatform('in process')
    const agent = { id: 'a', model: 'test/tools' }
    for (const servers of [program, [program.evil], [{ evil: program.evil }], ['sh -c id'], 'evil']) {
      const answer = await platform.send('POST', '/api/agents', { body: { ...agent, mcp_servers: servers } })
      expect([answer.status, answer.body.code], JSON.stringify(servers)).toEqual([400, 'validation_error'])
    }
    for (const name of ['mcp_servers', 'mcpServers']) {
      const answer = await platform.send('PUT', '/api/settings', { body: { [name]: program } })
      expect(answer.status, name).toBe(400)
    }
    const markdown = `---\nname: sly\ndescription: d\nmcpServers: ${JSON.stringify(program)}\nmcp_servers: ${JSON.stringify(program)}\n---\n`
    await platform.runtime.skills.uploadMarkdown(markdown)

    // a name that nobody has named is no server, whatever a skill says
    await platform.send('POST', '/api/agents', {
      body: { ...agent, skills: ['sly'], mcp_servers: ['evil'] },
    })
    const { body } = await platform.send('POST', '/api/agents/run', {
      body: { agent_id: 'a', task: 'evil.id {}' },
    })
    expect(body).toMatchObject({ success: true, steps: [] })
  },
)

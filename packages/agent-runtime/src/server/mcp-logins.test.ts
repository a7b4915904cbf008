import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openChannelRuntime } from '../channels/testing/channel-runtime.ts'
import { startProtectedServer } from '../tools/mcp/testing/protected-server.ts'
import { startPlatform, type TestPlatform, type TestPlatformOptions } from './testing/start-platform.ts'

let home: string
beforeEach(async () => void (home = await mkdtemp(join(tmpdir(), 'homeward-mcp-logins-'))))
afterEach(() => rm(home, { recursive: true, force: true }))

const base = 'http://127.0.0.1:3010'

/** A platform whose agent `a` uses the server `shop`, to which each user logs in. */
async function start(url: string, options: TestPlatformOptions = {}): Promise<TestPlatform> {
  const platform = await startPlatform('in process', { home, platformOrigins: () => [base], ...options })
  const oauth = { grant_type: 'authorization_code', client_id: 'person' }
  const saved = await platform.send('PUT', '/api/mcp/servers/shop', { body: { url, oauth, login: 'user' } })
  expect([saved.status, saved.body.server?.login], saved.text).toEqual([200, 'user'])
  await platform.send('POST', '/api/agents', {
    body: { id: 'a', model: 'test/tools', mcp_servers: ['shop'] },
  })
  return platform
}

const run = async ({ send }: TestPlatform, user_id?: string) =>
  (await send('POST', '/api/agents/run', { body: { agent_id: 'a', task: 'shop.account {}', user_id } })).body

/** Opens the way back, as the browser does. */
const open = (platform: TestPlatform, address: URL) => platform.send('GET', address.pathname + address.search)

const whenEnded = async (platform: TestPlatform, id: string) =>
  await (
    await platform.runtime.runs.attach(id)
  ).result

it('waits for the login of the user before the first model call, and continues after it', async () => {
  await using shop = await startProtectedServer()
  await using platform = await start(shop.url)
  const waiting = await run(platform, 'ann')
  expect(waiting).toMatchObject({ success: true, stop_reason: 'waiting', turns: 0 })
  const [wait] = waiting.waits
  expect(wait).toMatchObject({ kind: 'login', status: 'open', message: expect.stringContaining('"shop"') })
  expect(new URL(wait.url).searchParams.get('redirect_uri')).toBe(`${base}/mcp-servers/callback`)
  const early = await platform.send('POST', `/api/runs/${waiting.run_id}/waits/${wait.id}`, {
    body: { data: {} },
  })
  expect([early.status, early.body.message]).toEqual([409, expect.stringContaining('has not logged in')])

  const back = await shop.visit(wait.url)
  const page = await open(platform, back)
  expect([page.status, page.headers.get('content-type')], page.text).toEqual([
    200,
    'text/html; charset=utf-8',
  ])
  expect(page.text).toContain('You are logged in to shop')
  expect(await whenEnded(platform, waiting.run_id)).toMatchObject({
    success: true,
    output: expect.stringContaining('account of ann'),
  })
  expect((await open(platform, back)).status).toBe(404)
  const answer = { body: { data: {} } }
  const again = await platform.send('POST', `/api/runs/${waiting.run_id}/waits/${wait.id}`, answer)
  expect([again.status, again.body.wait.status, again.body.wait.answered_by]).toEqual([
    200,
    'answered',
    'ann',
  ])
  // it has a login now
  expect((await run(platform, 'ann')).output).toContain('account of ann')
})

it('makes a call wait that the server rejects, and gives each user an own login', async () => {
  await using shop = await startProtectedServer({ listsFreely: true })
  await using platform = await start(shop.url)
  const [ann, bob] = [await run(platform, 'ann'), await run(platform, 'bob')]
  for (const each of [ann, bob])
    expect(each).toMatchObject({
      stop_reason: 'waiting',
      turns: 1,
      waits: [{ kind: 'login', tool: 'shop.account' }],
    })
  // Bob's link is opened by Bob, who is somebody else at the shop
  await open(platform, await shop.visit(bob.waits[0].url, 'robert'))
  expect(await whenEnded(platform, bob.run_id)).toMatchObject({
    output: expect.stringContaining('account of robert'),
  })
  expect((await platform.send('GET', `/api/runs/${ann.run_id}`)).body.run.status).toBe('waiting')
  await open(platform, await shop.visit(ann.waits[0].url, 'ann'))
  expect(await whenEnded(platform, ann.run_id)).toMatchObject({
    output: expect.stringContaining('account of ann'),
  })
  expect(shop.calls).toEqual(['robert', 'ann'])
  expect((await run(platform, 'bob')).output).toContain('account of robert')

  const list = await platform.send('GET', '/api/mcp/servers/shop/logins')
  expect(list.body.logins).toEqual([
    { user_id: 'ann', created_at: expect.any(String) },
    { user_id: 'bob', created_at: expect.any(String) },
  ])
  expect((await platform.send('DELETE', '/api/mcp/servers/shop/logins/bob')).status).toBe(200)
  expect((await platform.send('DELETE', '/api/mcp/servers/shop/logins/bob')).status).toBe(404)
  expect((await run(platform, 'bob')).stop_reason).toBe('waiting')
  expect((await run(platform, 'ann')).output).toContain('account of ann')
})

it('gives a run without a user an error in words', async () => {
  await using shop = await startProtectedServer()
  await using platform = await start(shop.url)
  expect(await run(platform)).toMatchObject({
    success: false,
    code: 'run_error',
    error: expect.stringContaining('the run has no user. Start the run with a "user_id"'),
  })
  await using free = await startProtectedServer({ listsFreely: true })
  const oauth = { grant_type: 'authorization_code', client_id: 'person' }
  await platform.send('PUT', '/api/mcp/servers/shop', { body: { url: free.url, oauth, login: 'user' } })
  const { steps } = await run(platform)
  expect(steps[0].error).toContain('the run has no user')
})

it('continues without the server if the person declines', async () => {
  await using shop = await startProtectedServer({ listsFreely: true })
  await using platform = await start(shop.url)
  const { run_id: id, waits } = await run(platform, 'ann')
  const body = { decline: true, reason: 'not now' }
  await platform.send('POST', `/api/runs/${id}/waits/${waits[0].id}`, { body })
  const { steps, success } = await whenEnded(platform, id)
  expect([success, steps[0]?.error]).toEqual([
    true,
    expect.stringContaining('declined to log in to "shop": not now'),
  ])
})

it('keeps tokens out of everything that is shown, and in a file that only its user may read', async () => {
  await using shop = await startProtectedServer()
  await using platform = await start(shop.url)
  const { run_id: id, waits } = await run(platform, 'ann')
  const back = await shop.visit(waits[0].url)
  const page = await open(platform, back)
  await whenEnded(platform, id)
  const path = join(home, 'mcp-oauth.json')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const { token } = JSON.parse(await readFile(path, 'utf8'))['shop/ann']
  const shown = await Promise.all(
    [
      'runs',
      `runs/${id}`,
      `runs/${id}/steps`,
      'waits?status=answered',
      'logs?limit=500',
      'mcp/servers',
      'audit',
    ].map(async (each) => (await platform.send('GET', `/api/${each}`)).text),
  )
  for (const text of [...shown, page.text]) {
    expect(text).not.toContain(token.access_token)
    expect(text).not.toContain(token.refresh_token)
    expect(text).not.toContain(back.searchParams.get('code'))
  }
})

it('takes up a login again after a restart, and a new link after the old one has expired', async () => {
  await using shop = await startProtectedServer()
  let nowMs = Date.now()
  const now = () => nowMs
  let id: string
  let url: string
  {
    await using platform = await start(shop.url, { now })
    const { run_id, waits } = await run(platform, 'ann')
    id = run_id
    url = waits[0].url
  }
  await using platform = await startPlatform('in process', { home, platformOrigins: () => [base], now })
  nowMs += 600_001
  expect((await open(platform, await shop.visit(url))).status).toBe(404)
  const waits = async () => (await platform.send('GET', '/api/waits')).body.waits
  const [old] = await waits()
  await platform.send('POST', `/api/runs/${id}/waits/${old.id}`, { body: { data: {} } })
  await expect.poll(async () => (await waits())[0]?.id).not.toBe(old.id)
  await expect.poll(async () => (await waits()).length).toBe(1)
  const [fresh] = await waits()
  await using later = await startPlatform('in process', { home, platformOrigins: () => [base], now })
  expect((await open(later, await shop.visit(fresh.url))).status).toBe(200)
  expect(await whenEnded(later, id)).toMatchObject({ output: expect.stringContaining('account of ann') })
})

it('survives a crash between a login and the answer to its waits', async () => {
  await using shop = await startProtectedServer()
  const path = join(home, 'mcp-oauth.json')
  let id: string
  let tokens: string
  {
    await using platform = await start(shop.url)
    const first = await run(platform, 'ann')
    await open(platform, await shop.visit(first.waits[0].url))
    await whenEnded(platform, first.run_id)
    tokens = await readFile(path, 'utf8')
    await platform.send('DELETE', '/api/mcp/servers/shop/logins/ann')
    id = (await run(platform, 'ann')).run_id
  }
  // what the process wrote last
  await writeFile(path, tokens)
  await using platform = await startPlatform('in process', { home, platformOrigins: () => [base] })
  const runOf = async () => (await platform.send('GET', `/api/runs/${id}`)).body.run
  await expect.poll(async () => (await runOf()).status).toBe('completed')
  expect((await whenEnded(platform, id)).output).toContain('account of ann')
})

it('answers every wait for the login with one of its links, and takes each link once', async () => {
  await using shop = await startProtectedServer({ listsFreely: true })
  await using platform = await start(shop.url)
  const body = { agent_id: 'a', task: 'shop.account {}\nshop.account {}', user_id: 'ann' }
  const both = (await platform.send('POST', '/api/agents/run', { body })).body
  const other = await run(platform, 'ann')
  const urls = [...both.waits, ...other.waits].map(({ url }: { url: string }) => url)
  const back = await shop.visit(urls[0]!)
  const pages = await Promise.all([open(platform, back), open(platform, back), open(platform, back)])
  const statuses = pages.map(({ status }) => status)
  expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 404, 404])
  for (const { run_id } of [both, other])
    expect(await whenEnded(platform, run_id)).toMatchObject({
      output: expect.stringContaining('account of ann'),
    })
  expect((await platform.send('GET', '/api/waits')).body.waits).toEqual([])
})

it('A26: shows and deletes for a user its own logins only', async () => {
  await using shop = await startProtectedServer()
  const auth = (request: { header(name: string): string | undefined }) => {
    const userId = request.header('x-user')
    return userId === undefined ? true : { scopes: ['read' as const, 'run' as const], userId }
  }
  await using platform = await start(shop.url, { auth })
  const waiting = await run(platform, 'ann')
  await open(platform, await shop.visit(waiting.waits[0].url))
  await whenEnded(platform, waiting.run_id)
  const as = (user: string, method: string, path: string) =>
    platform.send(method, `/api/mcp/servers/shop/logins${path}`, { headers: { 'x-user': user } })
  expect((await as('bob', 'GET', '')).body).toEqual({ logins: [] })
  expect((await as('bob', 'GET', '?user_id=ann')).status).toBe(403)
  expect((await as('bob', 'DELETE', '/ann')).status).toBe(403)
  expect((await as('ann', 'GET', '')).body.logins).toHaveLength(1)
  expect((await as('ann', 'DELETE', '/ann')).status).toBe(200)
})

it('sends the link to the chat that the run came from, and a new one after it has expired', async () => {
  await using shop = await startProtectedServer()
  let nowMs = Date.now()
  const oauth = { grant_type: 'authorization_code', client_id: 'person' } as const
  const kit = await openChannelRuntime(
    {},
    {
      now: () => nowMs,
      platformOrigins: () => [base],
      mcpServers: { shop: { url: shop.url, oauth, login: 'user' } },
    },
  )
  const { runtime, texts, until, write } = kit
  await runtime.agents.update('parrot', { model: 'test/tools', mcp_servers: ['shop'] })
  await runtime.start()
  await kit.allow('ann')
  await write({ text: 'shop.account {}', sender: 'ann', key: 'first' })
  const linkIn = (text = '') => /https?:\/\/[^\s<>)"]+/.exec(text)?.[0]?.replaceAll('&amp;', '&') ?? ''
  await until(() => expect(linkIn(texts().at(-1))).toContain('/auth?'))
  await write({ text: 'and now?', sender: 'ann', key: 'second' })
  await until(() => expect(texts().at(-1)).toContain('Your message was not sent to the agent'))
  nowMs += 600_001
  const count = texts().length
  await write({ text: 'hello?', sender: 'ann', key: 'third' })
  await until(() =>
    expect(
      texts()
        .slice(count)
        .some((text) => linkIn(text).includes('/auth?')),
    ).toBe(true),
  )
  const link =
    texts()
      .slice(count)
      .map(linkIn)
      .find((address) => address.includes('/auth?')) ?? ''
  const { searchParams } = await shop.visit(link)
  const [state, code, iss] = ['state', 'code', 'iss'].map((name) => searchParams.get(name) ?? '')
  await runtime.mcp.finishAuthorization({ state: state!, code: code!, iss: iss! })
  await until(() => expect(texts().join('\n')).toContain('account of ann'))
})

it('accepts a login of each user only for a server with the authorization code grant', async () => {
  await using platform = await startPlatform('in process', { home })
  const save = (body: object) => platform.send('PUT', '/api/mcp/servers/shop', { body })
  const url = 'https://shop.example/mcp'
  for (const body of [
    { url, login: 'user' },
    { url, login: 'user', oauth: { grant_type: 'client_credentials', client_id: 'x' } },
    { command: 'shop', login: 'user' },
    { url, login: 'somebody' },
  ])
    expect((await save(body)).status, JSON.stringify(body)).toBe(400)
  expect((await platform.send('GET', '/mcp-servers/callback')).status).toBe(400)
  expect((await platform.send('GET', '/mcp-servers/callback?error=access_denied&state=x')).status).toBe(400)
  expect((await platform.send('GET', '/mcp-servers/callback?code=c&state=x')).status).toBe(404)
  expect((await platform.send('GET', '/api/mcp/servers/none/logins')).status).toBe(404)
})

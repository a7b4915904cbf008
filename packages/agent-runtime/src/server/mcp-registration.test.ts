import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startProtectedServer } from '../tools/mcp/testing/protected-server.ts'
import { startPlatform, type TestPlatform, type TestPlatformOptions } from './testing/start-platform.ts'

let home: string
beforeEach(async () => void (home = await mkdtemp(join(tmpdir(), 'homeward-mcp-registration-'))))
afterEach(() => rm(home, { recursive: true, force: true }))

const base = 'http://127.0.0.1:3010'
const callback = `${base}/mcp-servers/callback`

const start = (options: TestPlatformOptions = {}) =>
  startPlatform('in process', { home, platformOrigins: () => [base], ...options })
const save = ({ send }: TestPlatform, body: object) => send('PUT', '/api/mcp/servers/shop', { body })
const test = async ({ send }: TestPlatform) => (await send('POST', '/api/mcp/servers/shop/test')).body
const begin = ({ send }: TestPlatform, redirectUri = callback) =>
  send('POST', '/api/mcp/servers/shop/authorize', { body: { redirect_uri: redirectUri } })
/** Opens the way back, as the browser does. */
const open = (platform: TestPlatform, address: URL) => platform.send('GET', address.pathname + address.search)
const serverView = async ({ send }: TestPlatform) => (await send('GET', '/api/mcp/servers')).body.servers[0]
const stored = async () => await readFile(join(home, 'mcp-oauth.json'), 'utf8')

const agent = { id: 'a', model: 'test/tools', mcp_servers: ['shop'] }
const run = async ({ send }: TestPlatform, user_id?: string) =>
  (await send('POST', '/api/agents/run', { body: { agent_id: 'a', task: 'shop.account {}', user_id } })).body
const whenEnded = async ({ runtime }: TestPlatform, id: string) =>
  await (
    await runtime.runs.attach(id)
  ).result

it('authorizes a server that was added by its address alone: it registers, and keeps the secret to itself', async () => {
  await using shop = await startProtectedServer({ registers: true })
  await using platform = await start()
  await save(platform, { url: shop.url })
  expect(await serverView(platform)).not.toHaveProperty('oauth')
  expect(await test(platform)).toMatchObject({ ok: false, needs_authorization: true })
  // now the page offers to authorize it
  expect((await serverView(platform)).oauth).toEqual({
    grant_type: 'authorization_code',
    has_client_secret: false,
    is_authorized: false,
  })
  const { body } = await begin(platform)
  const { searchParams } = new URL(body.authorization_url)
  expect([searchParams.get('client_id'), searchParams.get('redirect_uri')]).toEqual([
    shop.registered[0],
    callback,
  ])
  const page = await open(platform, await shop.visit(body.authorization_url))
  expect(page.text).toContain('shop is authorized')
  expect(await test(platform)).toMatchObject({ ok: true })
  expect((await serverView(platform)).oauth).toMatchObject({ is_authorized: true })
  shop.expire()
  expect(await test(platform)).toMatchObject({ ok: true })
  expect(shop.grants).toEqual(['authorization_code', 'refresh_token'])
  // a second authorization is made with the same client
  await begin(platform)
  expect(shop.registered).toHaveLength(1)

  const { client_secret: secret } = JSON.parse(await stored())['shop'].client
  expect(secret).toEqual(expect.any(String))
  expect((await stat(join(home, 'mcp-oauth.json'))).mode & 0o777).toBe(0o600)
  for (const path of ['mcp/servers', 'audit', 'logs?limit=500'])
    expect((await platform.send('GET', `/api/${path}`)).text).not.toContain(secret)
  await platform.send('DELETE', '/api/mcp/servers/shop')
  expect(JSON.parse(await stored())).toEqual({})
})

it('refreshes the token of a registered client after a restart, also of two users who share the client', async () => {
  await using shop = await startProtectedServer({ registers: true })
  const oauth = { grant_type: 'authorization_code' }
  {
    await using platform = await start()
    await save(platform, { url: shop.url, oauth, login: 'user' })
    await platform.send('POST', '/api/agents', { body: agent })
    for (const user of ['ann', 'bob']) {
      const waiting = await run(platform, user)
      await open(platform, await shop.visit(waiting.waits[0].url, user))
      expect((await whenEnded(platform, waiting.run_id)).output).toContain(`account of ${user}`)
    }
  }
  await using platform = await start()
  shop.expire()
  for (const user of ['ann', 'bob'])
    expect((await run(platform, user)).output).toContain(`account of ${user}`)
  expect(shop.registered).toHaveLength(1)
  expect(shop.grants).toEqual(['authorization_code', 'authorization_code', 'refresh_token', 'refresh_token'])
})

it('uses the own client id metadata document where the identity provider can read it, and registers elsewhere', async () => {
  const origin = 'https://agents.example'
  const read: string[] = []
  const options = {
    registers: true,
    readDocument: async (url: string) => {
      read.push(url)
      return await platform.fetch(new URL(url).pathname)
    },
  }
  await using shop = await startProtectedServer(options)
  await using platform = await start({ platformOrigins: () => [origin] })
  const document = await platform.send('GET', '/mcp-servers/client-metadata.json')
  expect(document.body).toEqual({
    client_id: `${origin}/mcp-servers/client-metadata.json`,
    client_uri: origin,
    client_name: 'Homeward',
    redirect_uris: [`${origin}/mcp-servers/callback`],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  })
  await save(platform, { url: shop.url })
  const { body } = await begin(platform, `${origin}/mcp-servers/callback`)
  expect(new URL(body.authorization_url).searchParams.get('client_id')).toBe(document.body.client_id)
  const page = await open(platform, await shop.visit(body.authorization_url))
  expect(page.text).toContain('shop is authorized')
  shop.expire()
  expect(await test(platform)).toMatchObject({ ok: true })
  expect([read.length > 0, shop.registered]).toEqual([true, []])
  // the document does not name this address
  await begin(platform)
  expect(shop.registered).toHaveLength(1)
})

it('serves no document without an https address', async () => {
  await using platform = await start()
  const { status, body } = await platform.send('GET', '/mcp-servers/client-metadata.json')
  expect([status, body.message]).toEqual([
    404,
    expect.stringContaining('"public_url" is not an https address'),
  ])
})

it('asks for an authorization again, with more access, when a call needs it', async () => {
  await using shop = await startProtectedServer({ registers: true, asksForMore: true })
  await using platform = await start()
  const oauth = { grant_type: 'authorization_code', scope: 'tools' }
  await save(platform, { url: shop.url, oauth, login: 'user' })
  await platform.send('POST', '/api/agents', { body: agent })
  const first = await run(platform, 'ann')
  const [login] = first.waits
  expect(new URL(login.url).searchParams.get('scope')).toBe('tools offline_access')
  await open(platform, await shop.visit(login.url))
  const second = await whenEnded(platform, first.run_id)
  const [more] = second.waits ?? []
  expect(more).toMatchObject({ kind: 'login', status: 'open', tool: 'shop.account' })
  expect(new URL(more?.url ?? '').searchParams.get('scope')).toBe('tools account offline_access')
  const path = `/api/runs/${first.run_id}/waits/${more?.id}`
  expect((await platform.send('POST', path, { body: { data: {} } })).status).toBe(409)
  await open(platform, await shop.visit(more?.url ?? ''))
  expect(await whenEnded(platform, first.run_id)).toMatchObject({
    success: true,
    output: expect.stringContaining('account of ann'),
  })
})

it('gives up on a server that asks for more access again and again', async () => {
  await using shop = await startProtectedServer({ registers: true, asksForMore: 'always' })
  await using platform = await start()
  const oauth = { grant_type: 'authorization_code' }
  await save(platform, { url: shop.url, oauth, login: 'user' })
  await platform.send('POST', '/api/agents', { body: agent })
  let result = await run(platform, 'ann')
  let logins = 0
  for (; result.waits?.length && logins < 20; logins += 1) {
    await open(platform, await shop.visit(result.waits[0].url))
    result = await whenEnded(platform, result.run_id)
  }
  // one before the first model call, one for the call: the token has all that the server asks for
  expect(logins).toBe(2)
  expect(result.steps[0].error).toContain('insufficient_scope')
})

it('finds metadata that only the answer of the server names, with and without a test before', async () => {
  await using shop = await startProtectedServer({ registers: true, hidesMetadata: true })
  await using platform = await start()
  await save(platform, { url: shop.url })
  const untested = await begin(platform)
  expect(untested.body.authorization_url, untested.text).toContain('client_id=')
  await test(platform)
  const { body } = await begin(platform)
  await open(platform, await shop.visit(body.authorization_url))
  expect(await test(platform)).toMatchObject({ ok: true })
})

it('says why a server cannot be authorized that knows no client of ours', async () => {
  await using shop = await startProtectedServer()
  await using platform = await start()
  await save(platform, { url: shop.url })
  expect((await begin(platform)).body.message).toContain('does not support dynamic client registration')
  const incomplete = [
    { grant_type: 'client_credentials' },
    { grant_type: 'authorization_code', client_secret: 'a-secret-0123456789' },
  ]
  for (const oauth of incomplete)
    expect((await save(platform, { url: shop.url, oauth })).status, JSON.stringify(oauth)).toBe(400)
})

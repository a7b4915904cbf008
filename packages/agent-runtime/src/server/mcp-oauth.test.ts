import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { clientSecret, redirectUri, startProtectedServer } from '../tools/mcp/testing/protected-server.ts'
import { startPlatform, type TestPlatform } from './testing/start-platform.ts'

let home: string
beforeEach(async () => void (home = await mkdtemp(join(tmpdir(), 'homeward-mcp-oauth-'))))
afterEach(() => rm(home, { recursive: true, force: true }))

const save = ({ send }: TestPlatform, url: string, oauth: object) =>
  send('PUT', '/api/mcp/servers/shop', { body: { url, oauth } })
const test = async ({ send }: TestPlatform) => (await send('POST', '/api/mcp/servers/shop/test')).body

it('gets tokens with client credentials, a new one after the old one expired, and shows the secret to nobody', async () => {
  await using shop = await startProtectedServer()
  await using platform = await startPlatform('in process', { home })
  const oauth = {
    grant_type: 'client_credentials',
    client_id: 'program',
    client_secret: clientSecret,
    scope: 'tools',
  }
  const saved = await save(platform, shop.url, oauth)
  expect(saved.body.server.oauth).toMatchObject({ has_client_secret: true, is_authorized: false })
  expect(await test(platform)).toMatchObject({
    ok: true,
    tools: [{ name: 'whoami', is_offered: true }, { name: 'account' }],
  })
  shop.expire()
  expect(await test(platform)).toMatchObject({ ok: true })
  expect(shop.grants).toEqual(['client_credentials', 'client_credentials'])

  await platform.send('POST', '/api/agents', {
    body: { id: 'a', model: 'test/tools', mcp_servers: ['shop'] },
  })
  const run = await platform.send('POST', '/api/agents/run', {
    body: { agent_id: 'a', task: 'shop.whoami {}' },
  })
  expect(run.body.output).toContain('[secret]')
  const list = await platform.send('GET', '/api/mcp/servers')
  const { token } =
    (
      JSON.parse(await readFile(join(home, 'mcp-oauth.json'), 'utf8')) as Record<
        string,
        { token: { access_token: string } }
      >
    )['shop'] ?? {}
  expect((await stat(join(home, 'mcp-oauth.json'))).mode & 0o777).toBe(0o600)
  for (const text of [saved.text, list.text, run.text]) {
    expect(text).not.toContain(clientSecret)
    expect(text).not.toContain(token?.access_token)
  }
  const wrong = await save(platform, shop.url, { ...oauth, client_secret: 'wrong-secret-9876543210' })
  expect(wrong.status).toBe(200)
  shop.expire()
  const failed = await test(platform)
  expect(failed).toMatchObject({
    ok: false,
    error: expect.stringContaining('Using the MCP server "shop" failed'),
  })
  expect(JSON.stringify(failed)).not.toContain('wrong-secret')
})

it('leads a person through an authorization with PKCE, refreshes the token, also after a restart, and forgets it', async () => {
  await using shop = await startProtectedServer()
  {
    await using platform = await startPlatform('in process', { home })
    const { send } = platform
    await save(platform, shop.url, { grant_type: 'authorization_code', client_id: 'person' })
    expect(await test(platform)).toMatchObject({
      ok: false,
      needs_authorization: true,
      error: expect.stringContaining('it is not authorized'),
    })
    const body = { redirect_uri: redirectUri }
    const elsewhere = { body: { redirect_uri: 'http://example.com/mcp/callback' } }
    expect((await send('POST', '/api/mcp/servers/shop/authorize', elsewhere)).status).toBe(400)
    const begun = await send('POST', '/api/mcp/servers/shop/authorize', { body })
    const address = new URL(begun.body.authorization_url)
    expect(address.searchParams.get('code_challenge_method')).toBe('S256')
    const back = await shop.visit(address.href)
    const answer = Object.fromEntries(back.searchParams)
    const foreign = { ...answer, state: 'made-up' }
    expect((await send('POST', '/api/mcp/authorizations', { body: foreign })).status).toBe(404)
    const finished = await send('POST', '/api/mcp/authorizations', { body: answer })
    expect([finished.status, finished.body.server?.oauth.is_authorized], finished.text).toEqual([200, true])
    expect((await send('POST', '/api/mcp/authorizations', { body: answer })).status).toBe(404)
    expect(await test(platform)).toMatchObject({ ok: true })
  }
  await using platform = await startPlatform('in process', { home })
  shop.expire()
  expect(await test(platform)).toMatchObject({ ok: true })
  expect(shop.grants).toEqual(['authorization_code', 'refresh_token'])
  await platform.send('DELETE', '/api/mcp/servers/shop')
  expect(JSON.parse(await readFile(join(home, 'mcp-oauth.json'), 'utf8'))).toEqual({})
})

/** Goes through an authorization as a person. */
async function authorize({ send }: TestPlatform, visit: (address: string) => Promise<URL>): Promise<void> {
  const begun = await send('POST', '/api/mcp/servers/shop/authorize', { body: { redirect_uri: redirectUri } })
  const back = await visit(begun.body.authorization_url)
  const body = Object.fromEntries(back.searchParams)
  expect((await send('POST', '/api/mcp/authorizations', { body })).status).toBe(200)
}

it('renews an expired token once, however many runs of two processes need it', async () => {
  await using shop = await startProtectedServer()
  await using one = await startPlatform('in process', { home })
  await save(one, shop.url, { grant_type: 'authorization_code', client_id: 'person' })
  await authorize(one, shop.visit)
  await using other = await startPlatform('in process', { home })
  const platforms = [one, other, one, other]
  expect(await Promise.all(platforms.map(test))).toEqual(
    platforms.map(() => expect.objectContaining({ ok: true })),
  )
  for (const round of [1, 2]) {
    shop.expire()
    const tested = await Promise.all(platforms.map(test))
    expect(tested).toEqual(platforms.map(() => expect.objectContaining({ ok: true })))
    expect(shop.grants.slice(1)).toEqual(Array.from({ length: round }, () => 'refresh_token'))
  }
})

it('gets one token with client credentials, however many runs of two processes need it', async () => {
  await using shop = await startProtectedServer()
  await using one = await startPlatform('in process', { home })
  await using other = await startPlatform('in process', { home })
  const oauth = { grant_type: 'client_credentials', client_id: 'program', client_secret: clientSecret }
  await save(one, shop.url, oauth)
  await test(one)
  await test(other)
  shop.expire()
  const tested = await Promise.all([one, other, one, other].map(test))
  expect(tested.map(({ ok }) => ok)).toEqual([true, true, true, true])
  expect(shop.grants).toEqual(['client_credentials', 'client_credentials'])
})

import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createServerFetch } from './server-fetch.ts'

let server: Server
let port: number
let seen: { readonly url: string; readonly headers: IncomingHttpHeaders }[]
let answer: (response: ServerResponse, url: string) => void

beforeEach(async () => {
  seen = []
  answer = (response) => void response.end('{}')
  server = createServer(({ url = '', headers }, response) => {
    seen.push({ url, headers })
    answer(response, url)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const addresses: Readonly<Record<string, string>> = {
  'mcp.example': '93.184.215.14',
  'mcp.lan': '10.0.0.1',
  'bent.example': '127.0.0.1',
}
const fetchOf = (url: string, headers: Record<string, string> = {}) =>
  createServerFetch(
    { url, headers },
    {
      resolveHost: (host, _, done) => done(null, [{ address: addresses[host] ?? '127.0.0.1', family: 4 }]),
    },
  )

it.each(['http://127.0.0.1', 'http://2130706433', 'http://[::ffff:127.0.0.1]', 'http://bent.example'])(
  'A29: does not let a public server lead to %s',
  async (origin) => {
    const fetched = fetchOf('https://mcp.example/mcp')(`${origin}:${port}/metadata`)
    await expect(fetched).rejects.toThrow(
      'it points to a private address, but the MCP server has a public one',
    )
    expect(seen).toEqual([])
  },
)

it('A29: lets a server with a private address lead to another, but none to a metadata service', async () => {
  const fetch = fetchOf('http://mcp.lan/mcp')
  await expect((await fetch(`http://bent.example:${port}/`)).json()).resolves.toEqual({})
  await expect(fetch('http://169.254.169.254/')).rejects.toThrow('metadata service')
  await expect(fetchOf('http://169.254.169.254/')('http://169.254.169.254/')).rejects.toThrow(
    'metadata service',
  )
  answer = (response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end()
  await expect(fetch(`http://bent.example:${port}/`)).rejects.toThrow('metadata service')
})

it('A29: sends the headers of the operator to the server only', async () => {
  const own = `http://127.0.0.1:${port}`
  const headers = { 'x-api-key': 'secret', authorization: 'Bearer secret' }
  const fetch = fetchOf(`${own}/mcp`, headers)
  await fetch(`${own}/mcp`, { headers })
  await fetch(`http://bent.example:${port}/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
    headers: { 'x-api-key': 'secret', authorization: 'Basic client' },
  })
  expect(seen[0]?.headers).toMatchObject(headers)
  expect(seen[1]?.headers).toMatchObject({ authorization: 'Basic client' })
  expect(seen[1]?.headers).not.toHaveProperty('x-api-key')
})

it('follows redirects within the origin, with the same request, and no others', async () => {
  const own = `http://127.0.0.1:${port}`
  answer = (response, url) => {
    if (url === '/mcp') response.writeHead(307, { location: '/mcp/' }).end()
    else if (url === '/away') response.writeHead(307, { location: `http://localhost:${port}/` }).end()
    else response.end('{}')
  }
  const fetch = fetchOf(`${own}/mcp`)
  expect((await fetch(`${own}/mcp`, { method: 'POST', body: '{}' })).status).toBe(200)
  expect((await fetch(`${own}/away`, { method: 'POST', body: '{}' })).status).toBe(307)
  expect(seen.map(({ url }) => url)).toEqual(['/mcp', '/mcp/', '/away'])
  answer = (response) => void response.writeHead(307, { location: '/mcp' }).end()
  await expect(fetch(`${own}/mcp`)).rejects.toThrow('it redirected more than 5 times')
})

it('keeps the digits of long integers in JSON and in events', async () => {
  const own = `http://127.0.0.1:${port}`
  const message = '{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"id":2512292042121000001}}}'
  answer = (response, url) => {
    const isStream = url === '/events'
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
    const events = `id: 2512292042121000001\r\ndata: ${message}\r\n\r\ndata: "ü"\n\n`
    if (isStream) for (const byte of Buffer.from(events)) response.write(Buffer.of(byte))
    response.end(isStream ? undefined : message)
  }
  const exact = message.replace('2512292042121000001', '"2512292042121000001"')
  expect(await (await fetchOf(`${own}/mcp`)(`${own}/json`)).text()).toBe(exact)
  expect(await (await fetchOf(`${own}/mcp`)(`${own}/events`)).text()).toBe(
    `id: 2512292042121000001\r\ndata: ${exact}\r\n\r\ndata: "ü"\n\n`,
  )
})

it('A29: does not follow a name that was public and turns private, to the server or elsewhere', async () => {
  const config = { url: `http://mcp.example:${port}/mcp` }
  const fetchAt = (address: string, onLookup = () => {}) =>
    createServerFetch(config, {
      resolveHost: (_host, _, done) => {
        done(null, [{ address, family: 4 }])
        onLookup()
      },
    })
  // nothing needs to be sent there: where it would have gone counts
  const ends = new AbortController()
  const first = fetchAt('93.184.215.14', () => void setImmediate(() => ends.abort(new Error('enough'))))
  await expect(first(config.url, { signal: ends.signal })).rejects.toThrow('enough')
  const fetch = fetchAt('127.0.0.1')
  const turned = 'it points to a private address now, and pointed to a public one before'
  await expect(fetch(config.url)).rejects.toThrow(turned)
  const elsewhere = 'it points to a private address, but the MCP server has a public one'
  await expect(fetch(`http://bent.example:${port}/metadata`)).rejects.toThrow(elsewhere)
  await expect(fetch(`http://127.0.0.1:${port}/metadata`)).rejects.toThrow(elsewhere)
  expect(seen).toEqual([])
})

it('A29: calls no metadata service by a name, also as the server itself', async () => {
  const fetch = createServerFetch(
    { url: 'http://mcp.example/mcp' },
    { resolveHost: (_host, _, done) => done(null, [{ address: '169.254.169.254', family: 4 }]) },
  )
  await expect(fetch('http://mcp.example/mcp')).rejects.toThrow(
    'it points to the metadata service of a cloud',
  )
})

it('A29: asks a name with public and private addresses at the public ones', async () => {
  const asked: string[] = []
  const config = { url: `http://mcp.example:${port}/mcp` }
  const fetch = createServerFetch(config, {
    resolveHost: (host, _, done) => {
      asked.push(host)
      const private_ = { address: '127.0.0.1', family: 4 }
      done(null, asked.length === 1 ? [{ address: '192.88.98.1', family: 4 }, private_] : [private_])
    },
  })
  const { signal } = new AbortController()
  await expect(fetch(`http://bent.example:${port}/`, { signal })).rejects.toThrow(
    'the MCP server has a public one',
  )
  await expect(fetch(config.url)).rejects.toThrow('pointed to a public one before')
  expect(seen).toEqual([])
})

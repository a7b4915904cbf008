import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '@homeward/contract/agent-platform'
import type { ResolveHost } from '@homeward/kit/node'
import { createHttpClient } from '../http/http-client.ts'
import { toAllowedHosts } from '../web/allowed-hosts.ts'
import { createWebFetchTool } from './web-fetch-tool.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

/** A server on loopback. @returns its origin */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => new Promise((resolve) => server.close(() => resolve())))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
}

const page =
  (type: string, body: string | Buffer, headers = {}): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': type, ...headers }).end(body)
  }

const toLoopback: ResolveHost = (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }])
const context = {
  agentId: 'a',
  runId: 'r',
  conversationId: 'c',
  idempotencyKey: 'k',
  workspace: '/',
  tainted: false,
  depth: 0,
  metadata: {},
  context: undefined,
  progress() {},
  writeData() {},
  ask: async () => Promise.reject(new Error('Nobody answers in this test')),
  signal: new AbortController().signal,
}

function fetchPage(url: string, setting: string, args: JsonObject = {}, origins: readonly string[] = []) {
  const hosts = toAllowedHosts(setting, origins)
  if (!hosts) throw new Error('The setting names no host')
  const tool = createWebFetchTool(hosts, createHttpClient(toLoopback), 262_144)
  return tool.execute({ url, ...args }, context) as Promise<JsonObject> // what it gives is an object
}

describe('web_fetch', () => {
  it('reads HTML as Markdown, in pieces of about 2,000 tokens', async () => {
    const words = Array.from({ length: 3000 }, (_, number) => `word${number}`).join(' ')
    const origin = await serve(page('text/html', `<title>T</title><h1>Head</h1><p>${words}</p>`))
    const first = await fetchPage(`${origin}/x`, '127.0.0.1')
    expect(first).toMatchObject({ url: `${origin}/x`, status: 200, title: 'T', next_start: 6000 })
    expect(first['text']).toMatch(/^# Head\n\nword0 word1/)
    expect(first['text']).toHaveLength(6000)
    const next = await fetchPage(`${origin}/x`, '127.0.0.1', { start: 6000, max_chars: 50_000 })
    const whole = `# Head\n\n${words}`
    expect([first['text'], next['text']]).toEqual([whole.slice(0, 6000), whole.slice(6000)])
    expect(next).not.toHaveProperty('next_start')
  })

  it('reads JSON and text as they are, and the charset that a page names', async () => {
    const json = await serve(page('application/json', '{"a": [1]}'))
    expect(await fetchPage(json, '127.0.0.1')).toMatchObject({ text: '{"a": [1]}' })
    const text = await serve(page('text/plain', '<b>no HTML</b>'))
    expect(await fetchPage(text, '127.0.0.1')).toMatchObject({ text: '<b>no HTML</b>' })
    const latin = Buffer.from('<meta charset="iso-8859-1"><p>caf\u00e9', 'latin1')
    expect(await fetchPage(await serve(page('text/html', latin)), '127.0.0.1')).toMatchObject({
      text: 'café',
    })
  })

  it('says what other content is, and passes on the status of an error', async () => {
    const picture = await serve(page('image/png', Buffer.from([1, 0, 2])))
    expect(await fetchPage(picture, '127.0.0.1')).toEqual({
      url: `${picture}/`,
      status: 200,
      note: 'The content is not text: image/png, 3 bytes.',
    })
    const missing = await serve(
      (_, response) => void response.writeHead(404, { 'content-type': 'text/plain' }).end('None.'),
    )
    expect(await fetchPage(missing, '127.0.0.1')).toMatchObject({ status: 404, text: 'None.' })
  })

  it('reads no more than 2 MiB, also of a small body that is large when it is unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, 'a'))
    const origin = await serve(page('text/plain', bomb, { 'content-encoding': 'gzip' }))
    expect(await fetchPage(origin, '127.0.0.1')).toMatchObject({ truncated: true, chars: 2 * 1024 * 1024 })
  })

  it.each([
    ['http://other.example/', '127.0.0.1, docs.example.com', /other\.example is not an allowed host/],
    ['http://sub.docs.example.com/', 'docs.example.com', /is not an allowed host/],
    ['http://docs.example.com@other.example/', 'docs.example.com', /is not an allowed host/],
    ['http://user:password@docs.example.com/', 'docs.example.com', /is not an allowed host/],
    ['file:///etc/passwd', '*', /must be an http or https URL/],
    ['http://127.0.0.1:1/', '*', /private address/],
    ['http://[::1]:1/', '*', /private address/],
    ['http://localhost:1/', '*', /private address/],
    ['http://2130706433:1/', '*', /private address/],
    ['http://rebound.example:1/', '*', /private address/],
    ['http://169.254.169.254/', '*, 169.254.169.254', /metadata service/],
  ])('does not fetch %s if the setting is %s', async (url, setting, problem) => {
    await expect(fetchPage(url, setting)).rejects.toThrow(problem)
  })

  it.each(['127.0.0.1.', '2130706433', 'ONE.example, 127.1'])(
    'reads the host names "%s"',
    async (setting) => {
      const text = await serve(page('text/plain', 'yes'))
      expect(await fetchPage(text, setting)).toMatchObject({ text: 'yes' })
    },
  )

  it('does not reach the platform itself, even if its host is named', async () => {
    const origin = await serve(page('text/plain', 'secret'))
    await expect(fetchPage(origin, '127.0.0.1', {}, [origin])).rejects.toThrow(/this server itself/)
  })

  it('follows redirects to hosts that are named, and to no others', async () => {
    const target = await serve(page('text/plain', 'Here.'))
    const { port } = new URL(target)
    const from = await serve(
      (_, response) => void response.writeHead(302, { location: `http://b.example:${port}/y` }).end(),
    )
    expect(await fetchPage(from, '127.0.0.1, b.example')).toEqual({
      url: `http://b.example:${port}/y`,
      status: 200,
      text: 'Here.',
    })
    await expect(fetchPage(from, '127.0.0.1')).rejects.toThrow(/redirected to another origin/)
    await expect(fetchPage(from, '127.0.0.1, *')).rejects.toThrow(/private address/)
  })
})

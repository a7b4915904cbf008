import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ofetch } from 'ofetch'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { toFetch } from './index.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
  vi.unstubAllGlobals()
})

/** A real server, which notes the requests. */
async function serve(answer: RequestListener) {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    seen.push(request)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => server.close().closeAllConnections())
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/path?secret=s3cr3t` }
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'it did not fail',
    (error: unknown) => error,
  )
}

describe('a plain fetch', () => {
  it('sends the headers that fetch sends itself, and none of ofetch', async () => {
    const { seen, url } = await serve((_, response) => response.end('"text"'))
    const answer = await toFetch()(url, { method: 'POST', body: 'not JSON' })
    expect(await answer.text()).toBe('"text"')
    expect(seen[0]?.headers).toMatchObject({ accept: '*/*', 'content-type': 'text/plain;charset=UTF-8' })
    expect(seen[0]?.url).toBe('/path?secret=s3cr3t')
  })

  it('is looked up at each call where none was given', async () => {
    const send = toFetch()
    const own = vi.fn(async () => new Response('own'))
    vi.stubGlobal('fetch', own)
    expect(await (await send('http://a.test', {})).text()).toBe('own')
    expect(own).toHaveBeenCalledOnce()
  })

  it('gives every answer, whatever its status, before its body is read', async () => {
    const endless = () => new ReadableStream({ pull: () => new Promise(() => {}) })
    for (const status of [200, 404, 503]) {
      const own = vi.fn(async () => new Response(endless(), { status }))
      expect((await toFetch(own)('http://a.test', {})).status).toBe(status)
      expect(own).toHaveBeenCalledOnce()
    }
  })

  it('rejects with the error of the network itself, not with that of ofetch, which holds the address', async () => {
    const down = new TypeError('fetch failed')
    expect(await failureOf(toFetch(() => Promise.reject(down))('http://a.test', {}))).toBe(down)
    const nothing = () => Promise.reject(undefined)
    expect(await failureOf(toFetch(nothing)('http://a.test/?s3cr3t', {}))).toEqual(
      new TypeError('fetch failed'),
    )
    // an app may have passed the function of an instance before it could pass the instance
    expect(await failureOf(toFetch(ofetch.raw)('http://127.0.0.1:1/?s3cr3t', {}))).toMatchObject({
      name: 'TypeError',
    })
  })
})

describe('an ofetch instance', () => {
  it('runs its interceptors for each request, also for a refusal', async () => {
    const { seen, url } = await serve((_, response) => response.writeHead(404).end('no'))
    const statuses: unknown[] = []
    const instance = ofetch.create({
      onRequest: ({ options }) => options.headers.set('x-trace', 'on'),
      onResponse: ({ response }) => void statuses.push(response.status),
      onResponseError: ({ response }) => void statuses.push(`refused with ${response.status}`),
    })
    const answer = await toFetch(instance)(url, { headers: { 'x-own': '1' } })
    expect([answer.status, await answer.text()]).toEqual([404, 'no'])
    expect(statuses).toEqual([404, 'refused with 404'])
    expect(seen[0]?.headers).toMatchObject({ 'x-trace': 'on', 'x-own': '1' })
  })

  it('neither repeats a request nor reads the answer, whatever its defaults say', async () => {
    const { seen, url } = await serve((_, response) => response.writeHead(503).end('{"a":1}'))
    const parseResponse = vi.fn()
    const instance = ofetch.create({
      retry: 5,
      timeout: 1,
      responseType: 'json',
      parseResponse,
      baseURL: 'http://elsewhere.test/',
    })
    const answer = await toFetch(instance)(url, { signal: new AbortController().signal })
    expect(await answer.text()).toBe('{"a":1}')
    expect(seen).toHaveLength(1)
    expect(parseResponse).not.toHaveBeenCalled()
  })

  it('rejects with what an interceptor throws', async () => {
    const own = new Error('no token yet')
    const instance = ofetch.create({ onRequest: () => Promise.reject(own) })
    expect(await failureOf(toFetch(instance)('http://a.test', {}))).toBe(own)
  })
})

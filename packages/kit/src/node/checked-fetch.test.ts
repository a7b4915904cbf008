import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { type ChooseAddresses, createCheckedFetch } from './checked-fetch.ts'

async function serve(answer: (path: string) => { status?: number; headers?: object; body?: string }) {
  const seen: string[] = []
  const server = createServer(({ url = '' }, response) => {
    seen.push(url)
    const { status = 200, headers = {}, body = 'ok' } = answer(url)
    response.writeHead(status, { ...headers }).end(body)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(server, { seen, port })
}

const resolveTo =
  (...addresses: readonly string[]) =>
  (
    _host: string,
    _options: object,
    done: (error: null, found: { address: string; family: number }[]) => void,
  ) =>
    done(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    )

const causeOf = (failed: Promise<unknown>) =>
  failed.then(
    () => 'no failure',
    (error: Error) => (error.cause instanceof Error ? error.cause.message : error.message),
  )

it('connects only to addresses that were chosen, whatever a name says at the next look-up', async () => {
  await using server = await serve(() => ({ headers: { connection: 'close' } }))
  const answers = [['127.0.0.1'], ['192.0.2.7'], []]
  const asked: (readonly string[])[] = []
  const choose: ChooseAddresses = (addresses) => {
    asked.push(addresses)
    return addresses.includes('127.0.0.1') ? addresses : 'the address is another'
  }
  const fetch = createCheckedFetch(choose, (host, options, done) =>
    resolveTo(...answers.shift()!)(host, options, done),
  )
  const url = `http://name.example:${server.port}/`
  expect(await (await fetch(url, {})).text()).toBe('ok')
  expect(await causeOf(fetch(url, {}))).toBe('the address is another')
  expect(await causeOf(fetch(url, {}))).toBe('its host name cannot be resolved')
  expect(asked).toEqual([['127.0.0.1'], ['192.0.2.7']])
  expect(server.seen).toEqual(['/'])
})

it.each(['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', '127.0.0.1.'])(
  'asks for %s, which is an address, too',
  async (host) => {
    await using server = await serve(() => ({}))
    const fetch = createCheckedFetch(() => 'no address will do', resolveTo('127.0.0.1'))
    expect(await causeOf(fetch(`http://${host}:${server.port}/`, {}))).toBe('no address will do')
    expect(server.seen).toEqual([])
  },
)

it('follows no redirect', async () => {
  await using server = await serve(() => ({ status: 307, headers: { location: 'http://192.0.2.7/' } }))
  const fetch = createCheckedFetch((addresses) => addresses)
  const { status, headers } = await fetch(`http://127.0.0.1:${server.port}/`, { redirect: 'follow' })
  expect([status, headers.get('location')]).toEqual([307, 'http://192.0.2.7/'])
})

const key = Symbol.for('undici.globalDispatcher.2')

it('sends without limits on time, by a proxy too, which connects on its own', async () => {
  await using server = await serve(() => ({ headers: { connection: 'close' } }))
  void new Response()
  const before: unknown = Reflect.get(globalThis, key)
  const inner = (before ?? Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'))) as {
    dispatch(options: object, handler: unknown): unknown
  }
  const sent: object[] = []
  class ProxyAgent {
    dispatch(options: object, handler: unknown) {
      sent.push(options)
      return inner.dispatch(options, handler)
    }
  }
  Reflect.set(globalThis, key, new ProxyAgent())
  try {
    const fetch = createCheckedFetch(() => 'no address will do', resolveTo('127.0.0.1'))
    const answer = await fetch(`http://localhost:${server.port}/`, { method: 'POST', body: 'x' })
    expect(await answer.text()).toBe('ok')
    expect(sent).toMatchObject([{ headersTimeout: 0, bodyTimeout: 0, method: 'POST' }])
  } finally {
    if (before === undefined) Reflect.deleteProperty(globalThis, key)
    else Reflect.set(globalThis, key, before)
  }
})

it('ends with its signal', async () => {
  const reason = new Error('enough')
  const fetch = createCheckedFetch((addresses) => addresses)
  await expect(fetch('http://127.0.0.1:9/', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})

import { describe, expect, it, vi } from 'vitest'
import { createAccessGuard } from '@homeward/contract/handler'
import { createTestStore } from '../../testing/create-test-store.ts'
import { createLogs } from '../../journal/create-logs.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { AgentRuntime } from '../../runtime/runtime.ts'
import { createEventSockets, type EventSocketsOptions } from './create-event-sockets.ts'

const upgrade = { upgrade: 'websocket', host: '127.0.0.1:3010' }
const token = 'correct horse/battery+staple='
const asProtocol = `homeward.token.${encodeURIComponent(token)}`

function open(options: Partial<EventSocketsOptions> = {}) {
  const logs = createLogs({ store: createTestStore(), logger: { warn() {}, error() {} } })
  const settings: Record<string, string> = {}
  // what sockets use of a runtime
  const runtime = { logs, settings: { read: async () => settings } } as unknown as AgentRuntime
  const sockets = createEventSockets({ runtime, auth: { kind: 'token', token }, ...options })
  const check = async (headers: Record<string, string>, url = 'http://127.0.0.1:3010/api/events') => {
    const answer = await sockets.checkUpgrade({ url, headers: new Headers(headers) })
    if (answer.isAccepted) return { protocol: answer.protocol }
    const { status, headers: given } = answer.response
    const text = await answer.response.text()
    expect(text).not.toContain(token)
    return { status, headers: given, body: JSON.parse(text) }
  }
  return { sockets, check, settings }
}

describe('who may connect', () => {
  it('A19: whoever sends the token in the header, or as a subprotocol', async () => {
    const { check } = open()
    expect(await check({ ...upgrade, authorization: 'Bearer wrong' })).toMatchObject({ status: 401 })
    const { check: plain } = open({ auth: { kind: 'token', token: 'plain-token_1.2~3' } })
    expect(await plain({ ...upgrade, authorization: 'Bearer plain-token_1.2~3' })).toEqual({
      protocol: undefined,
    })
    const offered = 'homeward, homeward.token.plain-token_1.2~3'
    expect(await plain({ ...upgrade, 'sec-websocket-protocol': offered })).toEqual({ protocol: 'homeward' })
  })

  it.each([
    [{}, ''],
    [{ authorization: 'Bearer wrong' }, ''],
    [{ authorization: token }, ''],
    [{ cookie: `api_token=${encodeURIComponent(token)}` }, ''],
    [{ 'sec-websocket-protocol': 'homeward' }, ''],
    [{ 'sec-websocket-protocol': 'homeward, homeward.token.' }, ''],
    [{ 'sec-websocket-protocol': 'homeward, homeward.token.%zz' }, ''],
    [{ 'sec-websocket-protocol': `homeward, ${asProtocol}x` }, ''],
    [{}, `?token=${encodeURIComponent(token)}&api_token=${encodeURIComponent(token)}`],
  ])('A19: answers 401 to %j %s before the upgrade', async (headers: Record<string, string>, query) => {
    const { check } = open()
    const refused = await check({ ...upgrade, ...headers }, `http://127.0.0.1:3010/api/events${query}`)
    expect(refused).toMatchObject({
      status: 401,
      body: { code: 'unauthorized', request_id: expect.any(String) },
    })
    expect(refused.headers?.get('www-authenticate')).toBe('Bearer')
  })

  it('A19: nobody while the settings cannot be read, who is told why', async () => {
    const message = 'Reading config.json failed: it is not valid JSON.'
    const read = () => Promise.reject(new RuntimeError('storage_error', message))
    const runtime = { settings: { read }, logs: {} } as unknown as AgentRuntime // what a check uses of one
    const onError = vi.fn()
    const { check } = open({ runtime, auth: { kind: 'settings' }, onError })
    expect(await check(upgrade)).toMatchObject({ status: 500, body: { code: 'storage_error', message } })
    expect(onError).toHaveBeenCalledOnce()
  })

  it('A19: never gives the token back as the chosen subprotocol', async () => {
    const { check } = open({ auth: { kind: 'none' } })
    expect(await check({ ...upgrade, 'sec-websocket-protocol': `${asProtocol}, other` })).toEqual({
      protocol: undefined,
    })
  })

  it.each([
    [{ host: 'evil.example' }],
    [{ host: '127.0.0.1.evil.example:3010' }],
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
    [{ origin: 'http://127.0.0.1:1' }],
  ])(
    'A19: answers 403 to a foreign %j, also with the right token',
    async (headers: Record<string, string>) => {
      const { check } = open({ auth: { kind: 'token', token: 'secret' } })
      const good = { ...upgrade, authorization: 'Bearer secret' }
      expect(await check({ ...good, ...headers })).toMatchObject({ status: 403, body: { code: 'forbidden' } })
      expect(await check({ ...good, origin: 'http://127.0.0.1:3010' })).toEqual({ protocol: undefined })
    },
  )

  it('A19: follows the guard of the host and the setting api_token', async () => {
    const guard = createAccessGuard({ hosts: ['agents.example'] })
    const { check, settings } = open({ guard, auth: { kind: 'settings' } })
    const there = { ...upgrade, host: 'agents.example' }
    expect(await check(upgrade)).toMatchObject({ status: 403 })
    expect(await check(there)).toEqual({ protocol: undefined })
    settings['api_token'] = 'late'
    expect(await check(there)).toMatchObject({ status: 401 })
    expect(await check({ ...there, 'sec-websocket-protocol': 'homeward,homeward.token.late' })).toEqual({
      protocol: 'homeward',
    })
  })

  it('nobody without an upgrade, nobody by a hostile address, and says when its own check fails', async () => {
    const onError = vi.fn()
    const { check } = open({ auth: { kind: 'none' }, onError })
    expect(await check({ host: '127.0.0.1:3010' })).toMatchObject({
      status: 426,
      body: { code: 'upgrade_required' },
    })
    expect(await check({ ...upgrade, host: 'a b' }, 'http://a b/api/events')).toMatchObject({ status: 403 })
    expect(onError).not.toHaveBeenCalled()
    const failing = open({ auth: () => Promise.reject(new Error('no database')), onError })
    expect(await failing.check(upgrade)).toMatchObject({ status: 500 })
    expect(onError).toHaveBeenCalledOnce()
  })

  it('nobody, and goes on, when the hook that hears of its failure fails too', async () => {
    const auth = () => Promise.reject(new Error('no database'))
    const hooks = [
      vi.fn().mockRejectedValue(new Error('no log')),
      vi.fn(() => {
        throw new Error('no log')
      }),
    ]
    for (const onError of hooks) {
      expect(await open({ auth, onError }).check(upgrade)).toMatchObject({ status: 500 })
      expect(onError).toHaveBeenCalledOnce()
    }
  })
})

describe('how many may connect', () => {
  const transport = () => ({ send() {}, close: vi.fn() })

  it('as many as the limit says; those that go make room', async () => {
    const { sockets, check } = open({ auth: { kind: 'none' }, maxSockets: 2 })
    const [first, second, third] = [transport(), transport(), transport()]
    const opened = sockets.open(first)
    sockets.open(second)
    expect(await check(upgrade)).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    sockets.open(third) // it was let in while there was room
    expect(third.close).toHaveBeenCalledWith(1013, expect.any(String))
    expect(sockets.size).toBe(2)
    opened.closed()
    expect(await check(upgrade)).toEqual({ protocol: undefined })
    sockets.close()
    expect(second.close).toHaveBeenCalledExactlyOnceWith(1001, expect.any(String))
    expect(first.close).not.toHaveBeenCalled()
    expect([sockets.size, (await check(upgrade)).status]).toEqual([0, 503])
    const late = transport()
    sockets.open(late)
    expect(late.close).toHaveBeenCalledWith(1001, expect.any(String))
  })
})

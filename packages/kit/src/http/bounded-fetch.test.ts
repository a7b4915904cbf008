import { ofetch } from 'ofetch'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { boundedFetch, boundResponse, type HttpBounds, HttpFailure } from './index.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const url = 'http://a.test/path?secret=s3cr3t'
const never = () => new Promise<never>(() => {})

function send(answer: (init: RequestInit) => Response | Promise<Response>, bounds: Partial<HttpBounds> = {}) {
  const fetch = vi.fn(async (_: string, init: RequestInit) => answer(init))
  return { fetch, answer: boundedFetch({ fetch, timeoutMs: 1000, ...bounds })(url, {}) }
}

/** What reading the answer to its end fails with. */
async function failureOf(answer: Promise<Response>): Promise<unknown> {
  return answer.then((response) => response.text()).catch((error: unknown) => error)
}

/** A body that gives a byte every so often, and then ends. */
function drip(everyMs: number, count: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let left = count
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, everyMs))
      if ((left -= 1) < 0) controller.close()
      else controller.enqueue(new Uint8Array([97]))
    },
  })
}

describe('time', () => {
  it('is for all of the answer', async () => {
    for (const slow of [never, () => new Response(drip(300, 3))]) {
      const failed = failureOf(send(slow).answer)
      await vi.advanceTimersByTimeAsync(1000)
      expect(await failed).toMatchObject({ name: 'HttpFailure', code: 'TIMEOUT' })
      await vi.advanceTimersByTimeAsync(1000)
    }
  })

  it('is for each silence where asked; who reads slowly is not who answers slowly', async () => {
    const silence = { timeoutFor: 'silence' } as const
    const whole = failureOf(send(() => new Response(drip(900, 5)), silence).answer)
    await vi.advanceTimersByTimeAsync(6000)
    expect(await whole).toBe('aaaaa')
    const stalled = failureOf(send(() => new Response(new ReadableStream({ pull: never })), silence).answer)
    await vi.advanceTimersByTimeAsync(1000)
    expect(await stalled).toMatchObject({ code: 'TIMEOUT' })
    const reader = (await send(() => new Response(drip(0, 2)), silence).answer).body?.getReader()
    const first = reader?.read()
    await vi.advanceTimersByTimeAsync(1)
    expect((await first)?.done).toBe(false)
    await vi.advanceTimersByTimeAsync(60_000)
    const second = reader?.read()
    await vi.advanceTimersByTimeAsync(1)
    expect((await second)?.done).toBe(false)
    await reader?.cancel()
  })

  it('is kept while an interceptor hangs', async () => {
    const failed = failureOf(send(never, { fetch: ofetch.create({ onRequest: never }) }).answer)
    await vi.advanceTimersByTimeAsync(1000)
    expect(await failed).toMatchObject({ code: 'TIMEOUT' })
  })
})

describe('size', () => {
  it('stops reading at the limit, and before it begins where the size is said', async () => {
    let pulled = 0
    const endless = () =>
      new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(400 + 0 * ++pulled)) })
    expect(await failureOf(send(() => new Response(endless()), { maxBytes: 1000 }).answer)).toMatchObject({
      code: 'TOO_LARGE',
      message: 'The response is larger than 1000 bytes',
    })
    expect(pulled).toBeLessThan(6)
    const headers = { 'content-length': '1001' }
    const said = send(() => new Response(endless(), { headers }), { maxBytes: 1000 })
    await expect(said.answer).rejects.toMatchObject({ code: 'TOO_LARGE' })
  })

  it('does not count the body that an answer to HEAD would have', async () => {
    const headers = { 'content-length': '5000' }
    const { answer } = send(() => new Response(null, { headers }), { maxBytes: 1000 })
    expect((await answer).headers.get('content-length')).toBe('5000')
  })

  it('can be all that is limited; the address of the answer stays', async () => {
    const given = Object.defineProperty(new Response('12345'), 'url', { value: 'http://b.test/' })
    const bounded = boundResponse(given, { maxBytes: 4 })
    expect(bounded.url).toBe('http://b.test/')
    await expect(bounded.text()).rejects.toMatchObject({ code: 'TOO_LARGE' })
  })
})

describe('redirects', () => {
  it.each([
    [302, 'https://evil.example/steal?s3cr3t', 'https://evil.example'],
    [307, '/elsewhere', 'http://a.test'],
    [303, undefined, undefined],
  ])('are not followed: %s', async (status, location, target) => {
    const headers: Record<string, string> = location === undefined ? {} : { location }
    const { fetch, answer } = send(() => new Response('', { status, headers }))
    const failure = await failureOf(answer)
    expect(failure).toMatchObject({ code: 'REDIRECTED', status, target })
    expect(String(failure)).not.toContain('s3cr3t')
    expect(fetch.mock.calls).toEqual([[url, expect.objectContaining({ redirect: 'manual' })]])
  })

  it('are noticed where an interceptor had them followed', async () => {
    const followed = Object.defineProperty(new Response(''), 'redirected', { value: true })
    expect(await failureOf(send(() => followed).answer)).toMatchObject({ code: 'REDIRECTED' })
  })

  it.each([304, 308])('are not what %i without an address is', async (status) => {
    const { answer } = send(() => new Response(null, { status }))
    expect((await answer).status).toBe(status)
  })
})

describe('the end of it', () => {
  it('is the reason of the signal, whenever that aborts', async () => {
    const reason = new Error('closing')
    const early = send(never, { signal: AbortSignal.abort(reason) })
    await expect(early.answer).rejects.toBe(reason)
    expect(early.fetch).not.toHaveBeenCalled()
    const toError = vi.fn()
    for (const slow of [never, () => new Response(drip(900, 5))]) {
      const stop = new AbortController()
      const failed = failureOf(send(slow, { signal: stop.signal, toError }).answer)
      await vi.advanceTimersByTimeAsync(950)
      stop.abort(reason)
      expect(await failed).toBe(reason)
      await vi.advanceTimersByTimeAsync(900)
    }
    expect(toError).not.toHaveBeenCalled()
  })

  it('is an error of the caller where it makes one', async () => {
    const down = new TypeError(`cannot reach ${url}`)
    const toError = (error: unknown) => new Error(error instanceof HttpFailure ? error.code : 'another')
    const cut = () => new Response(new ReadableStream({ pull: (controller) => controller.error(down) }))
    for (const broken of [() => Promise.reject(down), cut])
      expect(await failureOf(send(broken, { toError }).answer)).toEqual(new Error('UNREACHABLE'))
    const failure = await failureOf(send(() => Promise.reject(down)).answer)
    expect(failure).toMatchObject({ code: 'UNREACHABLE', cause: down })
    expect((failure as HttpFailure).message).not.toContain('a.test')
  })
})

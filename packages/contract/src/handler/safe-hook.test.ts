import { expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { createHandler } from './create-handler.ts'
import { safeHook } from './safe-hook.ts'

const failure = new Error('no log')
/** Ways in which a hook fails. A rejected promise that nobody heeds fails the file: it would end the process. */
const hooks: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw failure
  },
  'gives a rejected promise': () => Promise.reject(failure),
}

it.each(Object.entries(hooks))('a hook that %s takes nothing with it', async (_, fails) => {
  const hook = vi.fn(fails)
  expect(safeHook<[string, string]>(hook)('what', 'where')).toBeUndefined()
  expect(hook).toHaveBeenCalledExactlyOnceWith('what', 'where')
  await new Promise((resolve) => setImmediate(resolve))
})

const operations = {
  fail: {
    method: 'GET',
    path: '/api/fail',
    auth: 'public',
    summary: 'Breaks.',
    source: 'test',
    reply: z.object({ ok: z.boolean() }),
  },
} as const satisfies Record<string, Operation>

it('is no hook where there is none', () => {
  expect(safeHook(undefined)()).toBeUndefined()
})

it.each(Object.entries(hooks))('a handler answers when its hook for failures %s', async (_, onError) => {
  const handler = createHandler({
    operations,
    handlers: {
      fail: () => {
        throw new TypeError('inside')
      },
    },
    authenticate: { public: () => undefined },
    onError,
  })
  const response = await handler.fetch(new Request('http://127.0.0.1/api/fail'))
  expect([response.status, await response.json()]).toEqual([500, { error: 'Failed to process request' }])
  await new Promise((resolve) => setImmediate(resolve))
})

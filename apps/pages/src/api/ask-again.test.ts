import { ClientError } from '@homeward/contract/client'
import { expect, it } from 'vitest'
import { askAgainAfterMs } from './create-api-hooks.ts'

const after = (status: number, errorUpdateCount = 1) =>
  askAgainAfterMs({ error: new ClientError('HTTP', 'no', { status }), errorUpdateCount })

it('asks a server again that is busy or being started, less and less often', () => {
  expect([1, 2, 3, 4, 5, 50].map((count) => after(503, count))).toEqual([
    3000, 6000, 12_000, 24_000, 30_000, 30_000,
  ])
  expect(after(429)).toBe(3000)
})

it('leaves alone what another try does not change, and what is tried once the server answers', () => {
  expect([400, 401, 404, 500].map((status) => after(status))).toEqual([false, false, false, false])
  expect(askAgainAfterMs({ error: new ClientError('UNREACHABLE', 'no'), errorUpdateCount: 1 })).toBe(false)
  expect(askAgainAfterMs({ error: null, errorUpdateCount: 3 })).toBe(false)
})

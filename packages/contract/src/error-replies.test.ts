import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { errorReplies, errorRepliesOf } from './error-replies.ts'
import { payloadTooLarge, rateLimited, unsupportedMediaType, validationError } from './handler/http-error.ts'
import type { Operation } from './operation.ts'

const row: Operation = {
  method: 'GET',
  path: '/things',
  auth: 'public',
  summary: 'Lists things.',
  source: 'test',
  reply: z.object({}),
}
const statusesOf = (operation: Operation) => errorRepliesOf(operation).map(({ status }) => status)

describe('errorRepliesOf', () => {
  it('gives an operation that takes nothing from anybody the errors of the server only', () => {
    expect(statusesOf(row)).toEqual([403, 500])
  })

  it('adds validation where there is something to validate, sizes and types where there is a body', () => {
    expect(statusesOf({ ...row, query: z.object({}) })).toEqual([400, 403, 500])
    expect(statusesOf({ ...row, body: z.object({}) })).toEqual([400, 403, 413, 415, 500])
    expect(statusesOf({ ...row, form: { fields: z.object({}), file: 'file' } })).toEqual([
      400, 403, 413, 415, 500,
    ])
  })

  it('C12, C23: words 401 by the kind of caller and limits the rate of devices', () => {
    const device = errorRepliesOf({ ...row, auth: 'device' })
    expect(device.map(({ status }) => status)).toEqual([401, 403, 429, 500, 503])
    expect(device[0]?.error).toBe('Invalid or missing API key')
    expect(errorRepliesOf({ ...row, auth: 'session', needs: 'read' })[0]?.error).toBe('Unauthorized')
    expect(Object.keys(errorReplies[429].headers)).toEqual(['Retry-After'])
  })

  it('adds the errors of the row, once', () => {
    expect(statusesOf({ ...row, errors: [409, 404, 404] })).toEqual([403, 404, 409, 500])
  })

  it('refuses a row that names a status without a documented body', () => {
    expect(() => errorRepliesOf({ ...row, errors: [418] })).toThrow(
      'GET /things failed: 418 has no documented body',
    )
  })

  it('words errors as the handler does', () => {
    const given = [
      validationError('x'),
      payloadTooLarge('x', 1),
      unsupportedMediaType('x'),
      rateLimited('x', 1),
    ]
    for (const { status, body, headers } of given) {
      const documented = errorRepliesOf({ ...row, errors: [status] }).find((reply) => reply.status === status)
      expect(documented).toMatchObject({ error: body.error, hasMessage: 'message' in body })
      const names = Object.keys(documented?.headers ?? {}).map((name) => name.toLowerCase())
      expect(names).toEqual(Object.keys(headers))
    }
  })
})

import { expect, it } from 'vitest'
import { isRepeatedAuthorization } from './repeated-authorization.ts'

it.each(['', 'Bearer', 'Bearer a', 'bearer  a.b-c_d ', 'Basic YTpi', 'Digest username="a", realm="b"'])(
  'takes %j for one header',
  (header) => expect(isRepeatedAuthorization(header)).toBe(false),
)

it.each([
  'Bearer a, Bearer b',
  'Bearer a,Bearer a',
  ', Bearer a',
  'Basic YTpi, Bearer a',
  'Bearer a, Basic YTpi',
])('takes %j for several', (header) => expect(isRepeatedAuthorization(header)).toBe(true))

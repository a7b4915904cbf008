import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { originOf } from './request-origin.ts'

it.each([
  [{ host: 'cloud.example:443', 'x-forwarded-proto': 'https' }, 'https://cloud.example'],
  [{ host: 'Cloud.Example', 'x-forwarded-proto': 'HTTPS' }, 'https://cloud.example'],
  [{ host: 'cloud.example:80', 'x-forwarded-proto': 'http' }, 'http://cloud.example'],
  [{ host: 'cloud.example:8443', 'x-forwarded-proto': 'https, http' }, 'https://cloud.example:8443'],
  [{ host: 'CLOUD.example:443' }, 'https://cloud.example'],
  [{ host: '127.0.0.1:3000' }, 'http://127.0.0.1:3000'],
])('An origin is written as browsers write it: %o is %s', (headers, expected) => {
  expect(originOf(headers, 'https://cloud.example/path')).toBe(expected)
})

it('An origin is the same for every spelling of its host', () => {
  const spelling = fc.record({
    upper: fc.boolean(),
    port: fc.boolean(),
    scheme: fc.constantFrom('https', 'HTTPS'),
  })
  fc.assert(
    fc.property(fc.domain(), spelling, (domain, { upper, port, scheme }) => {
      const host = `${upper ? domain.toUpperCase() : domain}${port ? ':443' : ''}`
      expect(originOf({ host, 'x-forwarded-proto': scheme }, undefined)).toBe(
        new URL(`https://${domain}`).origin,
      )
    }),
  )
})

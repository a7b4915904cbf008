import { expect, it } from 'vitest'
import { createClientAddress, createRequestOrigin } from './client-address.ts'
import { toLimitKey } from './to-limit-key.ts'

const from = (remoteAddress: string | undefined, forwarded?: string) => ({
  remoteAddress,
  header: () => forwarded,
})

it.each([
  ['192.0.2.7', undefined, '192.0.2.7'],
  ['192.0.2.7', '198.51.100.1', '192.0.2.7'],
  ['::ffff:192.0.2.7', undefined, '192.0.2.7'],
  ['10.0.0.1', '198.51.100.1, 192.0.2.7', '192.0.2.7'],
  ['::ffff:10.0.0.1', '198.51.100.1, 192.0.2.7, 10.0.0.2', '192.0.2.7'],
  ['10.0.0.1', '192.0.2.7:51234', '192.0.2.7'],
  ['10.0.0.1', '[2001:db8::7]:51234', '2001:db8::7'],
  ['10.0.0.1', ' , ', '10.0.0.1'],
  ['10.0.0.1', undefined, '10.0.0.1'],
  [undefined, '192.0.2.7', 'unknown'],
])('a call from %s, forwarded for %s, comes from %s', (remoteAddress, forwarded, expected) => {
  const addressOf = createClientAddress(['10.0.0.1', '::ffff:10.0.0.2'])
  expect(addressOf(from(remoteAddress, forwarded))).toBe(expected)
})

it('C12: counts all addresses of one network of IPv6 as one caller, and those of two as two', () => {
  const keys = ['2001:db8:1:2::1', '2001:0DB8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::'].map(toLimitKey)
  expect(new Set(keys)).toEqual(new Set(['2001:db8:1:2::/64']))
  expect(toLimitKey('2001:db8:1:3::1')).toBe('2001:db8:1:3::/64')
  expect(toLimitKey('2001:db8::1')).toBe('2001:db8:0:0::/64')
  expect(toLimitKey('::1')).toBe('0:0:0:0::/64')
  expect(toLimitKey('192.0.2.7')).toBe('192.0.2.7')
  expect(toLimitKey('unknown')).toBe('unknown')
})

it.each([
  ['10.0.0.1', 'https', 'Cloud.Example:443', 'https://cloud.example'],
  ['10.0.0.1', 'HTTPS, http', 'cloud.example:8443', 'https://cloud.example:8443'],
  ['10.0.0.1', 'ftp', 'cloud.example', 'http://cloud.example'],
  ['10.0.0.1', undefined, 'cloud.example', 'http://cloud.example'],
  ['192.0.2.7', 'https', 'cloud.example', 'http://cloud.example'],
])(
  'a call from %s with the scheme %s and the host %s reached %s',
  (remoteAddress, scheme, host, expected) => {
    const header = (name: string) => (name === 'host' ? host : scheme)
    const request = { remoteAddress, header, origin: `http://${host}` }
    expect(createRequestOrigin(['10.0.0.1'])(request)).toBe(expected)
  },
)

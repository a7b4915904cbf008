import { networkInterfaces } from 'node:os'
import { expect, it } from 'vitest'
import { isMetadataAddress, isLocalAddress, isPrivateAddress } from '@homeward/kit/node'
import { hostOf, resolveBase, toAddressPolicy } from './base-address.ts'

it.each([
  '127.0.0.1',
  '10.1.2.3',
  '172.31.0.1',
  '192.168.0.1',
  '169.254.1.1',
  '100.64.0.1',
  '0.0.0.0',
  '255.255.255.255',
  '224.0.0.1',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::FFFF:7F00:1',
  '0:0:0:0:0:ffff:c0a8:0001',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '::ffff:0:127.0.0.1',
  '2001:20::1',
  '3fff::1',
  '2002:7f00:1::',
  'fe80::1%eth0',
  'fd12::1',
  'ff02::1',
  'not an address',
])('A17: %s is no public address', (address) => {
  expect(isPrivateAddress(address)).toBe(true)
})

it.each(['1.1.1.1', '172.32.0.1', '::ffff:8.8.8.8', '2606:4700::1111', '100.128.0.1', '169.253.0.1'])(
  'A17: %s is a public address',
  (address) => {
    expect(isPrivateAddress(address)).toBe(false)
    expect(isMetadataAddress(address)).toBe(false)
  },
)

it('A17: every spelling of an address is the same address', () => {
  const spellings = [
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '127.0.0.1.',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '０x7f.1',
  ]
  for (const spelling of spellings) {
    expect(isPrivateAddress(hostOf(new URL(`http://${spelling}/`))), spelling).toBe(true)
  }
})

it('knows the addresses of this machine and of metadata services', () => {
  const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
  for (const { address } of own) expect(isLocalAddress(address)).toBe(true)
  expect(isLocalAddress('::ffff:127.0.0.2')).toBe(true)
  expect(isLocalAddress('8.8.8.8')).toBe(false)
  expect(isMetadataAddress('::ffff:169.254.169.254')).toBe(true)
  expect(isMetadataAddress('fd00:ec2::254')).toBe(true)
})

const resolve = (apiBase: string | undefined, config: Record<string, string> = {}, runtimeBase?: string) =>
  resolveBase({
    config,
    apiBase,
    runtimeBase,
    platformOrigins: ['http://127.0.0.1:3010', 'https://home.example'],
  })

it("A17: the base is the config's, else the skill's, else the runtime's; without one the tool is off", () => {
  expect(resolve('https://skill.example', { base: 'https://a.example' }, 'https://c.example')).toMatchObject({
    url: new URL('https://a.example'),
    chosen: true,
  })
  expect(resolve('https://skill.example', { api_base: 'https://b.example' })).toMatchObject({
    url: new URL('https://b.example'),
  })
  expect(resolve('https://skill.example', {}, 'https://c.example')).toMatchObject({
    url: new URL('https://skill.example'),
    chosen: false,
  })
  expect(resolve(undefined, {}, 'https://c.example')).toMatchObject({
    url: new URL('https://c.example'),
    chosen: true,
  })
  expect(resolve(undefined, { base: ' ' })).toMatchObject({ off: /the base address is missing/ })
})

it.each([
  ['ftp://files.example', /must be an http or https URL/],
  ['not an address', /must be an http or https URL/],
  ['https://user:secret@api.example', /user name/],
  ['http://169.254.169.254/latest', /metadata/],
  ['http://[::ffff:169.254.169.254]/', /metadata/],
  ['http://127.0.0.1:3010', /this server itself/],
  ['http://localhost:3010/api', /this server itself/],
  ['http://0.0.0.0:3010', /this server itself/],
  ['http://[::ffff:127.0.0.1]:3010', /this server itself/],
  ['http://2130706433:3010', /this server itself/],
  ['https://home.example/x', /this server itself/],
])('A17: the base %s turns a tool off', (base, reason) => {
  expect(resolve(base)).toMatchObject({ off: reason })
})

it('A17: private addresses are for bases that are one, or that a person wrote down', () => {
  const policy = (base: string, chosen: boolean) =>
    toAddressPolicy(new URL(base), chosen, ['http://127.0.0.1:3010'])
  expect(policy('https://api.example', false)('10.0.0.1', 443)).toBe('it points to a private address')
  expect(policy('https://api.example', false)('93.184.215.14', 443)).toBeUndefined()
  expect(policy('http://nas.lan', true)('10.0.0.1', 80)).toBeUndefined()
  expect(policy('http://nas.lan', true)('169.254.169.254', 80)).toMatch(/metadata/)
  expect(policy('http://nas.lan:3010', true)('127.0.0.1', 3010)).toMatch(/this server itself/)
  expect(policy('http://10.0.0.1', false)('10.0.0.1', 80)).toBeUndefined()
  expect(policy('http://localhost:8080', false)('127.0.0.1', 8080)).toBeUndefined()
  expect(policy('http://localhost:8080', false)('10.255.255.254', 8080)).toMatch(/private/)
})

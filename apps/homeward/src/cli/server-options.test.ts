import { expect, it } from 'vitest'
import { toMcpEndpoint } from './mcp/mcp-command.ts'
import { toServerAddress } from './server-options.ts'

it.each([
  ['agents', {}, {}, 'http://127.0.0.1:3010'],
  ['devices', {}, { CLOUD_PORT: '4000' }, 'http://127.0.0.1:4000'],
  ['agents', {}, { HOST: '0.0.0.0', PORT: '1' }, 'http://127.0.0.1:1'],
  ['agents', {}, { HOST: '::' }, 'http://[::1]:3010'],
  ['agents', { url: 'https://agents.example/' }, {}, 'https://agents.example'],
  ['agents', { url: 'https://agents.example/base/' }, {}, 'https://agents.example/base'],
] as const)('the server of %s with %j and %j is at %s', (server, options, environment, url) => {
  expect(toServerAddress(options, environment, server).url).toBe(url)
})

it('takes the token from --token, then from the environment; API_TOKEN is for agents only', () => {
  const tokenOf = (...given: Parameters<typeof toServerAddress>) => toServerAddress(...given).token
  expect(tokenOf({ token: 'a' }, { API_TOKEN: 'b' })).toBe('a')
  expect(tokenOf({}, { API_TOKEN: ' b ' })).toBe('b')
  expect(tokenOf({}, { API_TOKEN: 'b' }, 'devices')).toBeUndefined()
  expect(tokenOf({}, { API_TOKEN: 'b', HOMEWARD_TOKEN: 'c' }, 'devices')).toBe('c')
})

it.each(['ftp://x', 'http://ann:secret@x', 'nothing'])('rejects %s without repeating it', (url) => {
  expect(() => toServerAddress({ url }, {})).toThrow('Finding the server failed')
  expect(() => toServerAddress({ url }, {})).not.toThrow('secret')
})

it('finds the MCP endpoint of a server, and takes the address of the endpoint itself', () => {
  expect(toMcpEndpoint('http://x')).toBe('http://x/mcp')
  expect(toMcpEndpoint('http://x/mcp')).toBe('http://x/mcp')
})

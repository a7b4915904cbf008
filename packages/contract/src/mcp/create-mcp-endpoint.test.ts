import { expect, it } from 'vitest'
import type { RequestView } from '../handler/request-view.ts'
import { createMcpEndpoint } from './create-mcp-endpoint.ts'
import { truncateText, truncateRows } from './fit-result.ts'

const request: RequestView = {
  method: 'POST',
  path: '/mcp',
  search: '',
  origin: 'http://127.0.0.1',
  remoteAddress: undefined,
  signal: new AbortController().signal,
  header: () => undefined,
  body: () => {
    throw new Error('It was read')
  },
}

it('names the package to install if it is missing', async () => {
  const endpoint = createMcpEndpoint({
    name: 'x',
    title: 'X',
    version: '1',
    instructions: '',
    operations: {},
    tools: [],
    respond: () => Promise.reject(new Error('It was called')),
    onError: () => {},
    load: () => Promise.reject(new Error('Cannot find package')),
  })
  await expect(endpoint(request, { jsonrpc: '2.0', id: 1, method: 'tools/list' })).rejects.toMatchObject({
    status: 501,
    body: { message: expect.stringContaining('npm install @modelcontextprotocol/server') },
  })
})

it('cuts texts and rows to what fits, and counts the rest', () => {
  expect(truncateText('abc', 3)).toBe('abc')
  expect(truncateText('ab😀', 3)).toBe('ab… (2 more characters)')
  expect(truncateRows(['aa', 'bb', 'cc'], 10)).toEqual({ rows: ['aa', 'bb'], left: 1 })
})

import { expect, it, vi } from 'vitest'
import { toolContextOf } from '../testing/tool-context.ts'
import type { McpClient } from './load-mcp-client.ts'
import { loadWith, openServers } from './testing/open-servers.ts'

const tool = (name: string) => ({ name, inputSchema: { type: 'object' } })

type Page = (count: number) => object

it.each<[string, Page, number, string[]]>([
  ['an empty cursor', () => ({ tools: [tool('a')], nextCursor: '' }), 1, ['a']],
  ['the same cursor again', () => ({ tools: [tool('a')], nextCursor: 'x' }), 2, ['a']],
  ['two cursors in turn', (count) => ({ tools: [], nextCursor: count % 2 ? 'y' : 'x' }), 3, []],
  ['new cursors for the same tools', (count) => ({ tools: [tool('a')], nextCursor: `${count}` }), 2, ['a']],
  [
    'a page of old and new tools',
    (count) => ({ tools: [tool('a'), tool(`b${Math.min(count, 2)}`)], nextCursor: `${count}` }),
    3,
    ['a', 'b1', 'b2'],
  ],
  [
    'an empty page on the way',
    (count) => (count < 3 ? { tools: [], nextCursor: `${count}` } : { tools: [tool('c')] }),
    3,
    ['c'],
  ],
  ['names in no order', () => ({ tools: [tool('b'), tool('a')] }), 1, ['a', 'b']],
])(
  'reads a list with %s to its end, at each run, and offers each tool once',
  async (_, page, requests, names) => {
    const warn = vi.fn()
    let count = 0
    const mcp = openServers(
      { pages: { url: 'http://127.0.0.1:1/mcp' } },
      { logger: { warn, error: warn }, load: () => loadWith(async () => ({ ...page((count += 1)) })) },
    )
    for (let run = 0; run < 2; run += 1) {
      count = 0
      const { tools } = await mcp.toolsFor(['pages'], AbortSignal.timeout(60_000))
      expect([tools.map(({ id }) => id), count]).toEqual([names.map((name) => `pages.${name}`), requests])
    }
    expect(warn).not.toHaveBeenCalled()
  },
)

it('asks for the progress of a call, passes it on, and lets each report start the time limit again', async () => {
  const warn = vi.fn()
  let limits: Parameters<McpClient['request']>[1] | undefined
  const load = () =>
    loadWith(async ({ method }, options) => {
      if (method === 'tools/list') return { tools: [tool('long')] }
      limits = options
      options.onprogress?.({ progress: 1, total: 4 })
      options.onprogress?.({ progress: 2, message: 'Half of it' })
      return { content: [{ type: 'text', text: 'done' }] }
    })
  const mcp = openServers(
    { slow: { url: 'http://127.0.0.1:1/mcp', timeoutMs: 5000 } },
    { logger: { warn, error: warn }, load },
  )
  const { tools } = await mcp.toolsFor(['slow'], new AbortController().signal)
  const progress = vi.fn()
  expect(await tools[0]?.execute({}, toolContextOf({ progress }))).toBe('done')
  expect(progress.mock.calls).toEqual([['1 of 4'], ['Half of it']])
  expect(limits).toMatchObject({ timeout: 5000, resetTimeoutOnProgress: true })
  expect(limits).not.toHaveProperty('maxTotalTimeout')
})

import { Client } from '@modelcontextprotocol/client'
import { InMemoryTransport } from '@modelcontextprotocol/server'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { repositoryFolder } from '../program/package-folder.ts'
import { packDocs, readDocsFolder } from './docs-pages.ts'
import { createDocsServer } from './docs-server.ts'

const pages = new Map([
  ['README.md', '# Documentation\n\n[Undo](guides/undo.md)'],
  [
    'guides/undo.md',
    '# Undo\n\nHow to undo the calls of a run.\n\n## Verify\n\nFinds out whether a call happened.',
  ],
  ['guides/graphs.md', `# Graphs\n\nA workflow of agents.\n\n${'Nodes and edges. '.repeat(2000)}`],
])

it('finds passages with their page, and returns pages in parts', async () => {
  const docs = createDocsServer(pages)
  const server = docs.connect()
  const client = new Client({ name: 'test', version: '1' })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(theirs), client.connect(ours)])
  const call = async (name: string, args: Record<string, unknown>) => {
    const { content, isError } = await client.callTool({ name, arguments: args })
    const [first] = content
    return { isError, text: first?.type === 'text' ? first.text : '' }
  }

  const { tools } = await client.listTools()
  expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
    ['search', true],
    ['read', true],
  ])
  const found = await call('search', { query: 'how do I undo calls', limit: 1 })
  expect(found.text).toContain('## guides/undo.md')
  expect(found.text).toContain('undo the calls of a run')
  expect((await call('search', { query: 'zeppelin' })).text).toContain('No page has these words')

  expect((await call('read', { page: 'docs/guides/undo.md#verify' })).text).toBe(pages.get('guides/undo.md'))
  const first = await call('read', { page: 'guides/graphs.md' })
  expect(first.text).toContain('read it with offset 20000')
  const rest = await call('read', { page: 'guides/graphs.md', offset: 20_000 })
  expect(rest.text).toHaveLength((pages.get('guides/graphs.md') ?? '').length - 20_000)
  expect(await call('read', { page: 'graphs' })).toMatchObject({
    isError: true,
    text: 'Reading graphs failed: the page does not exist. Similar pages: guides/graphs.md.',
  })
  await client.close()
  await docs.close()
})

it('packs every page for users, and none for those who change Homeward', () => {
  const docs = readDocsFolder(join(repositoryFolder ?? '', 'docs'))
  expect([...docs.keys()]).toEqual(
    expect.arrayContaining(['README.md', 'guides/undo.md', 'reference/platform/runs.md']),
  )
  expect([...docs.keys()].filter((path) => /decisions|mutation|\/api\//.test(path))).toEqual([])
  const packed = packDocs(docs)
  expect(packed.length).toBeLessThan(500_000)
  expect(new Map(JSON.parse(gunzipSync(packed).toString()) as [string, string][])).toEqual(docs)
})

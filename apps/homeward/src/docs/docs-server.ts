import { createRuntime } from '@homeward/agent-runtime'
import { McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import type { DocsPages } from './docs-pages.ts'

/** Longest part of a page in one response, in characters. */
const maxChars = 20_000

/** An MCP server over the documentation. */
interface DocsServer {
  /** Makes the server of one connection. */
  connect(): McpServer
  close(): Promise<void>
}

/**
 * Serves pages to MCP clients: `search` finds passages by their words, `read` returns a page. The pages are a collection in the
 * memory of this process. It is ready a few seconds after the start, and a search waits for it.
 */
export function createDocsServer(pages: DocsPages): DocsServer {
  const runtime = createRuntime({ environment: {} })
  const ready = fillCollection(runtime, pages)
  ready.catch(() => {}) // the search reports it

  async function search(q: string, limit: number): Promise<string> {
    await ready
    const found = await runtime.collections.search('docs', { q, limit })
    if (found.length === 0)
      return 'No page has these words. Use other words, or read README.md, the list of pages.'
    return found
      .map(({ name, heading, text }) => `## ${name}${heading ? `: ${heading}` : ''}\n\n${text}`)
      .join('\n\n')
  }

  function connect(): McpServer {
    const server = new McpServer(
      { name: 'homeward-docs', version: '0.1.0' },
      { instructions: 'The documentation of Homeward. Search it, then read the page of the best result.' },
    )
    const annotations = { readOnlyHint: true, openWorldHint: false }
    server.registerTool(
      'search',
      {
        title: 'Search the documentation',
        description:
          'Searches the documentation of Homeward, and returns passages with the page that each is from.',
        inputSchema: z.object({
          query: z.string().min(1).max(500).describe('A few words or a question'),
          limit: z.int().min(1).max(20).default(6).describe('Number of passages'),
        }),
        annotations,
      },
      async ({ query, limit }) => ({ content: [{ type: 'text', text: await search(query, limit) }] }),
    )
    server.registerTool(
      'read',
      {
        title: 'Read a page',
        description: `Returns a page as Markdown, at most ${maxChars.toLocaleString('en')} characters. README.md lists the pages.`,
        inputSchema: z.object({
          page: z.string().max(200).describe('Such as guides/undo.md'),
          offset: z.int().min(0).default(0).describe('Character to begin at'),
        }),
        annotations,
      },
      ({ page, offset }) => {
        const text = readPage(pages, page, offset)
        return {
          content: [{ type: 'text', text: text ?? unknownPage(pages, page) }],
          isError: text === undefined,
        }
      },
    )
    return server
  }

  return { connect, close: () => runtime.close() }
}

type Runtime = ReturnType<typeof createRuntime>

async function fillCollection({ collections }: Runtime, pages: DocsPages): Promise<void> {
  await collections.create({ id: 'docs' })
  for (const [name, text] of pages) await collections.add('docs', { name, text })
  for (;;) {
    const { documents } = await collections.documents('docs', { limit: 1000 })
    if (documents.every(({ status }) => status === 'ready' || status === 'failed')) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function readPage(pages: DocsPages, page: string, offset: number): string | undefined {
  const text = pages.get(page.replace(/^(?:\.?\/)?(?:docs\/)?/, '').replace(/#.*$/, ''))
  if (text === undefined) return undefined
  const end = offset + maxChars
  const more = end < text.length ? `\n\n(The page goes on: read it with offset ${end}.)` : ''
  return text.slice(offset, end) + more
}

function unknownPage(pages: DocsPages, page: string): string {
  const name =
    page
      .split('/')
      .at(-1)
      ?.replace(/\.md.*$/, '') ?? ''
  const similar = [...pages.keys()].filter((path) => name !== '' && path.includes(name))
  const advice = similar.length > 0 ? `Similar pages: ${similar.join(', ')}.` : 'README.md lists the pages.'
  return `Reading ${page} failed: the page does not exist. ${advice}`
}

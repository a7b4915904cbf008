import type { McpResource } from '@homeward/contract/mcp'
import { readBounded, readChunks } from '@homeward/kit'
import type { AgentContext } from './agent-tools.ts'

/** Most bytes of a file that a message holds. Larger files are at their address. */
const maxBytes = 20 * 1024 * 1024

const isText = /^text\/|[/+]json$/

/** Reads the file behind a link. The route checks whether the caller may read it. */
export async function readFile(
  uri: string,
  { call, toLink, signal }: AgentContext,
): Promise<McpResource | undefined> {
  const base = toLink('/api/files/')
  const id = uri.startsWith(base) ? uri.slice(base.length) : ''
  if (!/^[\w-]{1,200}$/.test(id)) return undefined
  const { headers, body } = await call('getFile', { params: { id }, signal })
  const bytes = await readBounded(readChunks(body), maxBytes)
  if (!bytes) return undefined
  const mimeType = headers.get('content-type') ?? 'application/octet-stream'
  const content = Buffer.from(bytes)
  if (isText.test(mimeType)) return { mimeType, text: content.toString() }
  return { mimeType, blob: content.toString('base64') }
}

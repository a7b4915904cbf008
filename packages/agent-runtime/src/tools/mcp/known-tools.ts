import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '@homeward/kit/node'
import type { Logger } from '../../ports/logger.ts'
import { reasonOf } from '../../ports/reason-of.ts'
import { maxMessageBytes } from './max-message-bytes.ts'
import type { McpServerConfig } from './mcp-server-config.ts'
import { parseTools, type McpTool, type McpToolList } from './read-answers.ts'

/**
 * The tools that each server listed last, also after a restart: while a server is away, agents keep its tools, and the
 * prompt stays as it is in the provider's cache.
 */
export interface KnownTools {
  find(name: string, config: McpServerConfig): readonly McpTool[] | undefined
  /** Notes a list, if it is another one than before. */
  note(name: string, config: McpServerConfig, list: McpToolList): Promise<void>
  remove(name: string): Promise<void>
}

/** Keeps lists in a folder of the data home; without one, in memory. */
export function createKnownTools(folder: string | undefined, logger: Logger): KnownTools {
  const known = new Map<
    string,
    { readonly of: string; readonly text: string; readonly tools: readonly McpTool[] }
  >()
  const pathOf = (name: string) =>
    folder === undefined ? undefined : join(folder, `${encodeURIComponent(name)}.json`)

  function load(name: string): void {
    const path = pathOf(name)
    if (path === undefined || known.has(name)) return
    try {
      const text = readFileSync(path, 'utf8')
      const { of, tools } = JSON.parse(text) as { of?: unknown; tools?: unknown }
      if (typeof of === 'string' && Array.isArray(tools))
        known.set(name, { of, text, tools: parseTools(tools) })
    } catch {
      // there is none, or none that can be read: the server is asked
    }
  }

  return {
    find(name, config) {
      load(name)
      const entry = known.get(name)
      return entry?.of === markOf(config) ? entry.tools : undefined
    },
    async note(name, config, { tools }) {
      load(name)
      const of = markOf(config)
      const text = JSON.stringify({ of, tools })
      if (known.get(name)?.text === text || text.length > maxMessageBytes) return
      known.set(name, { of, text, tools })
      const path = pathOf(name)
      if (path === undefined || folder === undefined) return
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        await replaceFile(path, text, { mode: 0o600 })
      } catch (error) {
        logger.warn('Caching the tools of an MCP server failed', {
          server: name,
          reason: reasonOf(error),
        })
      }
    },
    async remove(name) {
      known.delete(name)
      const path = pathOf(name)
      if (path !== undefined) await rm(path, { force: true })
    },
  }
}

/** A list belongs to one program, or to one address. */
function markOf(config: McpServerConfig): string {
  const parts = 'url' in config ? [config.url] : [config.command, config.args, config.cwd]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

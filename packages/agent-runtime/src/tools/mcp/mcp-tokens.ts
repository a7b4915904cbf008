import { createHash } from 'node:crypto'
import { createKeyedMutex } from '../../concurrency/keyed-mutex.ts'
import type { ConfigFile } from '../../settings/config-file.ts'
import type { McpHttpServer } from './mcp-server-config.ts'
import { withFileLock } from './with-file-lock.ts'

/** An access token as the client packages keep it. */
export interface McpAccessToken {
  readonly access_token: string
  readonly token_type: string
  readonly refresh_token?: string | undefined
  readonly [field: string]: unknown
}

/** Where access tokens of MCP servers are kept: `mcp-oauth.json` in the data home, for this user alone. */
export interface McpTokens {
  /** The token of a server; undefined if its address or its client is another one since. */
  find(name: string, config: McpHttpServer): McpAccessToken | undefined
  save(name: string, config: McpHttpServer, token: McpAccessToken): Promise<void>
  remove(name: string): Promise<void>
  /** Does work on the token of a server that nobody else does at the same time, in other processes of the data home too. */
  exclusively<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

/**
 * Keeps tokens in a file, or in memory.
 *
 * @param lock Path of the file that keeps other processes from working on the tokens. @default there are no other processes
 */
export function createMcpTokens(file: ConfigFile, lock?: string): McpTokens {
  const inTurn = createKeyedMutex()
  return {
    find(name, config) {
      const content = file.read()
      const entry = Object.hasOwn(content, name) ? content[name] : undefined
      return isEntry(entry) && entry.of === markOf(config) ? entry.token : undefined
    },
    save: (name, config, token) =>
      file.change((content) => ({ ...content, [name]: { of: markOf(config), token } })),
    exclusively: (name, work, signal) =>
      lock === undefined
        ? inTurn(name, work)
        : // the file holds the tokens of all servers
          inTurn('', () => withFileLock(lock, work, signal)),
    async remove(name) {
      if (!Object.hasOwn(file.read(), name)) return
      await file.change((content) => {
        const { [name]: _, ...others } = content
        return others
      })
    },
  }
}

interface Entry {
  readonly of: string
  readonly token: McpAccessToken
}

const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && 'of' in value && 'token' in value

/** A token belongs to one client at one address: no other server may get it. */
function markOf({ url, oauth }: McpHttpServer): string {
  const parts = [url, oauth?.grant_type, oauth?.client_id, oauth?.scope]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

import { createHash } from 'node:crypto'
import { createKeyedMutex } from '../../concurrency/keyed-mutex.ts'
import type { ConfigFile } from '../../settings/config-file.ts'
import type { McpHttpServer } from './mcp-server-config.ts'
import { mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { sleep } from '@homeward/kit'

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

const pauseMs = 50
/** A lock this old belongs to a process that has ended. Work under a lock has to be done long before. */
const staleMs = 60_000

/**
 * Does work that no other process does at the same time, as long as all of them name the same file. The file exists while the work
 * is being done.
 *
 * @throws {unknown} what the work throws, what the file system fails with, or the signal's reason
 */
async function withFileLock<T>(path: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  while (!(await take(path))) {
    await sleep(pauseMs, signal)
    signal?.throwIfAborted()
  }
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}

/** @returns whether the lock is ours now. */
async function take(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600)
    await file.close()
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const found = await stat(path).catch(() => undefined)
  // the age by the file system's own clock would need another file: clocks of one machine agree
  if (found && Date.now() - found.mtimeMs > staleMs) await rm(path, { force: true })
  return false
}

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

/** Access tokens of MCP servers that belong to one: to the operator, or to a user. */
export interface McpTokens {
  /** The token of a server; undefined if its address or its client is another one since. */
  find(name: string, config: McpHttpServer): McpAccessToken | undefined
  save(name: string, config: McpHttpServer, token: McpAccessToken): Promise<void>
  /** @returns whether there was one */
  remove(name: string): Promise<boolean>
  /** Does work on the token of a server that nobody else does at the same time, in other processes of the data home too. */
  exclusively<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

/** All tokens: those of the operator, and those of users, which nobody else gets. */
export interface AllMcpTokens extends McpTokens {
  of(userId: string): McpTokens
  /** Users who have a token of a server, by their ids. */
  users(name: string, config: McpHttpServer): readonly { readonly userId: string; readonly since: string }[]
  /** Removes the tokens of a server, those of its users too. */
  removeAll(name: string): Promise<void>
}

/** What {@link createMcpTokens} is built from. */
interface McpTokensOptions {
  /** `mcp-oauth.json` in the data home, which only its user may read, or its stand-in in memory. */
  readonly file: ConfigFile
  /** Path of the file that keeps other processes from working on the tokens. @default there are no other processes */
  readonly lock?: string | undefined
  readonly now: () => number
}

/** Stores tokens in a file, or in memory. */
export function createMcpTokens({ file, lock, now }: McpTokensOptions): AllMcpTokens {
  const inTurn = createKeyedMutex()
  const entryOf = (key: string, config: McpHttpServer): Entry | undefined => {
    const content = file.read()
    const entry = Object.hasOwn(content, key) ? content[key] : undefined
    return isEntry(entry) && entry.of === markOf(config) ? entry : undefined
  }
  const removeWhere = async (isGone: (key: string) => boolean): Promise<boolean> => {
    if (!Object.keys(file.read()).some(isGone)) return false
    await file.change((content) =>
      Object.fromEntries(Object.entries(content).filter(([key]) => !isGone(key))),
    )
    return true
  }
  const tokensOf = (keyOf: (name: string) => string): McpTokens => ({
    find: (name, config) => entryOf(keyOf(name), config)?.token,
    save(name, config, token) {
      const key = keyOf(name)
      const since = entryOf(key, config)?.since ?? new Date(now()).toISOString()
      return file.change((content) => ({ ...content, [key]: { of: markOf(config), since, token } }))
    },
    remove: (name) => removeWhere((key) => key === keyOf(name)),
    exclusively: (name, work, signal) =>
      lock === undefined
        ? inTurn(keyOf(name), work)
        : // the file holds the tokens of all servers
          inTurn('', () => withFileLock(lock, work, signal)),
  })
  return {
    ...tokensOf((name) => name),
    of: (userId) => tokensOf((name) => prefixOf(name) + userId),
    users(name, config) {
      const keys = Object.keys(file.read()).filter((key) => key.startsWith(prefixOf(name)))
      return keys.toSorted().flatMap((key) => {
        const found = entryOf(key, config)
        return found ? [{ userId: key.slice(prefixOf(name).length), since: found.since ?? '' }] : []
      })
    },
    async removeAll(name) {
      await removeWhere((key) => key === name || key.startsWith(prefixOf(name)))
    },
  }
}

/** Before the id of a user. No name of a server has a slash. */
const prefixOf = (name: string) => `${name}/`

interface Entry {
  readonly of: string
  /** When it was given first. Absent for those of older versions. */
  readonly since?: string
  readonly token: McpAccessToken
}

const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && 'of' in value && 'token' in value

/** A token belongs to one client at one address: no other server may get it. */
export function markOf({ url, oauth }: McpHttpServer): string {
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

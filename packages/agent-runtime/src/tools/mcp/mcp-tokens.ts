import { createHash } from 'node:crypto'
import { createKeyedMutex } from '../../concurrency/keyed-mutex.ts'
import type { ConfigFile } from '../../settings/config-file.ts'
import { type McpHttpServer, oauthOf } from './mcp-server-config.ts'
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

/** A client that the platform has registered with an identity provider, or its own client id metadata document. */
export interface McpClientRegistration {
  readonly client_id: string
  readonly client_secret?: string | undefined
  /** In seconds since the epoch; 0 for never. */
  readonly client_secret_expires_at?: number | undefined
  /** The identity provider that knows it. */
  readonly issuer?: string | undefined
}

/** What a server has asked for when it rejected a request: see the header `WWW-Authenticate` (RFC 6750, RFC 9728). */
export interface McpChallenge {
  readonly scope?: string | undefined
  readonly resourceMetadataUrl?: string | undefined
  /** Whether the token was fine, but not for this. */
  readonly isStepUp: boolean
}

/** Access tokens of MCP servers that belong to one: to the operator, or to a user. */
export interface McpTokens {
  /** The token of a server; undefined if its address or its client is another one since. */
  find(name: string, config: McpHttpServer): McpAccessToken | undefined
  /** Also forgets what the server has asked for. @param client whose token it is @default the one of the token before */
  save(
    name: string,
    config: McpHttpServer,
    token: McpAccessToken,
    client?: McpClientRegistration,
  ): Promise<void>
  /** The client whose token it is; undefined if the configuration names the client. */
  clientOf(name: string, config: McpHttpServer): McpClientRegistration | undefined
  /** What the server asked for last, since it got the token. */
  challengeOf(name: string, config: McpHttpServer): McpChallenge | undefined
  noteChallenge(name: string, config: McpHttpServer, challenge: McpChallenge): Promise<void>
  /** @returns whether there was one */
  remove(name: string): Promise<boolean>
  /** Does work on the token of a server that nobody else does at the same time, in other processes of the data home too. */
  exclusively<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

/** All tokens: those of the operator, and those of users, which nobody else gets. */
export interface AllMcpTokens extends McpTokens {
  of(userId: string): McpTokens
  /** Clients that were registered for a redirect address, which all users share. */
  readonly clients: {
    find(name: string, config: McpHttpServer, redirectUri: string): McpClientRegistration | undefined
    save(
      name: string,
      config: McpHttpServer,
      redirectUri: string,
      client: McpClientRegistration,
    ): Promise<void>
    /** Removes those of a server. */
    remove(name: string): Promise<void>
  }
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
  /** Of servers without a token. */
  const challenges = new Map<string, McpChallenge>()
  const storedOf = (key: string, config: McpHttpServer): Stored | Entry | undefined => {
    const content = file.read()
    const stored = Object.hasOwn(content, key) ? content[key] : undefined
    return isStored(stored) && stored.of === markOf(config) ? stored : undefined
  }
  const entryOf = (key: string, config: McpHttpServer): Entry | undefined => {
    const stored = storedOf(key, config)
    return stored && 'token' in stored ? stored : undefined
  }
  const exclusively: <T>(key: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T> = (
    key,
    work,
    signal,
  ) =>
    lock === undefined
      ? inTurn(key, work)
      : // the file holds the tokens of all servers
        inTurn('', () => withFileLock(lock, work, signal))
  const removeWhere = async (isGone: (key: string) => boolean): Promise<boolean> => {
    if (!Object.keys(file.read()).some(isGone)) return false
    await file.change((content) =>
      Object.fromEntries(Object.entries(content).filter(([key]) => !isGone(key))),
    )
    return true
  }
  const tokensOf = (keyOf: (name: string) => string): McpTokens => ({
    find: (name, config) => entryOf(keyOf(name), config)?.token,
    save(name, config, token, given) {
      const key = keyOf(name)
      const before = entryOf(key, config)
      const since = before?.since ?? new Date(now()).toISOString()
      const client = given ?? before?.client
      challenges.delete(key)
      const entry: Entry = { of: markOf(config), since, token, ...(client && { client }) }
      return file.change((content) => ({ ...content, [key]: entry }))
    },
    clientOf: (name, config) => entryOf(keyOf(name), config)?.client,
    challengeOf(name, config) {
      const key = keyOf(name)
      return entryOf(key, config)?.challenge ?? challenges.get(key)
    },
    async noteChallenge(name, config, challenge) {
      const key = keyOf(name)
      const noted = () => {
        const entry = entryOf(key, config)
        return entry && { [key]: { ...entry, challenge } }
      }
      if (!challenge.isStepUp || !noted()) challenges.set(key, challenge)
      else await exclusively(key, () => file.change((content) => ({ ...content, ...noted() })))
    },
    remove: (name) => removeWhere((key) => key === keyOf(name)),
    exclusively: (name, work, signal) => exclusively(keyOf(name), work, signal),
  })
  return {
    ...tokensOf((name) => name),
    of: (userId) => tokensOf((name) => prefixOf(name) + userId),
    clients: {
      find(name, config, redirectUri) {
        const { client } = storedOf(clientKeyOf(name, redirectUri), config) ?? {}
        const { client_secret_expires_at: end = 0 } = client ?? {}
        return end > 0 && end * 1000 <= now() ? undefined : client
      },
      save(name, config, redirectUri, client) {
        const key = clientKeyOf(name, redirectUri)
        return exclusively(key, () =>
          file.change((content) => ({ ...content, [key]: { of: markOf(config), client } })),
        )
      },
      async remove(name) {
        await removeWhere((key) => key.startsWith(clientPrefixOf(name)))
      },
    },
    users(name, config) {
      const keys = Object.keys(file.read()).filter((key) => key.startsWith(prefixOf(name)))
      return keys.toSorted().flatMap((key) => {
        const found = entryOf(key, config)
        return found ? [{ userId: key.slice(prefixOf(name).length), since: found.since ?? '' }] : []
      })
    },
    async removeAll(name) {
      const prefixes = [prefixOf(name), clientPrefixOf(name)]
      await removeWhere((key) => key === name || prefixes.some((prefix) => key.startsWith(prefix)))
    },
  }
}

/** Before the id of a user. No name of a server has a slash. */
const prefixOf = (name: string) => `${name}/`
/** Before the redirect address of a client. */
const clientPrefixOf = (name: string) => `/${name}/`
const clientKeyOf = (name: string, redirectUri: string) =>
  clientPrefixOf(name) + createHash('sha256').update(redirectUri).digest('hex')

/** A registered client, or a token. */
interface Stored {
  readonly of: string
  readonly client?: McpClientRegistration
}

interface Entry extends Stored {
  /** When it was given first. Absent for those of older versions. */
  readonly since?: string
  readonly token: McpAccessToken
  readonly challenge?: McpChallenge
}

const isStored = (value: unknown): value is Stored | Entry =>
  typeof value === 'object' && value !== null && 'of' in value && ('token' in value || 'client' in value)

/** A token belongs to one client at one address: no other server may get it. */
export function markOf(config: McpHttpServer): string {
  const oauth = oauthOf(config)
  const parts = [config.url, oauth?.grant_type, oauth?.client_id, oauth?.scope]
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

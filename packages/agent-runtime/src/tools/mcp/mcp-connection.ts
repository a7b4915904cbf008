import type { JsonObject } from '@homeward/contract/agent-platform'
import { createRedactor } from '../../secrets/redact.ts'
import { isDeep } from '../../json/to-json.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { isSecretName } from '../../secrets/secret-names.ts'
import { createMcpLink, toFailure } from './mcp-link.ts'
import type { McpLinkOptions } from './mcp-link.ts'
import type { McpServerConfig } from './mcp-server-config.ts'
import type { OpenMcpClient } from './mcp-session.ts'
import { readToolAnswer, readToolPage } from './read-answers.ts'
import type { McpToolAnswer, McpToolList } from './read-answers.ts'

const defaultTimeoutMs = 60_000
const maxPages = 20
const maxTools = 500

/** One MCP server, as runs use it. */
export interface McpConnection {
  /** @throws {RuntimeError} `run_error`; the signal's reason when it aborted. */
  listTools(signal: AbortSignal): Promise<McpToolList>
  /** @throws {RuntimeError} `run_error`; the signal's reason when it aborted. */
  callTool(name: string, args: JsonObject, signal: AbortSignal): Promise<McpToolAnswer>
  close(): Promise<void>
}

/** Makes one server of the operator's configuration reachable; nothing happens before it is asked for something. */
export function createMcpConnection(
  name: string,
  config: McpServerConfig,
  options: McpLinkOptions,
): McpConnection {
  const { timeoutMs = defaultTimeoutMs } = config
  const link = createMcpLink(name, config, timeoutMs, options)
  const redactor = createRedactor(secretsOf(config))

  const ask = async <Answer>(
    request: (open: OpenMcpClient) => Promise<Answer>,
    repeat: 'safe' | 'once',
    signal: AbortSignal,
  ): Promise<Answer> => {
    signal.throwIfAborted()
    try {
      return await link.ask(request, repeat, signal)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (RuntimeError.is(error)) throw error
      // cut behind that: half of a secret is none that is known
      const said = error instanceof Error ? redactor.text(error.message).slice(0, 500) : 'unknown'
      throw toFailure(name, said, error)
    }
  }

  return {
    async listTools(signal) {
      link.assertRested()
      try {
        return await ask((open) => listPages(open, timeoutMs, signal), 'safe', signal)
      } catch (error) {
        if (!signal.aborted) link.failed()
        throw error
      }
    },
    callTool: async (tool, args, signal) =>
      await ask(
        async ({ client, modules }) => {
          const request = { method: 'tools/call', params: { name: tool, arguments: args } } as const
          const limits = { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs }
          const answer = await client.request(request, modules.ResultSchema, limits)
          if (isDeep(answer)) throw new Error('what it answered is nested too deeply')
          return readToolAnswer(redactor.json(answer as JsonObject), modules) // it came as JSON
        },
        'once',
        signal,
      ),
    close: () => link.close(),
  }
}

/** What the operator gave a server to prove itself with; behind a word such as `Bearer` too, and in its address. */
function secretsOf(config: McpServerConfig): string[] {
  if ('url' in config) {
    const values = Object.values(config.headers ?? {})
    const plain = values.flatMap((value) => [value, value.slice(value.indexOf(' ') + 1)])
    return [...plain, ...secretsOfAddress(config.url)]
  }
  return valuesOfSecrets(Object.entries(config.env ?? {}))
}

/** Some servers are given their key as a part of the path, which has no name to know it by. */
const keyLike = /^(?=.*\d)(?=.*[a-z])[\w.~%=+-]{20,}$/i

/** As they are meant, and as they are written: there is more than one way to. */
function secretsOfAddress(address: string): string[] {
  if (!URL.canParse(address)) return []
  const { username, password, pathname, search, searchParams } = new URL(address)
  const written = search
    .slice(1)
    .split('&')
    .map((pair) => pair.split('='))
    .map(([name = '', ...value]) => [name, value.join('=')] as const)
  const keys = pathname.split('/').filter((part) => keyLike.test(part))
  return [username, password, ...keys, ...valuesOfSecrets(searchParams), ...valuesOfSecrets(written)]
}

const valuesOfSecrets = (entries: Iterable<readonly [string, string]>): string[] =>
  Array.from(entries, ([name, value]) => (isSecretName(name) ? [value] : [])).flat()

/** All tools, within the time that one question may take. */
async function listPages(open: OpenMcpClient, timeoutMs: number, signal: AbortSignal): Promise<McpToolList> {
  const ends = new AbortController()
  const timer = setTimeout(() => ends.abort(new Error('listing its tools timed out')), timeoutMs)
  try {
    return await readPages(open, timeoutMs, AbortSignal.any([signal, ends.signal]))
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Reads until the last page. A list that goes round, by a cursor that comes again or pages without a new tool, ends there.
 *
 * With `request` instead of `listTools`: that one compiles every schema that a server sends.
 */
async function readPages(
  { client, modules }: OpenMcpClient,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<McpToolList> {
  const tools = new Map<string, McpToolList['tools'][number]>()
  const cursors = new Set<string>()
  let leftOut = 0
  let cursor: string | undefined
  for (let page = 0; page < maxPages && tools.size < maxTools; page += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const request = { method: 'tools/list', params } as const
    const answer = await client.request(request, modules.ResultSchema, { signal, timeout: timeoutMs })
    const read = readToolPage(answer, modules)
    const fresh = read.tools.filter(({ name }) => !tools.has(name))
    const isRound = read.nextCursor !== undefined && cursors.has(read.nextCursor)
    for (const tool of fresh) tools.set(tool.name, tool)
    leftOut += read.leftOut
    cursor = isRound || (read.tools.length > 0 && fresh.length === 0) ? undefined : read.nextCursor
    if (cursor === undefined) break
    cursors.add(cursor)
  }
  const kept = [...tools.values()].slice(0, maxTools)
  return { tools: kept, leftOut: leftOut + tools.size - kept.length + (cursor === undefined ? 0 : 1) }
}

import type { JsonObject } from '@homeward/contract/agent-platform'
import { createRedactor } from '../../secrets/redact.ts'
import { isDeep } from '../../json/to-json.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { loadMcpClient, type McpListener, type McpProgress } from './load-mcp-client.ts'
import { createMcpLink, toFailure } from './mcp-link.ts'
import type { McpLinkOptions } from './mcp-link.ts'
import { McpAuthorizationNeeded, needsAuthorization } from './mcp-oauth.ts'
import { secretsOf } from './mcp-secrets.ts'
import { isPersonalServer, type McpServerConfig } from './mcp-server-config.ts'
import type { OpenMcpClient } from './mcp-session.ts'
import {
  type AskPerson,
  CallStopped,
  createMcpElicitations,
  type McpElicitations,
  missingOf,
} from './mcp-elicitations.ts'
import { listReadable } from './mcp-readable.ts'
import { readToolPage } from './read-answers.ts'
import type { McpToolList } from './read-answers.ts'

const defaultTimeoutMs = 60_000
const maxPages = 20
const maxTools = 500

/** A request of the protocol. */
export interface McpRequest {
  readonly method: 'tools/call' | 'resources/read' | 'prompts/get'
  readonly params: JsonObject
}

/** What a call works with. */
export interface McpCallContext {
  readonly signal: AbortSignal
  readonly onProgress: (text: string) => void
  /** Asks a person what the server asks. */
  readonly ask: AskPerson
}

/** One MCP server, as runs use it. */
export interface McpConnection {
  /** @throws {RuntimeError} `run_error`; the signal's reason when it aborted. */
  listTools(signal: AbortSignal): Promise<McpToolList>
  /** Version that the server speaks, once it was asked for something. */
  readonly protocolVersion: string | undefined
  /**
   * Makes a request that may do something. A report of the server starts its time limit again.
   *
   * @param read gets the answer as it came, without secrets of ours
   * @throws {RuntimeError} `run_error`; the signal's reason when it aborted; what `ask` rejects with
   */
  call<Answer>(
    request: McpRequest,
    about: McpCallContext,
    read: (answer: JsonObject) => Answer,
  ): Promise<Answer>
  close(): Promise<void>
  /** Closes it as soon as nothing is under way. */
  retire(): void
}

/** Makes one server of the operator's configuration reachable; nothing happens before it is asked for something. */
export function createMcpConnection(
  name: string,
  config: McpServerConfig,
  options: McpLinkOptions,
): McpConnection {
  const { timeoutMs = defaultTimeoutMs } = config
  const isPersonal = isPersonalServer(config)
  const elicitations = createMcpElicitations()
  const listener = toListener(name, elicitations, options)
  const link = createMcpLink(name, config, timeoutMs, { ...options, listener })
  const ownSecrets = secretsOf(config)
  let redactor = createRedactor(ownSecrets)
  let token: string | undefined
  /** The redactor, which knows the access token of now. */
  const redact = () => {
    const current = 'url' in config ? options.tokens.find(name, config)?.access_token : undefined
    if (current !== token) redactor = createRedactor(current ? [...ownSecrets, current] : ownSecrets)
    token = current
    return redactor
  }

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
      if (error instanceof CallStopped) throw error.cause
      if (RuntimeError.is(error)) throw error
      const { isUnauthorized } = await loadMcpClient(options.load)
      if (isUnauthorized(error) || error instanceof McpAuthorizationNeeded) {
        const needed = new McpAuthorizationNeeded(error)
        throw toFailure(name, needed.message, needed)
      }
      // cut behind that: half of a secret is none that is known
      const said = error instanceof Error ? redact().text(error.message).slice(0, 500) : 'unknown'
      throw toFailure(name, said, error)
    }
  }

  let protocolVersion: string | undefined
  return {
    get protocolVersion() {
      return protocolVersion
    },
    async listTools(signal) {
      link.assertRested()
      try {
        return await ask(
          (open) => {
            protocolVersion = open.client.protocolVersion
            return listPages(open, timeoutMs, signal)
          },
          'safe',
          signal,
        )
      } catch (error) {
        if (!signal.aborted && !(isPersonal && needsAuthorization(error))) link.failed()
        throw error
      }
    },
    async call({ method, params }, { signal, onProgress, ask: askPerson }, read) {
      const asking: AskPerson = (question) =>
        askPerson(redact().json(JSON.parse(JSON.stringify(question)) as JsonObject) as typeof question) // the same without secrets
      const request = async ({ client }: OpenMcpClient) => {
        const limits = {
          timeout: timeoutMs,
          // a call that reports may take longer: the signal ends it with its run
          resetTimeoutOnProgress: true,
          onprogress: (report: McpProgress) => onProgress(redact().text(toProgressText(report))),
        }
        const answer = await elicitations.during(asking, signal, (each) =>
          client.request({ method, params }, { ...limits, signal: each }),
        )
        if (isDeep(answer)) throw new Error('its response is nested too deeply')
        return read(redact().json(answer as JsonObject)) // it came as JSON
      }
      const make = () => ask(request, 'once', signal)
      return await make().catch(async (error: unknown) => {
        const missing = missingOf(RuntimeError.is(error) ? error.cause : error)
        if (missing.length === 0) throw error
        const answers = await Promise.all(missing.map((each) => asking({ ...each, isUnmet: true })))
        if (answers.some(({ action }) => action !== 'accept')) throw error
        return await make()
      })
    },
    close: () => link.close(),
    retire: () => link.retire(),
  }
}

const toListener = (
  name: string,
  elicitations: McpElicitations,
  { onElicited }: McpLinkOptions,
): McpListener => ({
  elicit: (...asked) => elicitations.elicit(...asked),
  // nobody waits for it: the person can continue without
  elicited: (id) => void onElicited?.(name, id).catch(() => undefined),
})

function toProgressText({ message, progress, total }: McpProgress): string {
  const done = total === undefined ? String(progress) : `${progress} of ${total}`
  return message?.trim() ? message : done
}

/** All tools, within the time that one question may take. */
async function listPages(open: OpenMcpClient, timeoutMs: number, signal: AbortSignal): Promise<McpToolList> {
  const ends = new AbortController()
  const timer = setTimeout(() => ends.abort(new Error('listing its tools timed out')), timeoutMs)
  try {
    const limits = { signal: AbortSignal.any([signal, ends.signal]), timeout: timeoutMs }
    const { tools, skippedRanges } = await readPages(open, timeoutMs, limits.signal)
    const taken = new Set(tools.map(({ name }) => name))
    const readable = await listReadable(open.client, limits)
    return { tools: [...tools, ...readable.filter(({ name }) => !taken.has(name))], skippedRanges }
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
  { client }: OpenMcpClient,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<McpToolList> {
  const tools = new Map<string, McpToolList['tools'][number]>()
  const cursors = new Set<string>()
  let skippedRanges = 0
  let cursor: string | undefined
  for (let page = 0; page < maxPages && tools.size < maxTools; page += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const request = { method: 'tools/list', params }
    const answer = await client.request(request, { signal, timeout: timeoutMs })
    const read = readToolPage(answer)
    const fresh = read.tools.filter(({ name }) => !tools.has(name))
    const isRound = read.nextCursor !== undefined && cursors.has(read.nextCursor)
    for (const tool of fresh) tools.set(tool.name, tool)
    skippedRanges += read.skippedRanges
    cursor = isRound || (read.tools.length > 0 && fresh.length === 0) ? undefined : read.nextCursor
    if (cursor === undefined) break
    cursors.add(cursor)
  }
  const kept = [...tools.values()].slice(0, maxTools)
  return {
    tools: kept,
    skippedRanges: skippedRanges + tools.size - kept.length + (cursor === undefined ? 0 : 1),
  }
}

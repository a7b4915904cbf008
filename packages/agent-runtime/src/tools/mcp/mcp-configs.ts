import { McpServerName, StoredMcpServer, type McpServerInput } from '@homeward/contract/agent-platform'
import { describeIssue } from '@homeward/contract/handler'
import { chmodSync, statSync } from 'node:fs'
import * as z from 'zod/mini'
import { isSameOrigin } from '../../host-input/is-same-origin.ts'
import { issueSentence } from '../../host-input/issue-sentence.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { reasonOf } from '../../ports/reason-of.ts'
import type { ConfigContent, ConfigFile } from '../../settings/config-file.ts'
import { hideInAddress, hideInArguments } from './mcp-secrets.ts'
import type { McpServerConfig } from './mcp-server-config.ts'

const key = 'mcpServers'
const maxServers = 100

/** The MCP servers that there are. */
interface McpConfigList {
  /** Those of the app, then those of `mcp.json`. A name of the app's wins. */
  readonly byName: ReadonlyMap<string, McpServerConfig>
  /** What is wrong with entries of `mcp.json` that cannot be used, by their names. Holds no secret. */
  readonly problems: ReadonlyMap<string, string>
}

/** The MCP servers of the app and of `mcp.json` (A29). */
export interface McpConfigs {
  /** Sees a file that was edited by hand. A configuration is the same object for as long as nothing changed. */
  read(): McpConfigList
  /** Whether the app names it in code: then it cannot be changed here. */
  isOfApp(name: string): boolean
  /** @throws {RuntimeError} `conflict` for a name of the app's, `validation_error` if there would be too many */
  save(name: string, input: McpServerInput): Promise<void>
  /** @throws {RuntimeError} `conflict` for a name of the app's. @returns false if there is no entry of that name */
  remove(name: string): Promise<boolean>
}

type Fields = Readonly<Record<string, unknown>>

/** Puts the servers of the app and of a file together. */
export function createMcpConfigs(
  file: ConfigFile,
  ofApp: Readonly<Record<string, McpServerConfig>>,
): McpConfigs {
  let known: { readonly content: ConfigContent; readonly list: McpConfigList } | undefined
  const isOfApp = (name: string) => Object.hasOwn(ofApp, name)

  const assertOwn = (name: string, attempt: string): void => {
    if (!isOfApp(name)) return
    const text = `${attempt} failed: the app configures "${name}" in code. Use another name.`
    throw new RuntimeError('conflict', text)
  }

  return {
    isOfApp,
    read() {
      const content = contentOf(file)
      if (content instanceof RuntimeError) return unreadable(content, ofApp)
      if (known?.content !== content) known = { content, list: toList(content, ofApp, known?.list) }
      return known.list
    },
    async save(name, input) {
      const attempt = 'Saving the MCP server'
      assertOwn(name, attempt)
      await file.change((content) => {
        const entries = entriesOf(content)
        const isNew = !Object.hasOwn(entries, name)
        if (isNew && Object.keys(entries).length >= maxServers) {
          const text = `${attempt} failed: the limit of ${maxServers} MCP servers is reached. Delete a server that you no longer need.`
          throw new RuntimeError('validation_error', text)
        }
        return { ...content, [key]: { ...entries, [name]: toStored(input, isNew ? {} : entries[name]) } }
      })
    },
    async remove(name) {
      assertOwn(name, 'Deleting the MCP server')
      if (!Object.hasOwn(entriesOf(file.read()), name)) return false
      await file.change((content) => {
        const { [name]: _, ...entries } = entriesOf(content)
        return { ...content, [key]: entries }
      })
      return true
    },
  }
}

/** The content, or why it cannot be read: a broken file must not end the runs of agents. */
function contentOf(file: ConfigFile): ConfigContent | RuntimeError {
  try {
    const content = file.read()
    entriesOf(content)
    return content
  } catch (error) {
    if (RuntimeError.is(error)) return error
    throw error
  }
}

const unreadable = (
  error: RuntimeError,
  ofApp: Readonly<Record<string, McpServerConfig>>,
): McpConfigList => ({
  byName: new Map(Object.entries(ofApp)),
  problems: new Map([['mcp.json', error.message]]),
})

/** Makes a file that others may read private: it holds secrets. A file that is not there is fine. */
export function makePrivate(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (process.platform === 'win32' || found === undefined || (found.mode & 0o077) === 0) return
  try {
    chmodSync(path, 0o600)
  } catch (cause) {
    const text = `Opening mcp.json failed: other users can read the file, and its mode cannot be changed: ${reasonOf(cause)}`
    throw new RuntimeError('storage_error', text, { cause })
  }
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** @throws {RuntimeError} `storage_error` if a change would overwrite content of another form */
function entriesOf(content: ConfigContent): Fields {
  const entries = content[key] ?? {}
  if (isObject(entries)) return entries
  const text = `Reading mcp.json failed: "${key}" must be an object. Correct or remove it.`
  throw new RuntimeError('storage_error', text)
}

/**
 * Secrets that the input leaves out, or shows as they were shown, stay as they are. Those of an address stay with its origin:
 * otherwise a new address would get them.
 */
function toStored(input: McpServerInput, before: unknown): StoredMcpServer {
  const kept: Partial<StoredMcpServer> = isObject(before) ? before : {}
  const { command, args, cwd, url, tools, oauth, login } = input
  const env = input.env === undefined ? kept.env : input.env
  const keptOf: Partial<StoredMcpServer> = isSameOrigin(url, kept.url) ? kept : {}
  const headers = input.headers === undefined ? keptOf.headers : input.headers
  return {
    ...(tools && { tools }),
    ...(command !== undefined && {
      command,
      ...(args && { args: keepShown(args, kept.args) }),
      ...(cwd !== undefined && { cwd }),
      ...(env && { env }),
    }),
    ...(url !== undefined && {
      url: isText(kept.url) && url === hideInAddress(kept.url) ? kept.url : url,
      ...(headers && { headers }),
      ...(oauth && { oauth: withSecret(oauth, keptOf.oauth?.client_secret) }),
      ...(login && { login }),
    }),
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** Arguments in which the stored ones stand where they were sent back as they were shown. */
function keepShown(args: readonly string[], kept: unknown): string[] {
  if (!Array.isArray(kept) || !kept.every(isText)) return [...args]
  const shown = hideInArguments(kept)
  return args.map((given, at) => (given === shown[at] ? (kept[at] ?? given) : given))
}

function withSecret(
  { client_secret: given, ...oauth }: NonNullable<McpServerInput['oauth']>,
  kept: unknown,
): StoredMcpServer['oauth'] {
  const secret = given === undefined ? kept : given
  return { ...oauth, ...(isText(secret) && secret !== '' && { client_secret: secret }) }
}

function toList(
  content: ConfigContent,
  ofApp: Readonly<Record<string, McpServerConfig>>,
  before: McpConfigList | undefined,
): McpConfigList {
  const byName = new Map<string, McpServerConfig>(Object.entries(ofApp))
  const problems = new Map<string, string>()
  for (const [name, entry] of Object.entries(entriesOf(content))) {
    if (byName.has(name)) continue
    const parsed = z.safeParse(StoredMcpServer, entry, { error: describeIssue })
    const fact = z.safeParse(McpServerName, name).success ? factOf(parsed.error) : 'its name is invalid'
    if (fact === undefined && parsed.data) byName.set(name, unchanged(before?.byName.get(name), parsed.data))
    else {
      const shown = name.slice(0, 100)
      const text = `Reading the MCP server "${shown}" of mcp.json failed: ${fact}. Correct the entry or delete it.`
      problems.set(shown, text)
    }
  }
  return { byName, problems }
}

/** The object from before if it says the same: a connection belongs to the object. */
function unchanged(before: McpServerConfig | undefined, stored: StoredMcpServer): McpServerConfig {
  const { type: _, ...now } = stored
  const config = now as McpServerConfig // the schema asks for a command or a url
  return before && JSON.stringify(before) === JSON.stringify(config) ? before : config
}

/** What is wrong with an entry, without its values. */
function factOf(error: z.core.$ZodError | undefined): string | undefined {
  const [issue] = error?.issues ?? []
  if (!issue) return undefined
  if (issue.code === 'unrecognized_keys')
    return `unknown key ${issue.keys.map((name) => `"${name.slice(0, 100)}"`).join(', ')}`.slice(0, 300)
  return issueSentence(issue, 'the entry').slice(0, 300)
}

import { RuntimeError } from '../ports/runtime-error.ts'
import { toolEffects } from '../ports/tool.ts'
import type { McpHttpServer, McpServerConfig, McpStdioServer } from '../tools/mcp/mcp-server-config.ts'
import type { OptionNames } from '../host-input/check-names.ts'
import { timerFrom } from '@homeward/kit'

const stdioNames: OptionNames<McpStdioServer> = {
  command: true,
  args: true,
  env: true,
  cwd: true,
  timeoutMs: true,
  effects: true,
  tools: true,
}
const httpNames: OptionNames<McpHttpServer> = {
  url: true,
  headers: true,
  oauth: true,
  timeoutMs: true,
  effects: true,
  tools: true,
}

type Given = Partial<McpStdioServer & McpHttpServer>

/**
 * Checks MCP servers. What is wrong with one would be heard of with the first run that needs it, and only in the log: the
 * run goes on without its tools.
 *
 * @param attempt What the error begins with, such as `Creating the runtime`.
 * @throws {RuntimeError} `validation_error` that names what is wrong, and never holds a value.
 */
export function checkMcpServers(attempt: string, servers: Readonly<Record<string, McpServerConfig>>): void {
  for (const [name, server] of Object.entries<Given | null>(servers)) {
    const problem = problemOf(server)
    if (problem !== undefined) {
      throw new RuntimeError('validation_error', `${attempt} failed: "mcpServers.${name}${problem}.`)
    }
  }
}

function problemOf(server: Given | null): string | undefined {
  if (typeof server !== 'object' || server === null) return '" must be an object'
  const hasUrl = server.url !== undefined
  if (hasUrl === (server.command !== undefined)) return '" must have either "command" or "url"'
  const known = Object.keys(hasUrl ? httpNames : stdioNames)
  const strange = Object.keys(server).find((name) => !known.includes(name))
  if (strange !== undefined) return `.${strange.slice(0, 100)}" is unknown. Use ${known.join(', ')}`
  return problemOfKind(server) ?? problemOfLimits(server) ?? problemOfOAuth(server)
}

function problemOfKind({ url, headers, command, args, env, cwd }: Given): string | undefined {
  if (command !== undefined && !isFilled(command))
    return '.command" must be the name or path of a program. Put its arguments into "args"'
  if (url !== undefined && !isHttp(url)) return '.url" must be an http or https URL'
  if (args !== undefined && !(Array.isArray(args) && args.every(isText)))
    return '.args" must be a list of strings'
  if (cwd !== undefined && !isFilled(cwd)) return '.cwd" must be the path of a folder'
  for (const [name, texts] of Object.entries({ env, headers })) {
    if (texts !== undefined && !isRecordOfTexts(texts)) return `.${name}" must be an object of strings`
  }
  return undefined
}

function problemOfLimits({ timeoutMs, effects, tools }: Given): string | undefined {
  if (tools !== undefined && !(Array.isArray(tools) && tools.every(isText)))
    return '.tools" must be a list of strings'
  const { is, words } = timerFrom(1)
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && is(timeoutMs)))
    return `.timeoutMs" must be ${words}`
  if (effects !== undefined && !toolEffects.includes(effects))
    return `.effects" must be one of ${toolEffects.join(', ')}`
  return undefined
}

function problemOfOAuth({ oauth }: Given): string | undefined {
  if (oauth === undefined) return undefined
  const { grant_type: grant, client_id: id, client_secret: secret, scope } = oauth
  if (grant !== 'client_credentials' && grant !== 'authorization_code')
    return '.oauth.grant_type" must be client_credentials or authorization_code'
  if (!isFilled(id)) return '.oauth.client_id" must be a string'
  const others = [secret, scope].every((value) => value === undefined || isText(value))
  return others ? undefined : '.oauth.client_secret" and "oauth.scope" must be strings'
}

const isText = (value: unknown) => typeof value === 'string'
const isFilled = (value: unknown) => isText(value) && value !== ''
const isHttp = (url: unknown) =>
  typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
/** Of `Headers` or a `Map`, which hold their texts somewhere else, nothing would be sent. */
const isRecordOfTexts = (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null) &&
  Object.values(value).every((each) => isText(each))

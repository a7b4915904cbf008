import { must, oneOf, optionsOf, required, text, texts, timerFrom, type OptionRule } from '@homeward/kit'
import { toolEffects } from '../ports/tool.ts'
import type { McpHttpServer, McpOAuth, McpStdioServer } from '../tools/mcp/mcp-server-config.ts'

const ofAnyKind = { timeoutMs: timerFrom(1), effects: oneOf(toolEffects), tools: texts }

/** Of `Headers` or a `Map`, which hold their texts somewhere else, nothing would be sent. */
const recordOfTexts = must(
  'be an object of strings',
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null) &&
    Object.values(value).every((each) => typeof each === 'string'),
)

const isText = (value: unknown) => typeof value === 'string'
const isFilled = (value: unknown) => isText(value) && value !== ''

const stdioServer = optionsOf<McpStdioServer>({
  command: must('be the name or path of a program. Put its arguments into "args"', isFilled),
  args: texts,
  env: recordOfTexts,
  cwd: must('be the path of a folder', isFilled),
  ...ofAnyKind,
})

const httpServer = optionsOf<McpHttpServer>({
  url: must(
    'be an http or https URL',
    (url) => typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol),
  ),
  headers: recordOfTexts,
  oauth: optionsOf<McpOAuth>({
    grant_type: required(
      must(
        'be client_credentials or authorization_code',
        (value) => value === 'client_credentials' || value === 'authorization_code',
      ),
    ),
    client_id: text,
    client_secret: must('be a string', isText),
    scope: must('be a string', isText),
  }),
  login: oneOf(['operator', 'user']),
  ...ofAnyKind,
})

/**
 * An MCP server. What is wrong with one would be heard of with the first run that needs it, and only in the log: the run
 * goes on without its tools.
 */
export const mcpServer: OptionRule = {
  problem(name, value) {
    if (typeof value !== 'object' || value === null) return `"${name}" must be an object`
    const { url, command }: { readonly url?: unknown; readonly command?: unknown } = value
    if ((url !== undefined) === (command !== undefined))
      return `"${name}" must have either "command" or "url"`
    const problem = (url === undefined ? stdioServer : httpServer).problem(name, value)
    const { login, oauth }: Partial<McpHttpServer> = value
    if (problem !== undefined) return problem
    const canRegister = oauth?.grant_type === 'authorization_code' && oauth.client_secret === undefined
    if (oauth && oauth.client_id === undefined && !canRegister)
      return `"${name}.oauth.client_id" is missing. Only the grant_type authorization_code can register`
    if (login !== 'user' || oauth?.grant_type === 'authorization_code') return undefined
    return `"${name}.login" can be "user" only with "oauth" that has the grant_type authorization_code`
  },
}

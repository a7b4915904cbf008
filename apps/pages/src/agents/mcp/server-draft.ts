import type { McpGrantType, McpServerInput } from '@homeward/contract/agent-platform'

/** An MCP server as its form holds it. */
export interface ServerDraft {
  readonly name: string
  readonly kind: 'program' | 'address'
  readonly command: string
  /** One a line. */
  readonly args: string
  readonly url: string
  /** `NAME=value`, one a line: environment or headers. */
  readonly secrets: string
  readonly tools: readonly string[]
  readonly grant: 'none' | McpGrantType
  readonly clientId: string
  readonly clientSecret: string
  readonly scope: string
}

/** What is sent. Secrets that were left empty stay as they are stored. */
export function toServerInput(draft: ServerDraft, cwd: string | undefined): McpServerInput {
  const { kind, command, url, tools, grant, clientId, clientSecret, scope } = draft
  const secrets = toEntries(draft.secrets)
  const shared = tools.length > 0 ? { tools: [...tools] } : {}
  if (kind === 'program') {
    const args = linesOf(draft.args)
    return {
      command,
      ...(args.length > 0 && { args }),
      ...(cwd !== undefined && { cwd }),
      ...(secrets && { env: secrets }),
      ...shared,
    }
  }
  const oauth = grant !== 'none' && {
    grant_type: grant,
    client_id: clientId,
    ...(clientSecret !== '' && { client_secret: clientSecret }),
    ...(scope !== '' && { scope }),
  }
  return { url, ...(secrets && { headers: secrets }), ...(oauth && { oauth }), ...shared }
}

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '')

function toEntries(text: string): Record<string, string> | undefined {
  const entries = linesOf(text).map((line): [string, string] => {
    const at = line.indexOf('=')
    return at === -1 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
  })
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

import { createHash } from 'node:crypto'
import type { McpAuthorizationRedirect } from '@homeward/contract/agent-platform'
import type { PlainReply } from '@homeward/contract/handler'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { AgentRuntime } from '../../runtime/runtime.ts'

/** The code stays in no history. */
const script = "history.replaceState(null, '', location.pathname)"
const scriptHash = createHash('sha256').update(script).digest('base64')

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  // the address holds the code
  'referrer-policy': 'no-referrer',
  'content-security-policy': `default-src 'none'; script-src 'sha256-${scriptHash}'; frame-ancestors 'none'`,
}

/** Ends the login of the person who comes back from an identity provider, and answers with a page for the person. */
export async function returnFromLogin(
  mcp: Pick<AgentRuntime['mcp'], 'finishAuthorization'>,
  { state, code, iss, error }: McpAuthorizationRedirect,
): Promise<PlainReply> {
  if (state === undefined) return page(400, 'This link is incomplete. Open the link to log in again.')
  if (error !== undefined || code === undefined)
    return page(400, 'Access was denied. To try again, open the link to log in once more.')
  try {
    const { name, login } = await mcp.finishAuthorization({ state, code, ...(iss !== undefined && { iss }) })
    if (login === 'user') return page(200, `You are logged in to ${name}. You can close this page.`)
    return page(200, `${name} is authorized.`, '<p><a href="/mcp-servers">Open MCP servers</a></p>\n')
  } catch (cause) {
    if (!RuntimeError.is(cause)) throw cause
    const isUnknown = cause.code === 'not_found'
    const text = 'This link was used before, or has expired. Ask for a new one where you got it.'
    return page(isUnknown ? 404 : 502, isUnknown ? text : cause.message)
  }
}

function page(status: number, text: string, more = ''): PlainReply {
  const shown = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Homeward</title>
<script>${script}</script>
<main>
<h1>Login</h1>
<p role="status">${shown}</p>
${more}</main>
</html>
`
  return { status, headers, body }
}

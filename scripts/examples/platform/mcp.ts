import {
  redirectUri,
  startProtectedServer,
} from '../../../packages/agent-runtime/src/tools/mcp/testing/protected-server.ts'
import type { PlatformRecorder } from './agents-and-runs.ts'

/** Records MCP in both directions: servers whose tools agents use, and agents as tools of a client. */
export async function recordMcp({ record, replace }: PlatformRecorder): Promise<void> {
  await using shop = await startProtectedServer()
  const params = { name: 'shop' }
  replace(shop.url, 'https://shop.example.com/mcp')
  const oauth = { grant_type: 'authorization_code', client_id: 'person' }
  await record('saveMcpServer', { params, body: { url: shop.url, oauth } })
  const { authorization_url: address = '' } = await record('authorizeMcpServer', {
    params,
    body: { redirect_uri: redirectUri },
  })
  const answer = Object.fromEntries((await shop.visit(address)).searchParams)
  replace(address, shownAddress(address))
  replace(answer['code'] ?? '', 'code-of-the-identity-provider')
  replace(answer['state'] ?? '', 'state-of-this-authorization')
  replace(answer['iss'] ?? '', 'https://login.example.com')
  await record('finishMcpAuthorization', { body: answer })
  await record('testMcpServer', { params })
  await record('listMcpServers')
  await record('deleteMcpServer', { params })
  await record('callAgentTools', {
    headers: { Accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_agents', arguments: {} } },
  })
}

/** The same address at a provider with a name, and without what is random. */
function shownAddress(address: string): string {
  const { pathname, searchParams } = new URL(address)
  searchParams.set('state', 'state-of-this-authorization')
  searchParams.set('code_challenge', 'challenge-of-this-authorization')
  if (searchParams.has('resource')) searchParams.set('resource', 'https://shop.example.com/mcp')
  return `https://login.example.com${pathname}?${searchParams}`
}

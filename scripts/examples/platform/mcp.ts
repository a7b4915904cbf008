import type { AgentRuntime } from '@homeward/agent-runtime'
import {
  redirectUri,
  startProtectedServer,
} from '../../../packages/agent-runtime/src/tools/mcp/testing/protected-server.ts'
import type { PlatformRecorder } from './agents-and-runs.ts'

/** Records MCP in both directions: servers whose tools agents use, and agents as tools of a client. */
export async function recordMcp(
  { record, send, replace }: PlatformRecorder,
  runtime: AgentRuntime,
): Promise<void> {
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
  await recordLogins(shop, { record, send, replace }, runtime)
}

/** Records how a user logs in to a server, and logs out. */
async function recordLogins(
  shop: Awaited<ReturnType<typeof startProtectedServer>>,
  { record, send, replace }: Pick<PlatformRecorder, 'record' | 'send' | 'replace'>,
  runtime: AgentRuntime,
): Promise<void> {
  const params = { name: 'shop' }
  const oauth = { grant_type: 'authorization_code', client_id: 'person' } as const
  await send('saveMcpServer', { params, body: { url: shop.url, oauth, login: 'user' } })
  await send('createAgent', { body: { id: 'shopper', model: 'test/echo', mcp_servers: ['shop'] } })
  const task = { agent_id: 'shopper', task: 'What is in stock?', user_id: 'ann' }
  const { run_id: id, waits: [wait] = [] } = await send('runAgent', { body: task })
  const query = Object.fromEntries((await shop.visit(wait?.url ?? '')).searchParams)
  replace(query['code'] ?? '', 'code-of-the-identity-provider')
  replace(query['state'] ?? '', 'state-of-this-login')
  replace(encodeURIComponent(query['iss'] ?? ''), encodeURIComponent('https://login.example.com'))
  await record('returnFromMcpLogin', { query })
  await (
    await runtime.runs.attach(id)
  ).result
  await send('updateSettings', { body: { public_url: 'https://agents.example.com' } })
  await record('getMcpClientMetadata')
  await send('updateSettings', { body: { public_url: null } })
  await record('listMcpLogins', { params })
  await record('deleteMcpLogin', { params: { ...params, user_id: 'ann' } })
  await send('deleteMcpServer', { params })
  await send('deleteAgent', { params: { id: 'shopper' } })
}

/** The same address at a provider with a name, and without what is random. */
function shownAddress(address: string): string {
  const { pathname, searchParams } = new URL(address)
  searchParams.set('state', 'state-of-this-authorization')
  searchParams.set('code_challenge', 'challenge-of-this-authorization')
  if (searchParams.has('resource')) searchParams.set('resource', 'https://shop.example.com/mcp')
  return `https://login.example.com${pathname}?${searchParams}`
}

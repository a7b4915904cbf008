import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import {
  McpAuthorizationResponse,
  McpAuthorizationRequest,
  McpServerInput,
  McpServerName,
  McpServerTest,
  McpServerView,
} from './mcp-server.ts'
import { Done } from './values.ts'

const byName = z.object({ name: McpServerName })
const reply = z.object({ ok: z.literal(true), server: McpServerView })
const source = 'A29'

/** MCP servers whose tools agents use. */
export const mcpClientOperations = {
  listMcpServers: {
    method: 'GET',
    path: '/api/mcp/servers',
    auth: 'local',
    scope: 'read',
    subject: 'all',
    summary: 'Lists the MCP servers that agents can name in `mcp_servers`. Secrets are not returned.',
    source,
    reply: z.object({ servers: z.array(McpServerView) }),
  },
  saveMcpServer: {
    method: 'PUT',
    path: '/api/mcp/servers/{name}',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'mcp-server.saved', target: '{params.name}', details: 'names', isOutside: true },
    summary:
      'Adds or replaces an MCP server. With a `command`, the platform starts that program on its machine when an agent needs it.',
    source,
    params: byName,
    body: McpServerInput,
    reply,
    errors: [409],
  },
  deleteMcpServer: {
    method: 'DELETE',
    path: '/api/mcp/servers/{name}',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'mcp-server.deleted', target: '{params.name}', isOutside: true },
    summary: 'Deletes an MCP server with its secrets and access token. Agents that name it lose its tools.',
    source,
    params: byName,
    reply: Done,
    errors: [404, 409],
  },
  testMcpServer: {
    method: 'POST',
    path: '/api/mcp/servers/{name}/test',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: 'none',
    summary: 'Connects to an MCP server, and returns its tools or the reason for the failure.',
    source,
    params: byName,
    reply: McpServerTest,
    errors: [404],
  },
  authorizeMcpServer: {
    method: 'POST',
    path: '/api/mcp/servers/{name}/authorize',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'mcp-server.authorization-started', target: '{params.name}', isOutside: true },
    summary:
      'Begins the authorization of an MCP server with `authorization_code`. Open `authorization_url` in a browser within ten minutes.',
    source,
    params: byName,
    body: McpAuthorizationRequest,
    reply: z.object({
      ok: z.literal(true),
      /** Where a person gives access. Absent if the stored token still works. */
      authorization_url: z.optional(z.string()),
    }),
    errors: [404, 409, 502],
  },
  finishMcpAuthorization: {
    method: 'POST',
    path: '/api/mcp/authorizations',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: {
      action: 'mcp-server.authorized',
      target: 'unknown',
      targetAfter: '{reply.server.name}',
      isOutside: true,
    },
    summary:
      'Completes the authorization of an MCP server with the parameters that the identity provider added to `redirect_uri`.',
    source,
    body: McpAuthorizationResponse,
    reply,
    errors: [404, 502],
  },
} as const satisfies Record<string, Operation>

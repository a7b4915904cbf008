import * as z from 'zod/mini'

/** A JSON-RPC message of the Model Context Protocol, or a batch as in older protocol versions. */
export const McpMessage = z.union([
  z.record(z.string(), z.unknown()),
  z.array(z.record(z.string(), z.unknown())).check(z.minLength(1), z.maxLength(100)),
])
export type McpMessage = z.infer<typeof McpMessage>

/** The part of a row of `/mcp` that both interfaces share. */
export const mcpCall = {
  method: 'POST',
  path: '/mcp',
  source: 'Model Context Protocol 2026-07-28 and 2025-11-25',
  body: McpMessage,
  headers: [
    { name: 'Accept', description: '`application/json, text/event-stream`.' },
    { name: 'MCP-Protocol-Version', description: 'Version of the protocol that the client uses.' },
  ],
  reply: 'mcp',
  errors: [501],
} as const

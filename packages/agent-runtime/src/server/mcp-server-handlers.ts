import type { PlatformContext, PlatformHandlers } from './platform-context.ts'

type McpHandlers = Pick<
  PlatformHandlers,
  | 'listMcpServers'
  | 'saveMcpServer'
  | 'deleteMcpServer'
  | 'testMcpServer'
  | 'authorizeMcpServer'
  | 'finishMcpAuthorization'
>

/** MCP servers whose tools agents use (A29). */
export function createMcpServerHandlers({ services: { mcp } }: PlatformContext): McpHandlers {
  return {
    listMcpServers: async () => ({ servers: await mcp.list() }),
    saveMcpServer: async ({ params, body }) => ({ ok: true, server: await mcp.save(params.name, body) }),
    async deleteMcpServer({ params }) {
      await mcp.delete(params.name)
      return { ok: true }
    },
    testMcpServer: ({ params, request }) => mcp.test(params.name, request.signal),
    async authorizeMcpServer({ params, body }) {
      const address = await mcp.authorize(params.name, body)
      return { ok: true, ...(address !== undefined && { authorization_url: address }) }
    },
    finishMcpAuthorization: async ({ body }) => ({ ok: true, server: await mcp.finishAuthorization(body) }),
  }
}

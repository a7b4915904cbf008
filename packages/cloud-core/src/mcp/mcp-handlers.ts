import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import type { HandlersOf, Respond } from '@homeward/contract/handler'
import type { McpEndpoint } from '@homeward/contract/mcp'
import type { CloudContext } from '../context/cloud-context.ts'
import type { CallerSession } from '../tokens/authenticate-token.ts'

/** Takes messages of MCP clients. What serves them is loaded with the first one, because most clouds never get one. */
export function createMcpHandlers(
  context: Pick<CloudContext, 'timers' | 'onError'>,
  respond: Respond,
): Pick<HandlersOf<DeviceCloudOperations, { session: CallerSession }>, 'callDeviceTools'> {
  let endpoint: Promise<McpEndpoint> | undefined
  const open = () =>
    (endpoint ??= import('./create-device-endpoint.ts').then(({ createDeviceEndpoint }) =>
      createDeviceEndpoint(context, respond),
    ))
  return { callDeviceTools: async ({ request, body }) => (await open())(request, body) }
}

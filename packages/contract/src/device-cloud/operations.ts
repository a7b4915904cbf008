import type { Operation } from '../operation.ts'
import { userOperations } from './dashboard-operations.ts'
import { deviceOperations } from './device-operations.ts'
import { enrollingOperations } from './enrollment-operations.ts'
import { metricsCall } from '../metrics-call.ts'
import { mcpCall } from '../mcp-call.ts'
import { pathsOf } from '../places.ts'

/** How users follow their devices and searches. */
export const eventOperations = {
  streamDeviceEvents: {
    method: 'GET',
    path: '/api/devices/events',
    auth: 'session',
    needs: 'read',
    summary: "Streams events of the user's devices, searches and upload requests as they happen.",
    source: 'C34',
    headers: [
      {
        name: 'Last-Event-ID',
        description:
          'Id of the last event seen: the stream continues after it. If events after it are no longer known, the first event is `reset`.',
      },
    ],
    reply: 'events',
    errors: [429],
  },
} as const satisfies Record<string, Operation>

/** The user's devices as tools of MCP clients. */
const deviceMcpOperations = {
  callDeviceTools: {
    ...mcpCall,
    auth: 'session',
    needs: 'any',
    summary:
      'Serves MCP clients. The tools search devices and fetch files. Each tool needs the grants of the routes that it calls.',
  },
} as const satisfies Record<string, Operation>

/** What the device cloud measures. */
const deviceMetricsOperations = {
  readMetrics: { ...metricsCall, auth: 'session', needs: 'read' },
} as const satisfies Record<string, Operation>

/** Every operation of the device cloud. The documented ones come first, then additions. */
export const deviceCloudOperations = {
  ...deviceOperations,
  ...enrollingOperations,
  ...userOperations,
  ...eventOperations,
  ...deviceMcpOperations,
  ...deviceMetricsOperations,
} as const satisfies Record<string, Operation>

/** The device cloud's table of operations. */
export type DeviceCloudOperations = typeof deviceCloudOperations

/** Id of an operation of the device cloud. */
export type DeviceCloudOperationId = keyof DeviceCloudOperations

/**
 * The paths of the device cloud, for a host that mounts it: each of them, and everything below it.
 *
 * @example
 * for (const path of deviceCloudPaths) app.all(`${path}/**`, (event) => cloud.fetch(event.req))
 */
export const deviceCloudPaths: readonly string[] = /* @__PURE__ */ pathsOf(deviceCloudOperations)

import type { Operation } from '../operation.ts'
import { userOperations } from './dashboard-operations.ts'
import { deviceOperations } from './device-operations.ts'
import { enrollingOperations } from './enrollment-operations.ts'
import { eventOperations } from './event-operations.ts'
import { metricsCall } from '../metrics-call.ts'
import { mcpCall } from '../mcp-call.ts'

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

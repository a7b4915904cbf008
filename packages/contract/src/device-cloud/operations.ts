import type { Operation } from '../operation.ts'
import { dashboardOperations } from './dashboard-operations.ts'
import { deviceOperations } from './device-operations.ts'
import { enrollingOperations } from './enrollment-operations.ts'
import { eventOperations } from './event-operations.ts'
import { deviceMcpOperations } from './mcp-operations.ts'
import { deviceMetricsOperations } from './metrics-operations.ts'

/** Every operation of the device cloud. The documented ones come first, then additions. */
export const deviceCloudOperations = {
  ...deviceOperations,
  ...enrollingOperations,
  ...dashboardOperations,
  ...eventOperations,
  ...deviceMcpOperations,
  ...deviceMetricsOperations,
} as const satisfies Record<string, Operation>

/** The device cloud's table of operations. */
export type DeviceCloudOperations = typeof deviceCloudOperations

/** Id of an operation of the device cloud. */
export type DeviceCloudOperationId = keyof DeviceCloudOperations

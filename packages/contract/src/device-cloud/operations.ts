import type { Operation } from '../operation.ts'
import { dashboardOperations } from './dashboard-operations.ts'
import { deviceOperations } from './device-operations.ts'

/** Every operation of the device cloud: the interface document's rows, then the additions of C1 to C25. */
export const deviceCloudOperations = {
  ...deviceOperations,
  ...dashboardOperations,
} as const satisfies Record<string, Operation>

/** The device cloud's table of operations. */
export type DeviceCloudOperations = typeof deviceCloudOperations

/** Id of an operation of the device cloud. */
export type DeviceCloudOperationId = keyof DeviceCloudOperations

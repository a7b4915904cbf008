import { metricsCall } from '../metrics-call.ts'
import type { Operation } from '../operation.ts'

/** What the device cloud measures. */
export const deviceMetricsOperations = {
  readMetrics: { ...metricsCall, auth: 'session', needs: 'read' },
} as const satisfies Record<string, Operation>

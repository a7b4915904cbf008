import { metricsCall } from '../metrics-call.ts'
import type { Operation } from '../operation.ts'

/** What the agent platform measures. */
export const agentMetricsOperations = {
  readMetrics: { ...metricsCall, auth: 'local', scope: 'read' },
} as const satisfies Record<string, Operation>

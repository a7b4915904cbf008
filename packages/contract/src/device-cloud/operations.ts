import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { OwnAuditEntry } from './audit.ts'
import { userOperations } from './dashboard-operations.ts'
import { deviceOperations } from './device-operations.ts'
import { enrollingOperations } from './enrollment-operations.ts'
import { Cursor, limitParameter } from './list-query.ts'
import { metricsCall } from '../metrics-call.ts'
import { mcpCall } from '../mcp-call.ts'
import { pathsOf } from '../places.ts'
import { Timestamp } from './text.ts'

/** Operations for following devices and searches. */
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

/** How a device compares its own log with what the cloud has. */
const receiptOperations = {
  listOwnAudit: {
    method: 'GET',
    path: '/api/devices/own/audit',
    auth: 'device',
    summary: 'Lists the searches and upload requests that the device was asked for, newest first.',
    source: 'Asked, and told',
    query: z.strictObject({ limit: limitParameter(1000), cursor: z.optional(Cursor) }),
    reply: z.object({
      entries: z.array(OwnAuditEntry),
      /** Requests before this time may have been removed because they are old. Absent: nothing is removed for its age. */
      knownSince: z.optional(Timestamp),
      nextCursor: z.optional(Cursor),
    }),
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

/** Every operation of the device cloud, as a table. */
export const deviceCloudOperations = {
  ...deviceOperations,
  ...receiptOperations,
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
 * Path prefixes of the device cloud, for your own router: route each path and everything below it.
 *
 * @example
 * for (const path of deviceCloudPaths) app.all(`${path}/**`, (event) => cloud.fetch(event.req))
 */
export const deviceCloudPaths: readonly string[] = /* @__PURE__ */ pathsOf(deviceCloudOperations)

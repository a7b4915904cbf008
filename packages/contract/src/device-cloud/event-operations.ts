import type { Operation } from '../operation.ts'

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

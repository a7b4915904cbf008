import { createClient } from '@homeward/contract/client'
import { useQuery } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { observedFetch } from './connection.ts'

/** What a port says about itself to the pages. Not part of either documented API. */
const operations = {
  readDashboard: {
    method: 'GET',
    path: '/dashboard.json',
    auth: 'public',
    summary: 'Says which APIs this port serves, and what the pages cannot know otherwise.',
    source: 'packages/homeward',
    reply: z.object({
      serves: z.object({ devices: z.boolean(), agents: z.boolean() }),
      cloudUrl: z.optional(z.string()),
      onlineWindowMs: z.optional(z.number()),
      deviceUrl: z.optional(z.string()),
      agentVersion: z.optional(z.string()),
    }),
  },
} as const

const server = createClient(operations, { baseUrl: location.origin, fetch: observedFetch })

/** What the port that this page came from says about itself. */
export function useServerFacts() {
  return useQuery({
    queryKey: ['readDashboard'],
    queryFn: ({ signal }) => server.readDashboard({ signal }),
    staleTime: Infinity,
  }).data
}

/** The address under which devices reach the device cloud, as far as the page knows. */
export function useDeviceUrl(): string {
  const facts = useServerFacts()
  const isLocal = /^(?:localhost|127\.|\[::1\])/.test(location.hostname)
  return facts?.deviceUrl ?? (isLocal ? facts?.cloudUrl : undefined) ?? location.origin
}

/** The cheapest call: both ports answer it, and it needs no token. */
export const probeServer = () => server.readDashboard()

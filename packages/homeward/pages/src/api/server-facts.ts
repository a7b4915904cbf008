import { createClient } from '@homeward/contract/client'
import { useQuery } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { observedFetch } from './connection.ts'

/** What both servers say about themselves to their pages. Not part of either interface. */
const operations = {
  readDashboard: {
    method: 'GET',
    path: '/dashboard.json',
    auth: 'public',
    summary: 'Says where the other dashboard is, and what the pages cannot know otherwise.',
    source: 'packages/homeward',
    reply: z.object({
      other: z.nullable(z.object({ url: z.string().check(z.regex(/^https?:\/\//)) })),
      onlineWindowMs: z.optional(z.number()),
    }),
  },
} as const

const server = createClient(operations, { baseUrl: location.origin, fetch: observedFetch })

/** What the server that this page came from says about its dashboard. */
export function useServerFacts() {
  return useQuery({
    queryKey: ['readDashboard'],
    queryFn: ({ signal }) => server.readDashboard({ signal }),
    staleTime: Infinity,
  }).data
}

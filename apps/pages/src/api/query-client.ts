import { ClientError } from '@homeward/contract/client'
import { QueryClient } from '@tanstack/react-query'
import { getConnection, onConnectionChange } from './connection.ts'
import { refresh } from './refresh.ts'

/** How often a read is tried again before its error shows: what the server refused stays refused. */
function retry(failures: number, error: Error): boolean {
  if (!ClientError.is(error) || error.code !== 'HTTP') return failures < 1
  return (error.status ?? 0) >= 500 && failures < 1
}

/** Keeps what the page has read. Once the server answers again after a pause, everything that shows is read anew. */
export function createQueryClient(): QueryClient {
  const queries = new QueryClient({
    defaultOptions: {
      // The server is often on this machine: whether there is an internet says nothing about it.
      queries: { networkMode: 'always', retry, retryDelay: 300, staleTime: 2000 },
      // What was sent may be a secret: it goes with whoever shows how that went.
      mutations: { networkMode: 'always', retry: false, gcTime: 0 },
    },
  })
  let wasOffline = false
  onConnectionChange(() => {
    const connection = getConnection()
    if (connection === 'online' && wasOffline) void refresh(queries, {})
    wasOffline = connection === 'offline' || (wasOffline && connection !== 'online')
  })
  return queries
}

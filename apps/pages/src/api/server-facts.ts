import { createClient } from '@homeward/contract/client'
import { useQuery } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { cloudToken, platformToken } from './access-token.ts'
import { observedFetch } from './connection.ts'
import { serverOrigin } from './server-origin.ts'

/** What a port says about itself to the pages. Not part of either documented API. */
const operations = {
  readDashboard: {
    method: 'GET',
    path: '/dashboard.json',
    auth: 'public',
    summary: 'Says which APIs this port serves, and what the pages cannot know otherwise.',
    source: 'apps/homeward',
    reply: z.object({
      serves: z.object({ devices: z.boolean(), agents: z.boolean() }),
      cloudUrl: z.optional(z.string()),
      onlineWindowMs: z.optional(z.number()),
      deviceUrl: z.optional(z.string()),
      agentVersion: z.optional(z.string()),
      signIn: z.optional(
        z.object({
          name: z.string(),
          user: z.optional(
            z.object({ id: z.string(), name: z.string(), mayUseAgents: z.boolean(), isAdmin: z.boolean() }),
          ),
        }),
      ),
    }),
  },
  signOut: {
    method: 'POST',
    path: '/sign-out',
    auth: 'public',
    summary: 'Ends the session of the pages.',
    source: 'apps/homeward',
    reply: z.object({ location: z.string() }),
  },
} as const

const server = createClient(operations, { baseUrl: serverOrigin, fetch: observedFetch })

/** Whose data the page holds, as far as the identity provider has signed somebody in. */
let pageUser: string | undefined

/** What the port that this page came from says about itself, as it is read now. */
export const serverFacts = {
  queryKey: ['readDashboard'],
  async queryFn({ signal }: { readonly signal: AbortSignal }) {
    const facts = await server.readDashboard({ signal })
    const user = facts.signIn?.user
    // Another person gets a page of their own: no rows, and nothing half written, of the one before.
    if (user !== undefined && pageUser !== undefined && user.id !== pageUser) location.reload()
    pageUser ??= user?.id
    // A person who may not use agents sees none of their pages, but with a token.
    const hasToken = platformToken.read() !== undefined
    const mayUseAgents = user?.mayUseAgents !== false || hasToken
    const isOfUser = hasToken && facts.serves.agents && (await isTokenOfUser(signal))
    return {
      ...facts,
      serves: {
        // the token of a user of agents opens no devices
        devices: facts.serves.devices && !(isOfUser && user === undefined && !cloudToken.isOwn()),
        agents: facts.serves.agents && mayUseAgents,
      },
      isLimited: isOfUser || (user?.isAdmin === false && user.mayUseAgents && !hasToken),
    }
  },
}

/** Whether the token in this tab may not read what all users share. */
async function isTokenOfUser(signal: AbortSignal): Promise<boolean> {
  const response = await observedFetch(`${serverOrigin}/agent-platform/api/settings`, {
    headers: platformToken.authorization(),
    signal,
  })
  await response.body?.cancel()
  return response.status === 403
}

/** What the port that this page came from says about itself. */
export function useServerFacts() {
  return useQuery({
    ...serverFacts,
    staleTime: Infinity,
    // Another person may have signed in meanwhile, in another tab.
    refetchOnWindowFocus: ({ state }) => (state.data?.signIn ? 'always' : false),
  }).data
}

/** Whether the person uses agents without administering them: the API shows then only what is the person's own. */
export const useIsLimited = () => useServerFacts()?.isLimited === true

/** Whether somebody had signed in at the identity provider when the page was loaded, or since. */
export const hasPageUser = () => pageUser !== undefined

/** Ends the session of the pages, and then the one at the identity provider, if it has an address for that. */
export async function signOut(): Promise<void> {
  const { location: address } = await server.signOut()
  location.assign(address)
}

/** The address under which devices reach the device cloud, as far as the page knows. */
export function useDeviceUrl(): string {
  const facts = useServerFacts()
  const isLocal = /^(?:localhost|127\.|\[::1\])/.test(location.hostname)
  return facts?.deviceUrl ?? (isLocal ? facts?.cloudUrl : undefined) ?? location.origin
}

/** The cheapest call: both ports answer it, and it needs no token. */
export const probeServer = () => server.readDashboard()

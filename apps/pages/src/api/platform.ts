import { agentPlatformOperations } from '@homeward/contract/agent-platform'
import { ClientError, type ClientOptions, createClient } from '@homeward/contract/client'
import { bearer, platformToken } from './access-token.ts'
import { observedFetch } from './connection.ts'
import { createApiHooks } from './create-api-hooks.ts'
import { serverOrigin } from './server-origin.ts'

const server = {
  baseUrl: `${serverOrigin}/agent-platform`,
  maxReplyBytes: 64 * 1024 * 1024,
  // Some calls wait for a model.
  timeoutMs: 180_000,
} satisfies ClientOptions

/** The agent platform that served this page, called with the tab's access token if there is one (A19). */
export const platform = createClient(agentPlatformOperations, {
  ...server,
  fetch: platformToken.fetch,
  headers: platformToken.authorization,
})

/** Whether the platform takes an access token, which need not be the tab's: no refusal counts as a yes. */
export async function takesToken(token: string): Promise<boolean> {
  const client = createClient(agentPlatformOperations, {
    ...server,
    fetch: observedFetch,
    headers: bearer(token),
  })
  return client.getSettings().then(
    () => true,
    (error: unknown) => !(ClientError.is(error) && error.status === 401),
  )
}

/** {@link createApiHooks} over the agent platform: one read, several, the pages of a list, and a change. */
export const {
  useApiQuery: usePlatformQuery,
  useApiQueries: usePlatformQueries,
  useApiPages: usePlatformPages,
  useApiMutation: usePlatformMutation,
} = createApiHooks(platform)

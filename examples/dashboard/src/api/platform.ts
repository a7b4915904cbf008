import { agentPlatformOperations } from '@homeward/contract/agent-platform'
import { createClient } from '@homeward/contract/client'
import { authorization, noticeRefusal } from './access-token.ts'
import { observedFetch } from './connection.ts'
import { createApiHooks } from './create-api-hooks.ts'

/** The agent platform that served this page, called with the tab's access token if there is one (A19). */
export const platform = createClient(agentPlatformOperations, {
  baseUrl: location.origin,
  fetch: observedFetch,
  maxReplyBytes: 64 * 1024 * 1024,
  // Some calls wait for a model.
  timeoutMs: 180_000,
  headers: authorization,
  toError: noticeRefusal,
})

/** {@link createApiHooks} over the agent platform: one read, the pages of a list, and a change. */
export const {
  useApiQuery: usePlatformQuery,
  useApiPages: usePlatformPages,
  useApiMutation: usePlatformMutation,
} = createApiHooks(platform)

import { createClient } from '@homeward/contract/client'
import { deviceCloudOperations } from '@homeward/contract/device-cloud'
import { authorization, authorizedFetch } from './access-token.ts'
import { createApiHooks } from './create-api-hooks.ts'

/** The device cloud that served this page, called with the tab's access token if there is one. */
export const cloud = createClient(deviceCloudOperations, {
  baseUrl: location.origin,
  fetch: authorizedFetch,
  // Results of a thousand devices are large, and this is the user's own server.
  maxReplyBytes: 64 * 1024 * 1024,
  headers: authorization,
})

/** {@link createApiHooks} over the device cloud: one read, the pages of a list, and a change. */
export const {
  useApiQuery: useCloudQuery,
  useApiPages: useCloudPages,
  useApiMutation: useCloudMutation,
} = createApiHooks(cloud)

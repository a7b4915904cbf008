import { createClient } from '@homeward/contract/client'
import { deviceCloudOperations } from '@homeward/contract/device-cloud'
import { cloudToken } from './access-token.ts'
import { createApiHooks } from './create-api-hooks.ts'
import { serverOrigin } from './server-origin.ts'

/** Both ports serve the device cloud's API under this address. */
export const cloudBase = `${serverOrigin}/device-cloud`

/** The device cloud that served this page, called with the tab's access token if there is one. */
export const cloud = createClient(deviceCloudOperations, {
  baseUrl: cloudBase,
  fetch: cloudToken.fetch,
  // Results of a thousand devices are large, and this is the user's own server.
  maxReplyBytes: 64 * 1024 * 1024,
  headers: cloudToken.authorization,
})

/** {@link createApiHooks} over the device cloud: one read, the pages of a list, and a change. */
export const {
  useApiQuery: useCloudQuery,
  useApiPages: useCloudPages,
  useApiMutation: useCloudMutation,
} = createApiHooks(cloud, ['devices'])

import { type Client, type ClientOptions, createClient } from '@homeward/contract/client'
import { userOperations } from '@homeward/contract/device-cloud'
import { toDeviceCloudError } from './to-device-cloud-error.ts'

/** The operations of the device cloud that take a user session. */
export type UserOperations = typeof userOperations

/**
 * One typed function for each operation of a dashboard. An interface, so that declarations name it instead of writing
 * out every schema.
 */
export interface UserClient extends Client<UserOperations> {}

/** How a dashboard reaches its cloud; the session goes into `headers`, or is the browser's cookie. */
export type UserClientOptions = Omit<ClientOptions, 'toError'>

/**
 * Creates the client of a dashboard, which registers devices, and creates and reads searches and upload requests.
 *
 * Every call throws a {@link DeviceCloudError}, or the reason of its signal when that aborts.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION` for a base URL that cannot be used.
 * @example
 * const dashboard = createUserClient({ baseUrl: 'http://127.0.0.1:3000' })
 * const { device, apiKey } = await dashboard.registerDevice({
 *   body: { name: 'Laptop', type: 'laptop', platform: 'linux' },
 * })
 */
export function createUserClient(options: UserClientOptions): UserClient {
  return createClient(userOperations, { ...options, toError: toDeviceCloudError })
}

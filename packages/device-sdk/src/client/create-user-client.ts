import { type Client, type ClientOptions, createClient } from '@homeward/contract/client'
import { userOperations } from '@homeward/contract/device-cloud'
import { toDeviceCloudError } from './to-device-cloud-error.ts'

/** Operations of the device cloud that need a user session. */
export type UserOperations = typeof userOperations

/** A typed function for each user operation. An interface, so that declaration files stay short. */
export interface UserClient extends Client<UserOperations> {}

/** Options of {@link createUserClient}. Pass the session in `headers`, or use the browser's cookie. */
export type UserClientOptions = Omit<ClientOptions, 'toError'>

/**
 * Creates a client for the user operations of a device cloud: devices, searches and upload requests.
 *
 * Every call throws a {@link DeviceCloudError}, or the reason of its signal when the signal aborts.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION` if the base URL is invalid.
 * @example
 * const dashboard = createUserClient({ baseUrl: 'http://127.0.0.1:3000' })
 * const { device, apiKey } = await dashboard.registerDevice({
 *   body: { name: 'Laptop', type: 'laptop', platform: 'linux' },
 * })
 */
export function createUserClient(options: UserClientOptions): UserClient {
  return createClient(userOperations, { ...options, toError: toDeviceCloudError })
}

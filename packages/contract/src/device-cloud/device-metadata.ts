import * as z from 'zod/mini'

/**
 * Free key-value data about a device.
 *
 * `os`, `version` and `hardware` are strings; other keys are stored unchanged. `scopes` declares what can be searched
 * on the device: `[{name, title?, description?, schema?}]`. `folders` lists its shared folders. `agentVersion` is the
 * version of the device agent, such as `0.1.0`, so that users can find outdated agents.
 */
export const DeviceMetadata = z.catchall(
  z.object({
    os: z.optional(z.string().check(z.maxLength(1024))),
    version: z.optional(z.string().check(z.maxLength(1024))),
    hardware: z.optional(z.string().check(z.maxLength(1024))),
  }),
  z.unknown(),
)
export type DeviceMetadata = z.infer<typeof DeviceMetadata>

import * as z from 'zod/mini'

/**
 * Free key-value facts about a device: `os`, `version`, `hardware` are text, other keys are kept as they are. In `scopes` a
 * device declares what can be searched on it: `[{name, title?, description?, schema?}]`, in `folders` the folders that it
 * opens. `agentVersion` is the version of the device agent, such as `0.1.0`, so that users see which devices run an old one.
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

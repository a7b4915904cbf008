import * as z from 'zod/mini'

/** Free key-value facts about a device: `os`, `version`, `hardware` are text, other keys are kept as they are. */
export const DeviceMetadata = z.catchall(
  z.object({
    os: z.optional(z.string().check(z.maxLength(1024))),
    version: z.optional(z.string().check(z.maxLength(1024))),
    hardware: z.optional(z.string().check(z.maxLength(1024))),
  }),
  z.unknown(),
)
export type DeviceMetadata = z.infer<typeof DeviceMetadata>

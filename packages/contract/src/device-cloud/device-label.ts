import * as z from 'zod/mini'

/** A word that a user gave to a device: 1 to 64 lowercase letters, digits, `-`, `_`, `.`, `/` and `:`. */
export const DeviceLabel = z
  .string()
  .check(
    z.minLength(1),
    z.maxLength(64),
    z.regex(/^[a-z0-9\-_./:]*$/, 'must hold only lowercase letters a to z, digits and - _ . / :'),
  )

/** At most 32 labels, in the order in which they were given, repeats removed. */
export const DeviceLabels = z.pipe(
  z.array(DeviceLabel).check(z.maxLength(32)),
  z.pipe(
    z.transform((labels: string[]) => [...new Set(labels)]),
    z.array(DeviceLabel),
  ),
)

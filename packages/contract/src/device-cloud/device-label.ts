import * as z from 'zod/mini'

/** A label that a user gives to a device: 1 to 64 lowercase letters, digits, `-`, `_`, `.`, `/` and `:`. */
export const DeviceLabel = z
  .string()
  .check(
    z.minLength(1),
    z.maxLength(64),
    z.regex(/^[a-z0-9\-_./:]*$/, 'must hold only lowercase letters a to z, digits and - _ . / :'),
  )

/** At most 32 labels in the given order, without duplicates. */
export const DeviceLabels = z.pipe(
  z.array(DeviceLabel).check(z.maxLength(32)),
  z.pipe(
    z.transform((labels: string[]) => [...new Set(labels)]),
    z.array(DeviceLabel),
  ),
)

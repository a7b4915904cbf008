import * as z from 'zod/mini'

/** A skill offered by a skill store. */
export const RegistryEntry = z.object({
  slug: z
    .string()
    .check(
      z.regex(
        /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
        'must be 1 to 64 letters, digits, "_", "-" or ".", a letter or digit first',
      ),
    ),
  name: z.string().check(z.minLength(1), z.maxLength(200)),
  description: z.string().check(z.minLength(1), z.maxLength(2000)),
  /** A semantic version. */
  version: z.optional(z.string().check(z.maxLength(100))),
  /** Address of the content: Markdown or a zip archive. May be relative to the registry. */
  url: z.string().check(z.minLength(1), z.maxLength(2000)),
  /** SHA-256 of the content in hexadecimal. Checked if present. */
  sha256: z.optional(z.string().check(z.regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits'))),
})
export type RegistryEntry = z.infer<typeof RegistryEntry>

/** Body of a registry. Entries are validated one by one, so an invalid entry does not hide the others. */
export const Registry = z.object({ skills: z.array(z.unknown()).check(z.maxLength(10_000)) })
export type Registry = z.infer<typeof Registry>

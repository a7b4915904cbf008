import { Registry, RegistryEntry } from '@homeward/contract/skill-store'
import * as z from 'zod/mini'
import { validateSkillName } from '../install/skill-name.ts'
import { SkillStoreError } from '../skill-store-error.ts'

/** An invalid entry of a registry. */
export interface InvalidEntry {
  /** Index of the entry in the registry, starting at 0. */
  readonly index: number
  readonly error: string
}

/** Skills of a store. */
export interface RegistryListing {
  readonly skills: readonly RegistryEntry[]
  readonly invalid: readonly InvalidEntry[]
}

/**
 * Reads the body of a registry, entry by entry: a bad one does not hide the others.
 *
 * @throws {SkillStoreError} `INVALID_REGISTRY` when the body as a whole is none.
 */
export function readRegistry(bytes: Uint8Array, registryUrl: URL): RegistryListing {
  const parsed = z.safeParse(Registry, parseJson(bytes))
  if (!parsed.success) {
    throw new SkillStoreError(
      'INVALID_REGISTRY',
      `Reading the registry failed: ${registryUrl.origin} did not send {"skills": [...]} with at most 10,000 entries. Check "registryUrl".`,
    )
  }
  const skills: RegistryEntry[] = []
  const invalid: InvalidEntry[] = []
  const slugs = new Set<string>()
  for (const [index, value] of parsed.data.skills.entries()) {
    const entry = z.safeParse(RegistryEntry, value)
    const error = entry.success ? problemOf(entry.data, registryUrl, slugs) : describe(entry.error)
    if (error !== undefined) invalid.push({ index, error })
    else if (entry.success) {
      slugs.add(entry.data.slug.toLowerCase())
      skills.push({ ...entry.data, url: new URL(entry.data.url, registryUrl).href })
    }
  }
  return { skills, invalid }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

function problemOf({ slug, url }: RegistryEntry, registryUrl: URL, slugs: ReadonlySet<string>) {
  // what nobody could install is not offered
  const refused = validateSkillName(slug)
  if (refused !== undefined) return `slug: ${refused}`
  if (slugs.has(slug.toLowerCase())) return `slug: "${slug}" is a duplicate. The first entry is used`
  const target = URL.parse(url, registryUrl)
  if (!target || !['http:', 'https:'].includes(target.protocol))
    return 'url: must be an http or https address'
  if (target.username || target.password) return 'url: must not contain a user name or a password'
  if (registryUrl.protocol === 'https:' && target.protocol !== 'https:') {
    return 'url: must be https, because the registry is'
  }
  return undefined
}

function describe(error: z.core.$ZodError): string {
  const [issue] = error.issues
  return `${issue?.path.join('.') || 'entry'}: ${issue?.message ?? 'is not valid'}`
}

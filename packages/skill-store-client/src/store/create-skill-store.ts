import { positiveNumber, longestTimerMs } from '@homeward/kit'
import { createHash } from 'node:crypto'
import type { RegistryEntry } from '@homeward/contract/skill-store'
import type { FetchOption } from '@homeward/kit/http'
import gt from 'semver/functions/gt.js'
import valid from 'semver/functions/valid.js'
import type { ArchiveLimits, SkillFile } from '../archive/unpack-zip.ts'
import { toSkillFiles } from '../archive/to-skill-files.ts'
import { checkOptions } from '../check-options.ts'
import { download } from '../download/download.ts'
import { createLicense } from '../download/license.ts'
import { SkillStoreError } from '../skill-store-error.ts'
import { readRegistry, type RegistryListing } from './read-registry.ts'

/** Options of {@link createSkillStore}. */
export interface SkillStoreOptions {
  /** Address of the registry: http or https. */
  readonly registryUrl: string
  /** License token, sent as `license` in the query, only to the store's own origin. @default no token */
  readonly licenseToken?: string
  /**
   * A `fetch` function, or an ofetch instance whose interceptors then run for each request.
   *
   * @default globalThis.fetch
   */
  readonly fetch?: FetchOption
  /** Time limit of one download including redirects, in milliseconds. @default 60000 */
  readonly timeoutMs?: number
  /** Maximum size of the registry in bytes. @default 5 MiB */
  readonly maxRegistryBytes?: number
  /** Maximum size of a downloaded skill in bytes. @default 50 MiB */
  readonly maxContentBytes?: number
  /** Limits for unpacked archives. @default 2,000 entries, 50 MiB */
  readonly archive?: ArchiveLimits
}

/** A downloaded skill, checked and unpacked in memory. */
export interface FetchedSkill {
  readonly entry: RegistryEntry
  readonly files: readonly SkillFile[]
  /** SHA-256 of the downloaded bytes, in hexadecimal. */
  readonly sha256: string
}

/** A newer version of an installed skill. */
export interface SkillUpdate {
  readonly slug: string
  readonly installed: string
  readonly available: string
}

/** A client for a skill store. Only reads; `createSkillInstaller` writes. */
export interface SkillStore {
  /** Lists the skills of the store. Invalid entries are listed separately, with the reason. */
  list(signal?: AbortSignal): Promise<RegistryListing>
  /** Returns the entry of a skill. @throws {SkillStoreError} `NOT_FOUND` if the store has no skill with this slug. */
  get(slug: string, signal?: AbortSignal): Promise<RegistryEntry>
  /** Finds entries that contain every word of the text, best match first. */
  search(text: string, signal?: AbortSignal): Promise<RegistryEntry[]>
  /**
   * Downloads and checks the content of a skill. Nothing is installed or run.
   *
   * @param wanted slug of the skill, or its entry from `list`, which saves reading the registry again.
   */
  fetch(wanted: string | RegistryEntry, signal?: AbortSignal): Promise<FetchedSkill>
  /**
   * Lists skills with a newer version in the store, by semantic versioning.
   *
   * @param installed installed versions by slug.
   */
  updates(
    installed: Readonly<Record<string, string | undefined>>,
    signal?: AbortSignal,
  ): Promise<SkillUpdate[]>
}

const mebibyte = 1024 * 1024
const opening = 'Opening the skill store'

/**
 * Creates a client for a skill store.
 *
 * @throws {SkillStoreError} `INVALID_OPTION` if `registryUrl` is not an http or https address or contains a password,
 * or a limit is not a number.
 * @example
 * const store = createSkillStore({ registryUrl: 'https://skills.example/registry.json' })
 * const { files } = await store.fetch('weather')
 */
export function createSkillStore(options: SkillStoreOptions): SkillStore {
  const registryUrl = parseRegistryUrl(options?.registryUrl)
  const { timeoutMs, maxRegistryBytes, maxContentBytes, archive } = options
  const { maxEntries, maxInflatedBytes } = archive ?? {}
  const limit = positiveNumber()
  checkOptions(
    opening,
    { timeoutMs, maxRegistryBytes, maxContentBytes, maxEntries, maxInflatedBytes },
    {
      timeoutMs: positiveNumber(longestTimerMs),
      maxRegistryBytes: limit,
      maxContentBytes: limit,
      maxEntries: limit,
      maxInflatedBytes: limit,
    },
  )
  if (options.fetch !== undefined && typeof options.fetch !== 'function')
    throw invalidOption('"fetch" must be a function')
  const common = {
    fetch: options.fetch,
    timeoutMs: timeoutMs ?? 60_000,
    authorize: createLicense(registryUrl, options.licenseToken),
  }

  async function list(signal?: AbortSignal): Promise<RegistryListing> {
    const attempt = 'Fetching the registry'
    const maxBytes = maxRegistryBytes ?? 5 * mebibyte
    const { bytes } = await download(registryUrl, { ...common, attempt, maxBytes, signal })
    return readRegistry(bytes, registryUrl)
  }

  async function get(slug: string, signal?: AbortSignal): Promise<RegistryEntry> {
    const { skills } = await list(signal)
    const found = skills.find((entry) => entry.slug === slug)
    if (found) return found
    throw new SkillStoreError(
      'NOT_FOUND',
      `Looking up the skill failed: the store has no skill "${slug.slice(0, 100)}". List the skills of the store.`,
    )
  }

  return {
    list,
    get,
    async search(text, signal) {
      return searchEntries((await list(signal)).skills, text)
    },
    async fetch(wanted, signal) {
      const entry = typeof wanted === 'string' ? await get(wanted, signal) : wanted
      const attempt = `Fetching the skill ${entry.slug}`
      const maxBytes = maxContentBytes ?? 50 * mebibyte
      const { bytes } = await download(new URL(entry.url), { ...common, attempt, maxBytes, signal })
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      checkHash(entry, sha256)
      return { entry, sha256, files: await toSkillFiles(bytes, archive) }
    },
    async updates(installed, signal) {
      const { skills } = await list(signal)
      return skills.flatMap(({ slug, version }): SkillUpdate[] => {
        const current = Object.hasOwn(installed, slug) ? installed[slug] : undefined
        if (!version || !current || !valid(version) || !valid(current) || !gt(version, current)) return []
        return [{ slug, installed: current, available: version }]
      })
    },
  }
}

function parseRegistryUrl(text: string | undefined): URL {
  const url = URL.parse(text ?? '')
  // fetch refuses an address with them, and a refusal looks like a store that is away
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url
  throw invalidOption('"registryUrl" must be an http or https address without user name and password')
}

function invalidOption(problem: string): SkillStoreError {
  return new SkillStoreError('INVALID_OPTION', `${opening} failed: ${problem}.`)
}

function checkHash(entry: RegistryEntry, sha256: string): void {
  if (entry.sha256 === undefined || entry.sha256.toLowerCase() === sha256) return
  throw new SkillStoreError(
    'HASH_MISMATCH',
    `Fetching the skill ${entry.slug} failed: the SHA-256 of its content does not match the registry. ` +
      'The content was changed after it was listed, or during the download. Report this to the store.',
  )
}

const weights = { slug: 4, name: 3, description: 1 } as const

/**
 * Entries that hold every word of the text in their slug, name or description, best match first: whole words count
 * double, slugs and names more than descriptions. Without words, all entries in the registry's order.
 */
function searchEntries(entries: readonly RegistryEntry[], text: string): RegistryEntry[] {
  const words = toWords(text)
  if (words.length === 0) return [...entries]
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.entry.slug < b.entry.slug ? -1 : 1))
    .map(({ entry }) => entry)
}

function scoreOf(entry: RegistryEntry, words: readonly string[]): number {
  const fields = Object.entries(weights).map(([field, weight]) => {
    const text = fold(entry[field as keyof typeof weights]) // a key of the table that is walked
    return { text, whole: new Set(toWords(text)), weight }
  })
  const scores = words.map((word) => {
    const hits = fields.map(({ text, whole, weight }) => {
      if (whole.has(word)) return weight * 2
      return text.includes(word) ? weight : 0
    })
    return Math.max(...hits)
  })
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0)
}

const fold = (text: string) => text.normalize('NFKC').toLowerCase()
const toWords = (text: string) => fold(text).match(/[\p{L}\p{N}]+/gu) ?? []

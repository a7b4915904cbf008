import {
  Slug,
  StoredModelProvider,
  type ModelProviderInput,
  type StoredModelProvider as Stored,
} from '@homeward/contract/agent-platform'
import { describeIssue } from '@homeward/contract/handler'
import { isMetadataAddress } from '@homeward/kit/node'
import { isIP } from 'node:net'
import * as z from 'zod/mini'
import { isSameOrigin } from '../host-input/is-same-origin.ts'
import { issueSentence } from '../host-input/issue-sentence.ts'
import type { Logger } from '../ports/logger.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { ConfigContent, ConfigFile } from './config-file.ts'

/** Key of the model providers in config.json. */
export const modelProvidersKey = 'model_providers'
const maxProviders = 50
/** Shorter keys are placeholders such as "none": hiding them would tear holes into ordinary text. */
const minSecretLength = 8

/** The model providers of config.json. */
interface ConfiguredProviders {
  readonly byName: ReadonlyMap<string, Stored>
  /** What is wrong with entries that cannot be used, by their names. Holds no key. */
  readonly problems: ReadonlyMap<string, string>
  /** Their API keys. The same array for as long as the file does not change. */
  readonly secrets: readonly string[]
}

/** Model providers in config.json (A21). */
export interface ModelProviderSettings {
  /** Reads them. Sees a file that was edited by hand. The same object for as long as the file does not change. */
  read(): ConfiguredProviders
  /** Providers as they were read last, without another look at the file. */
  lastRead(): ConfiguredProviders
  /** @throws {RuntimeError} `validation_error` if there would be more than 50 */
  save(name: string, input: ModelProviderInput): Promise<Stored>
  /** @returns false if there is no entry of that name */
  remove(name: string): Promise<boolean>
}

/** Opens the model providers of a config.json. An entry that cannot be used is logged once and left out. */
export function createModelProviderSettings(config: ConfigFile, logger: Logger): ModelProviderSettings {
  const reported = new Set<string>()
  let known: { readonly content: ConfigContent; readonly providers: ConfiguredProviders } | undefined

  function read(): ConfiguredProviders {
    const content = config.read()
    if (known?.content === content) return known.providers
    const providers = toProviders(content)
    for (const problem of providers.problems.values()) {
      if (reported.has(problem)) continue
      if (reported.size < 1000) reported.add(problem)
      logger.warn(problem)
    }
    known = { content, providers }
    return providers
  }

  return {
    read,
    lastRead: () => known?.providers ?? read(),
    async save(name, input) {
      assertNoMetadata(input.base_url)
      let stored: Stored = toStored(input, undefined)
      await config.change((content) => {
        const entries = entriesOf(content)
        if (!Object.hasOwn(entries, name) && Object.keys(entries).length >= maxProviders) {
          throw new RuntimeError(
            'validation_error',
            `Saving the model provider failed: the limit of ${maxProviders} providers is reached. Delete a provider that you no longer need.`,
          )
        }
        const before = Object.hasOwn(entries, name) ? entries[name] : undefined
        stored = toStored(input, before)
        return { ...content, [modelProvidersKey]: { ...entries, [name]: stored } }
      })
      return stored
    },
    async remove(name) {
      if (!Object.hasOwn(entriesOf(config.read()), name)) return false
      await config.change((content) => {
        const { [name]: _, ...entries } = entriesOf(content)
        return { ...content, [modelProvidersKey]: entries }
      })
      return true
    },
  }
}

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const noObject = `Reading config.json failed: "${modelProvidersKey}" must be an object. Correct or remove it.`

/** @throws {RuntimeError} `storage_error` if a change would overwrite content of another form */
function entriesOf(content: ConfigContent): Fields {
  const entries = content[modelProvidersKey] ?? {}
  if (!isObject(entries)) throw new RuntimeError('storage_error', noObject)
  return entries
}

/**
 * A key or a list that the input leaves out stays as it is, also if the rest of the entry cannot be used. A key stays with
 * its origin: otherwise a new address would get it.
 */
function toStored({ api, base_url, api_key, models }: ModelProviderInput, before: unknown): Stored {
  const kept = isObject(before) ? before : {}
  const isKept = isSameOrigin(base_url, kept['base_url']) || !URL.canParse(String(kept['base_url']))
  const keptKey = isKept ? kept['api_key'] : undefined
  const key = api_key === undefined ? keptKey : api_key
  const ids = models === undefined ? kept['models'] : models
  const optional = z.safeParse(optionalFields, {
    ...(key ? { api_key: key } : {}),
    ...(ids ? { models: ids } : {}),
  })
  return { api, base_url, ...optional.data }
}

function assertNoMetadata(address: string): void {
  const host = URL.parse(address)?.hostname.replace(/^\[|\]$/g, '') ?? ''
  if (isIP(host) === 0 || !isMetadataAddress(host)) return
  const text =
    'Saving the model provider failed: "base_url" points to the metadata service of a cloud. Use another address.'
  throw new RuntimeError('validation_error', text)
}

const optionalFields = z.pick(StoredModelProvider, { api_key: true, models: true })

function toProviders(content: ConfigContent): ConfiguredProviders {
  const byName = new Map<string, Stored>()
  const problems = new Map<string, string>()
  const entries = content[modelProvidersKey] ?? {}
  if (!isObject(entries)) problems.set(modelProvidersKey, noObject)
  else {
    for (const [name, entry] of Object.entries(entries)) {
      const shown = name.slice(0, 100)
      const parsed = z.safeParse(StoredModelProvider, entry, { error: describeIssue })
      const fact = !z.safeParse(Slug, name).success ? 'its name is invalid' : factOf(parsed.error)
      if (fact === undefined && parsed.data) byName.set(name, parsed.data)
      else
        problems.set(
          shown,
          `Reading the model provider "${shown}" of config.json failed: ${fact}. Correct the entry or delete it.`,
        )
    }
  }
  return { byName, problems, secrets: keysOf(isObject(entries) ? entries : {}) }
}

/** Keys of all entries: also a broken entry holds a key that must not come out. */
function keysOf(entries: Fields): readonly string[] {
  return Object.values(entries).flatMap((entry) => {
    const key = isObject(entry) ? entry['api_key'] : undefined
    return typeof key === 'string' && key.trim().length >= minSecretLength ? [key.trim()] : []
  })
}

/** What is wrong with an entry, without its values. */
function factOf(error: z.core.$ZodError | undefined): string | undefined {
  const [issue] = error?.issues ?? []
  if (!issue) return undefined
  if (issue.code === 'unrecognized_keys')
    return `unknown key ${issue.keys.map((key) => `"${key.slice(0, 100)}"`).join(', ')}`.slice(0, 300)
  return issueSentence(issue, 'the entry').slice(0, 300)
}

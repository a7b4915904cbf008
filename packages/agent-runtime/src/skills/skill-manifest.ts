import type { JsonObject } from '@homeward/contract/agent-platform'
import {
  frontmatterLine,
  parseSkillYaml,
  type SkillMarkdown,
  splitSkillMarkdown,
} from '@homeward/skill-store-client'
import * as z from 'zod/mini'
import { RuntimeError } from '../ports/runtime-error.ts'

/** What a skill says about itself in skill.yaml or SKILL.md. */
interface SkillManifest {
  /** Name of the file that it is in. */
  readonly file: string
  readonly name: string
  readonly description: string
  readonly version?: string
  readonly apiBase?: string
  readonly requiredEnv: readonly string[]
  readonly metadata: JsonObject
  /** Body of the SKILL.md. */
  readonly instructions: string
  /** Tools that stand in the manifest itself. */
  readonly tools?: unknown
}

const words = (max: number) => z.string().check(z.trim(), z.minLength(1), z.maxLength(max))

// Lenient (A15): skills published elsewhere have longer texts, other keys, and numbers where text is meant.
const Manifest = z.object({
  name: z.pipe(z.union([z.string(), z.number()]), z.pipe(z.transform(String), words(200))),
  description: z.pipe(z.union([z.string(), z.number()]), z.pipe(z.transform(String), words(20_000))),
  version: z.nullish(z.union([z.string(), z.number()])),
  api_base: z.nullish(z.string()),
  credentials: z.optional(z.unknown()),
  metadata: z.optional(z.unknown()),
  tools: z.optional(z.unknown()),
})

const environmentName = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/

/**
 * Reads a skill's manifest: the front matter of SKILL.md, else its first fenced `yaml` block; else skill.yaml (A15).
 *
 * @throws {RuntimeError} `invalid_skill`, with the file and the reason.
 */
export function readManifest(files: {
  readonly markdown: string | undefined
  readonly yaml: string | undefined
}): SkillManifest {
  const markdown: SkillMarkdown =
    files.markdown === undefined ? { manifest: undefined, body: '' } : splitSkillMarkdown(files.markdown)
  const [file, text] =
    markdown.manifest === undefined ? ['skill.yaml', files.yaml] : ['SKILL.md', markdown.manifest]
  if (text === undefined) {
    throw invalid(
      'SKILL.md',
      files.markdown === undefined ? 'the file is missing' : 'it has no YAML front matter',
    )
  }
  const line = file === 'SKILL.md' ? frontmatterLine(files.markdown ?? '') : 1
  const manifest = parseManifest(parseYaml(text, file, line), file)
  const metadata = toMetadata(manifest.metadata)
  const version = manifest.version ?? metadata['version']
  return {
    file,
    name: manifest.name,
    description: manifest.description,
    ...((typeof version === 'string' || typeof version === 'number') && { version: String(version) }),
    ...(manifest.api_base && { apiBase: manifest.api_base }),
    requiredEnv: requiredEnv(manifest.credentials, metadata['required_env'], file),
    metadata,
    instructions: markdown.body,
    ...(manifest.tools !== undefined && { tools: manifest.tools }),
  }
}

/** Reads the YAML of a skill's file. @param line Of the file, at which the text begins. @throws {RuntimeError} `invalid_skill` */
export function parseYaml(text: string, file: string, line = 1): unknown {
  try {
    return parseSkillYaml(text, file, line)
  } catch (error) {
    throw new RuntimeError(
      'invalid_skill',
      error instanceof Error
        ? error.message
        : `Reading ${file} failed: it is not valid YAML. Correct the file.`,
    )
  }
}

function parseManifest(value: unknown, file: string): z.infer<typeof Manifest> {
  const parsed = z.safeParse(Manifest, value)
  if (parsed.success) return parsed.data
  const field = String(parsed.error.issues[0]?.path[0] ?? '')
  if (field === '') throw invalid(file, 'it must be a mapping with "name" and "description"')
  const isRequired = field === 'name' || field === 'description'
  throw invalid(
    file,
    isRequired ? `"${field}" is missing, empty or too long` : `"${field}" has an invalid type`,
  )
}

/** Metadata is for people and other programs; what is no mapping says nothing to us. */
function toMetadata(value: unknown): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  return JSON.parse(JSON.stringify(value)) as JsonObject // dates become text, what JSON lacks falls away
}

function requiredEnv(credentials: unknown, named: unknown, file: string): string[] {
  const names = [...namesIn(credentials), ...namesIn(named)]
  for (const name of names) {
    if (!environmentName.test(name)) {
      throw invalid(file, `"${name.slice(0, 50)}" is not a valid name of an environment variable`)
    }
  }
  return [...new Set(names)]
}

/** A list of names, a list of `{name}` or `{env}`, a mapping with the names as keys, or one name. */
function namesIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) {
    return value.flatMap((entry: unknown) => {
      if (typeof entry !== 'object' || entry === null) return typeof entry === 'string' ? [entry] : []
      const name: unknown = Reflect.get(entry, 'env') ?? Reflect.get(entry, 'name')
      return typeof name === 'string' ? [name] : []
    })
  }
  return typeof value === 'object' && value !== null ? Object.keys(value) : []
}

function invalid(file: string, reason: string): RuntimeError {
  return new RuntimeError('invalid_skill', `Reading ${file} failed: ${reason}. Correct the skill's ${file}.`)
}

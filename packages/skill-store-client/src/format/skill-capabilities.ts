import type { SkillFile } from '../archive/unpack-zip.ts'
import { parseSkillYaml } from './parse-skill-yaml.ts'
import { frontmatterLine, splitSkillMarkdown } from './split-skill-markdown.ts'

/** Capabilities that a skill declares. Each list is sorted and has no duplicates. */
export interface SkillCapabilities {
  /** Ids of its tools. */
  readonly tools: readonly string[]
  /** Hosts with ports that its tools call. */
  readonly hosts: readonly string[]
  /** Commands that its tools run, as in tools.yaml. */
  readonly commands: readonly string[]
  /** Names of environment variables that the skill reads. */
  readonly env: readonly string[]
}

/**
 * Lists the capabilities that a skill's files declare. Check them before you enable the skill; they do not prove what
 * a script does.
 *
 * @throws {SkillStoreError} `INVALID_CONTENT` if the YAML is invalid.
 */
export function skillCapabilities(files: readonly SkillFile[]): SkillCapabilities {
  const manifest = asRecord(readManifest(files))
  const metadata = asRecord(manifest['metadata'])
  const tools = readTools(files, manifest).map(asRecord)
  return {
    tools: unique(tools.map(({ id }) => id)),
    hosts: unique([
      hostOf(manifest['api_base']),
      hostOf(manifest['base']),
      ...tools.flatMap((tool) => [hostOf(tool['path']), hostOf(tool['url']), ...asList(tool['network'])]),
    ]),
    commands: unique(tools.map(({ command }) => (Array.isArray(command) ? command.join(' ') : command))),
    env: unique([
      ...namesOf(manifest['credentials']),
      ...namesOf(metadata['required_env']),
      ...tools.flatMap((tool) => [...asList(tool['env']), asRecord(tool['auth'])['credential']]),
    ]),
  }
}

/** A tools.yaml holds `tools`, or is the list itself. Without one the manifest may have them. */
function readTools(
  files: readonly SkillFile[],
  manifest: Readonly<Record<string, unknown>>,
): readonly unknown[] {
  const text = textOf(files, 'tools.yaml')
  if (text === undefined) return asList(manifest['tools'])
  const value = parseSkillYaml(text, 'tools.yaml')
  return asList(Array.isArray(value) ? value : asRecord(value)['tools'])
}

function readManifest(files: readonly SkillFile[]): unknown {
  const markdown = textOf(files, 'SKILL.md')
  const { manifest } = markdown === undefined ? { manifest: undefined } : splitSkillMarkdown(markdown)
  if (manifest !== undefined) return parseSkillYaml(manifest, 'SKILL.md', frontmatterLine(markdown ?? ''))
  const yaml = textOf(files, 'skill.yaml')
  return yaml === undefined ? undefined : parseSkillYaml(yaml, 'skill.yaml')
}

function textOf(files: readonly SkillFile[], path: string): string | undefined {
  const found = files.find((file) => file.path === path)
  return found && new TextDecoder().decode(found.bytes)
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>) // an object's keys are strings
    : {}
}

function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return value === undefined || value === null ? [] : [value]
}

/** Credentials are written as names, as a list of `{env}` or `{name}`, or as an object with the names as keys. */
function namesOf(value: unknown): readonly unknown[] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.keys(value)
  return asList(value).map((entry) => {
    const { env, name } = asRecord(entry)
    return typeof entry === 'string' ? entry : (env ?? name)
  })
}

function hostOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  return URL.parse(value)?.host || undefined
}

function unique(values: readonly unknown[]): string[] {
  return [
    ...new Set(values.filter((value): value is string => typeof value === 'string' && value !== '')),
  ].toSorted()
}

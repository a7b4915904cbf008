import type { JsonObject } from '@homeward/contract/agent-platform'
import { isDeeperThan } from '@homeward/kit'
import type { SkillFile } from '@homeward/skill-store-client'
import { isJsonObject } from '../json/json-object.ts'
import { parseJson } from '../json/parse-json.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { parseToolDefinitions } from './definitions/parse-tool-definitions.ts'
import type { LoadedSkill } from './skill-library.ts'
import { parseYaml, readManifest } from './skill-manifest.ts'

/** Files of a skill that are read when it is loaded; everything else is read by its tools. */
export const skillFileNames = [
  'SKILL.md',
  'skill.yaml',
  'tools.yaml',
  'config.schema.json',
  'SETUP.md',
] as const
export type SkillFileName = (typeof skillFileNames)[number]
/** Largest of these files, in bytes. */
const maxFileBytes = 1024 * 1024
/** How deep a JSON Schema may nest: what walks it, or writes it as JSON, overflows its stack otherwise. */
const maxSchemaDepth = 100
/** Texts of those files that are there. */
export type SkillTexts = Readonly<Partial<Record<SkillFileName, string>>>

/**
 * Makes a skill of the texts of its files.
 *
 * @param folder Absolute path of the folder that they lie in, or will.
 * @throws {RuntimeError} `invalid_skill`, with the file and the reason.
 */
export function parseSkill(id: string, folder: string, texts: SkillTexts): LoadedSkill {
  const manifest = readManifest({ markdown: texts['SKILL.md'], yaml: texts['skill.yaml'] })
  const toolsText = texts['tools.yaml']
  const tools =
    toolsText === undefined
      ? parseToolDefinitions(isNames(manifest.tools) ? [] : manifest.tools, manifest.file)
      : parseToolDefinitions(parseYaml(toolsText, 'tools.yaml'))
  const schemaText = texts['config.schema.json']
  const setup = texts['SETUP.md']
  return {
    id,
    name: manifest.name,
    description: manifest.description,
    ...(manifest.version !== undefined && { version: manifest.version }),
    folder,
    instructions: manifest.instructions,
    metadata: manifest.metadata,
    ...(manifest.apiBase !== undefined && { apiBase: manifest.apiBase }),
    requiredEnv: manifest.requiredEnv,
    tools,
    ...(schemaText !== undefined && { configSchema: parseConfigSchema(schemaText) }),
    ...(setup !== undefined && { setup }),
  }
}

/**
 * The texts that {@link parseSkill} takes, of the files of a skill.
 *
 * @throws {RuntimeError} `invalid_skill` for one that is too large, or that some systems take for another one.
 */
export function readTextsOf(files: readonly SkillFile[]): SkillTexts {
  const texts: Partial<Record<SkillFileName, string>> = {}
  for (const { path, bytes } of files) {
    const name = skillFileNames.find((known) => isSameName(path, known))
    if (name === undefined) continue
    if (name !== path) {
      throw new RuntimeError(
        'invalid_skill',
        `Reading ${JSON.stringify(path)} failed: it collides with ${name} on case-insensitive file systems. Rename the file.`,
      )
    }
    checkSize(name, bytes.length)
    texts[name] = decodeText(bytes)
  }
  return texts
}

/** @throws {RuntimeError} `invalid_skill` for a file that is too large to be read. */
export function checkSize(name: SkillFileName, size: number): void {
  if (size <= maxFileBytes) return
  throw new RuntimeError(
    'invalid_skill',
    `Reading ${name} failed: the file must have at most ${maxFileBytes} bytes. Shorten the file.`,
  )
}

/** The text of a skill's file, without its byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

/** Whether some file system finds the one by the name of the other. */
function isSameName(path: string, known: SkillFileName): boolean {
  return path.normalize('NFKC').toLowerCase() === known.toLowerCase()
}

/** Names of tools of another program, as its own agent files have them: `Read, Grep`, or a list of them. */
const isNames = (tools: unknown): boolean =>
  [tools].flat().length > 0 && [tools].flat().every((tool) => typeof tool === 'string')

function parseConfigSchema(text: string): JsonObject {
  const schema = parseJson(text)
  if (isDeeperThan(schema, maxSchemaDepth)) {
    throw new RuntimeError(
      'invalid_skill',
      `Reading config.schema.json failed: it must be nested at most ${maxSchemaDepth} levels deep. Correct the skill's config.schema.json.`,
    )
  }
  if (isJsonObject(schema)) return schema
  throw new RuntimeError(
    'invalid_skill',
    "Reading config.schema.json failed: it is not a JSON Schema object. Correct the skill's config.schema.json.",
  )
}

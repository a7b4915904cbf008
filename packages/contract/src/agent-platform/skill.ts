import * as z from 'zod/mini'
import { JsonObject } from '../json-value.ts'
import { Slug } from './values.ts'

/** An installed skill that can be used. */
export const Skill = z.object({
  id: Slug,
  name: z.string(),
  description: z.string(),
  version: z.optional(z.string()),
  /** Ids of the usable tools. */
  tools: z.array(z.string()),
  /** Disabled tools with the reason. */
  disabled_tools: z.optional(z.array(z.object({ id: z.string(), reason: z.string() }))),
  /** Usable tools whose JSON Schema has rules that cannot be checked, with these rules. */
  unchecked_tools: z.optional(z.array(z.object({ id: z.string(), reason: z.string() }))),
  required_env: z.array(z.string()),
  missing_env: z.array(z.string()),
  configured: z.boolean(),
})
export type Skill = z.infer<typeof Skill>

/** A skill folder that cannot be used, with the reason. */
export const BrokenSkill = z.object({ id: z.string(), error: z.string() })
export type BrokenSkill = z.infer<typeof BrokenSkill>

/** Capabilities that a skill's files declare. The declaration does not prove what a script does. */
export const SkillCapabilities = z.object({
  /** Ids of its tools. */
  tools: z.array(z.string()),
  /** Hosts with ports that its tools call. */
  hosts: z.array(z.string()),
  /** Commands that its tools run, as in tools.yaml. */
  commands: z.array(z.string()),
  /** Names of environment variables that the skill reads. */
  env: z.array(z.string()),
})
export type SkillCapabilities = z.infer<typeof SkillCapabilities>

/** A skill with its instructions and capabilities. */
export const SkillDetails = z.object({
  ...Skill.shape,
  /** Declared capabilities. `hosts` also contains {@link base_host}. */
  capabilities: SkillCapabilities,
  /**
   * Host and port of the tools' base address, from the configuration, the skill or the platform, in this order. Null
   * if none is set; absent if no tool needs one.
   */
  base_host: z.optional(z.nullable(z.string())),
  /** Requests that its HTTP tools send. `path` has the places of arguments, such as `/forecast/{city}`. */
  requests: z.optional(z.array(z.object({ tool: z.string(), method: z.string(), path: z.string() }))),
  instructions: z.string(),
  metadata: JsonObject,
  has_config: z.boolean(),
  has_setup: z.boolean(),
})
export type SkillDetails = z.infer<typeof SkillDetails>

/** Result of an installation. `hash`: SHA-256 over the files, in hexadecimal. */
export const InstalledSkill = z.object({
  id: Slug,
  version: z.optional(z.string()),
  hash: z.string(),
})
export type InstalledSkill = z.infer<typeof InstalledSkill>

/** A warning about a skill, for a person to check before use. */
export const SkillWarning = z.object({
  /**
   * `invisible_characters`, `hidden_markup`: a file contains text for a model that people do not see.
   * `look_alike_name`: the name is easily confused with another one. `mixed_scripts`: the name mixes letters that
   * look the same.
   */
  code: z.enum(['invisible_characters', 'hidden_markup', 'look_alike_name', 'mixed_scripts']),
  message: z.string(),
  /** Path of the affected file. */
  file: z.optional(z.string()),
})
export type SkillWarning = z.infer<typeof SkillWarning>

/** A preview of a skill compared with the installed one. Nothing was written or run. */
export const SkillPreview = z.object({
  /** Id that the skill would get. */
  id: Slug,
  name: z.string(),
  description: z.string(),
  version: z.optional(z.string()),
  /** SHA-256 over its files, in hexadecimal. */
  hash: z.string(),
  /** The installed skill that would be replaced. Absent if no skill with this id is installed. */
  installed: z.optional(z.object({ version: z.optional(z.string()), hash: z.string() })),
  capabilities: SkillCapabilities,
  /** Capabilities that the installed skill does not have. */
  added: SkillCapabilities,
  /** Capabilities that only the installed skill has. */
  removed: SkillCapabilities,
  /** Paths of new or changed files. */
  changed_files: z.array(z.string()),
  /** Signs of hidden or misleading content. An empty list does not mean that the skill is safe. */
  warnings: z.array(SkillWarning),
})
export type SkillPreview = z.infer<typeof SkillPreview>

/** A preview of a skill in the store. Pass its `hash` to `install`, so that only the previewed content is installed. */
export const StoreSkillPreview = z.object({ slug: Slug, ...SkillPreview.shape })
export type StoreSkillPreview = z.infer<typeof StoreSkillPreview>

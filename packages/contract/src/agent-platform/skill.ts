import * as z from 'zod/mini'
import { JsonObject } from '../json-value.ts'
import { Slug } from './values.ts'

/** A skill that is installed and can be used. */
export const Skill = z.object({
  id: Slug,
  name: z.string(),
  description: z.string(),
  version: z.optional(z.string()),
  /** Ids of the tools that can be used. */
  tools: z.array(z.string()),
  /** Disabled tools, with the reason. */
  disabled_tools: z.optional(z.array(z.object({ id: z.string(), reason: z.string() }))),
  /** Tools that work, but whose JSON Schema has rules that cannot be checked, with these rules. */
  unchecked_tools: z.optional(z.array(z.object({ id: z.string(), reason: z.string() }))),
  required_env: z.array(z.string()),
  missing_env: z.array(z.string()),
  configured: z.boolean(),
})
export type Skill = z.infer<typeof Skill>

/** A skill folder that cannot be used, and why. */
export const BrokenSkill = z.object({ id: z.string(), error: z.string() })
export type BrokenSkill = z.infer<typeof BrokenSkill>

/** What a skill asks for, by its own files. It proves nothing about what a script does. */
export const SkillCapabilities = z.object({
  /** Ids of its tools. */
  tools: z.array(z.string()),
  /** Hosts that its tools talk to, with their port. */
  hosts: z.array(z.string()),
  /** Commands that its tools run, as they stand in tools.yaml. */
  commands: z.array(z.string()),
  /** Names of environment variables that it reads. */
  env: z.array(z.string()),
})
export type SkillCapabilities = z.infer<typeof SkillCapabilities>

/** A skill with what people read about it. */
export const SkillDetails = z.object({
  ...Skill.shape,
  /** `hosts` has {@link base_host} too. */
  capabilities: SkillCapabilities,
  /**
   * Host and port of the base address of its tools, from the config, the skill or the platform, in this order. Null if there
   * is none, absent if no tool needs one.
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

/** What an installation put there. `hash`: SHA-256 over the files, in hexadecimal. */
export const InstalledSkill = z.object({
  id: Slug,
  version: z.optional(z.string()),
  hash: z.string(),
})
export type InstalledSkill = z.infer<typeof InstalledSkill>

/** Something about a skill that a person should look at before it is used. */
export const SkillWarning = z.object({
  /**
   * `invisible_characters`, `hidden_markup`: the file says something to a model that is not shown to people.
   * `look_alike_name`: its name is easily taken for another one's. `mixed_scripts`: it mixes letters that look the same.
   */
  code: z.enum(['invisible_characters', 'hidden_markup', 'look_alike_name', 'mixed_scripts']),
  message: z.string(),
  /** Path of the file that it is about. */
  file: z.optional(z.string()),
})
export type SkillWarning = z.infer<typeof SkillWarning>

/** A skill that could be installed, beside the one that is; nothing of it was written or run. */
export const SkillPreview = z.object({
  /** Under which it would be installed. */
  id: Slug,
  name: z.string(),
  description: z.string(),
  version: z.optional(z.string()),
  /** SHA-256 over its files, in hexadecimal. */
  hash: z.string(),
  /** What it would replace; absent when no skill of this id is installed. */
  installed: z.optional(z.object({ version: z.optional(z.string()), hash: z.string() })),
  capabilities: SkillCapabilities,
  /** What it asks for and the installed one does not. */
  added: SkillCapabilities,
  /** What the installed one asks for and it does not. */
  removed: SkillCapabilities,
  /** Paths of files whose content is new or other. */
  changed_files: z.array(z.string()),
  /** What hides from whoever reads it. None says nothing about what it does. */
  warnings: z.array(SkillWarning),
})
export type SkillPreview = z.infer<typeof SkillPreview>

/** A skill as the store has it now. `hash`, given to `install`: nothing else is installed than what was looked at. */
export const StoreSkillPreview = z.object({ slug: Slug, ...SkillPreview.shape })
export type StoreSkillPreview = z.infer<typeof StoreSkillPreview>

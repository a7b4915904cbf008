import * as z from 'zod/mini'
import { JsonObject, Slug } from './values.ts'

/** A skill that is installed and can be used (A15). */
export const Skill = z.object({
  id: Slug,
  name: z.string(),
  description: z.string(),
  version: z.optional(z.string()),
  /** Ids of its tools that can be used. */
  tools: z.array(z.string()),
  /** Tools that are off, and why. */
  disabled_tools: z.optional(z.array(z.object({ id: z.string(), reason: z.string() }))),
  required_env: z.array(z.string()),
  missing_env: z.array(z.string()),
  configured: z.boolean(),
})
export type Skill = z.infer<typeof Skill>

/** A skill folder that cannot be used, and why (A15). */
export const BrokenSkill = z.object({ id: z.string(), error: z.string() })
export type BrokenSkill = z.infer<typeof BrokenSkill>

/** A skill with what people read about it. */
export const SkillDetails = z.object({
  ...Skill.shape,
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

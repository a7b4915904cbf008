import * as z from 'zod/mini'
import { AgentPatch } from './agent.ts'

/** A requirement of an agent template, such as a key or a device. */
export const TemplateNeed = z.object({
  kind: z.enum(['model', 'skill', 'setting', 'device']),
  /** Id of the skill, or key of the setting. Absent for a model and a device. */
  name: z.optional(z.string()),
  /** Purpose in one sentence. */
  reason: z.string(),
})
export type TemplateNeed = z.infer<typeof TemplateNeed>

/** A template for a new agent: add a `model`, adjust the fields, and create the agent. */
export const AgentTemplate = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** Fields for `POST /api/agents` without `model`. */
  agent: AgentPatch,
  needs: z.array(TemplateNeed),
})
export type AgentTemplate = z.infer<typeof AgentTemplate>

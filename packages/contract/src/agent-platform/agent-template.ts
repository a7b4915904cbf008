import * as z from 'zod/mini'
import { AgentPatch } from './agent.ts'

/** Something that an agent of a template needs before it can do its work. */
export const TemplateNeed = z.object({
  kind: z.enum(['model', 'skill', 'setting', 'device']),
  /** Id of the skill, or key of the setting. Absent for a model and a device. */
  name: z.optional(z.string()),
  /** What it is for, in one sentence. */
  reason: z.string(),
})
export type TemplateNeed = z.infer<typeof TemplateNeed>

/** An agent to begin with: add a `model`, change what you like, and create it. */
export const AgentTemplate = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** Fields for `POST /api/agents`, all but `model`. */
  agent: AgentPatch,
  needs: z.array(TemplateNeed),
})
export type AgentTemplate = z.infer<typeof AgentTemplate>

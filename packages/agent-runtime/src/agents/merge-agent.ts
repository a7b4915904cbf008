import type { Agent, AgentInput, AgentPatch } from '@homeward/contract/agent-platform'

/** The fields of an agent after a change: absent ones stay, also within objects whose parts are changed one by one. */
export function mergeAgent(before: Agent, patch: AgentPatch): AgentInput {
  const { model = before.model, ...fields } = patch
  const limits = patch.limits && { ...before.limits, ...patch.limits }
  const model_settings = patch.model_settings && { ...before.model_settings, ...patch.model_settings }
  const context = patch.context && { ...before.context, ...patch.context }
  const parts = {
    ...(limits && { limits }),
    ...(model_settings && { model_settings }),
    ...(context && { context }),
  }
  return { ...before, ...withoutUndefined(fields), ...parts, model }
}

function withoutUndefined<T extends object>(fields: T): T {
  // only keys without a value are gone
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}

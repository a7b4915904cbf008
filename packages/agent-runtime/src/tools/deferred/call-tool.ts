import { callToolId, searchToolId } from '../../ports/built-in-tool-ids.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { Tool } from '../../ports/tool.ts'

/**
 * The form in which a model calls a deferred tool. The run turns such a call into one of the tool that it names, before anything
 * else sees it (D35): only a call that names no other tool is ever made.
 */
export const createCallTool = (): Tool => ({
  id: callToolId,
  description: `Calls a tool that ${searchToolId} has found. The arguments must match the parameters of that tool.`,
  parameters: {
    type: 'object',
    properties: {
      tool: { type: 'string', minLength: 1, description: `Name of the tool, as ${searchToolId} gave it.` },
      arguments: { type: 'object', description: 'Arguments of the tool.' },
    },
    required: ['tool', 'arguments'],
    additionalProperties: false,
  },
  effects: 'read',
  repeat: 'safe',
  untrusted: false,
  async call() {
    const text = `Calling a tool failed: "tool" must name a tool other than ${callToolId}. Find one with ${searchToolId}.`
    throw new RuntimeError('validation_error', text)
  },
})

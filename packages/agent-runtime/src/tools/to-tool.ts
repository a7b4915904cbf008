import type { Tool } from '../ports/tool.ts'
import type { LoadedSkill } from '../skills/skill-library.ts'
import type { ToolDefinition } from '../skills/definitions/tool-definition.ts'
import { createExecTool } from './exec/exec-tool.ts'
import { createHttpTool } from './http/http-tool.ts'
import type { SkillToolContext } from './skill-tool-context.ts'

/** Makes a tool of a skill's definition: what the model calls by its id. */
export function toTool(definition: ToolDefinition, skill: LoadedSkill, context: SkillToolContext): Tool {
  return definition.type === 'http'
    ? createHttpTool(definition, skill, context)
    : createExecTool(definition, skill, context)
}

/** Why a tool is off; undefined for one that can be used. */
export function whyOff(
  definition: ToolDefinition,
  { base, sandbox, sandboxMode }: Pick<SkillToolContext, 'base' | 'sandbox' | 'sandboxMode'>,
): string | undefined {
  if (definition.type === 'exec' && sandboxMode === 'require' && sandbox.sandbox === undefined) {
    return `the operator requires a sandbox, but no sandbox is available: ${sandbox.reason}`
  }
  return 'off' in base && needsBase(definition) ? base.off : undefined
}

/** Whether a tool goes to its skill's base address (A17): HTTP tools do, and programs that are told it. */
export function needsBase(definition: ToolDefinition): boolean {
  if (definition.type === 'http') return true
  return definition.args.some((arg) => /\{\{\s*base\s*\}\}/.test(arg)) && !hasParameter(definition, 'base')
}

function hasParameter({ parameters }: ToolDefinition, name: string): boolean {
  const { properties } = parameters
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, name)
}

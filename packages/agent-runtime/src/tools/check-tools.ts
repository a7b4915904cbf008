import { reservedToolIds } from '../ports/built-in-tool-ids.ts'
import { toolEffects, type Tool } from '../ports/tool.ts'
import { RuntimeError } from '../ports/runtime-error.ts'

/**
 * Checks tools of the host: what a model is offered and what approvals go by. `effects` and `returnsUntrustedContent` have no
 * default, because a word that is misspelt or left out would let a call pass that needs a person's approval (A20).
 *
 * @param attempt What the error begins with, such as `Creating the runtime`.
 * @param path Where the list stands, such as `tools`.
 * @throws {RuntimeError} `validation_error` that names what is wrong.
 */
export function checkTools(attempt: string, path: string, tools: readonly Partial<Tool>[]): void {
  const problem = toolsProblem(path, tools)
  if (problem !== undefined) throw new RuntimeError('validation_error', `${attempt} failed: ${problem}.`)
}

/** What is wrong with a list of tools, as a sentence; undefined if nothing is. */
export function toolsProblem(path: string, tools: unknown): string | undefined {
  if (!Array.isArray(tools)) return `"${path}" must be a list`
  for (const [place, tool] of tools.entries()) {
    const problem = toolProblem(tool as Partial<Tool> | undefined)
    if (problem !== undefined) return `"${path}[${place}]${problem}`
  }
  return undefined
}

/**
 * What is wrong with the ids of an app's own tools; undefined if nothing is. Of two tools with one id a run would have only the
 * first, and a built-in tool always is.
 */
export function toolIdProblem(tools: readonly (Partial<Tool> | undefined)[]): string | undefined {
  const seen = new Set<string>()
  for (const { id } of tools.filter((tool) => tool !== undefined)) {
    if (id === undefined) continue
    if (reservedToolIds.has(id)) return `"${id}" is the id of a built-in tool. Give your tool another id`
    if (seen.has(id)) return `two tools have the id "${id}". Rename one of them`
    seen.add(id)
  }
  return undefined
}

/** What is wrong with a tool, beginning with the field, such as `.id`; undefined if nothing is. */
export function toolProblem(tool: Partial<Tool> | undefined): string | undefined {
  const { id, description, inputSchema, effects, idempotent, returnsUntrustedContent }: Partial<Tool> =
    tool ?? {}
  const { execute, settlesOnAbort }: Partial<Tool> = tool ?? {}
  if (typeof id !== 'string' || id === '') return '.id" must be a string'
  if (typeof description !== 'string') return '.description" must be a string'
  if (typeof inputSchema !== 'object' || inputSchema === null || Array.isArray(inputSchema))
    return '.inputSchema" must be a JSON Schema object'
  if (isStandardSchema(inputSchema))
    return '.inputSchema" must be a JSON Schema object. For a schema of a library, use defineTool({ inputSchema: schema, … })'
  if (!toolEffects.some((known) => known === effects))
    return `.effects" must be one of ${toolEffects.join(', ')}`
  if (idempotent !== undefined && typeof idempotent !== 'boolean') return '.idempotent" must be true or false'
  if (typeof returnsUntrustedContent !== 'boolean' && typeof returnsUntrustedContent !== 'function')
    return '.returnsUntrustedContent" must be true, false or a function'
  if (settlesOnAbort !== undefined && typeof settlesOnAbort !== 'boolean')
    return '.settlesOnAbort" must be true or false'
  for (const name of ['needsApproval', 'validate', 'verify', 'undo'] as const)
    if (!['function', 'undefined'].includes(typeof tool?.[name])) return `.${name}" must be a function`
  return typeof execute === 'function' ? undefined : '.execute" must be a function'
}

/**
 * A schema of zod and the like: read as JSON Schema it would let any arguments pass. The JSON Schema that zod makes of one
 * has the property too, where nobody sees it who writes it down.
 */
function isStandardSchema(parameters: Tool['inputSchema']): boolean {
  const own = Object.getOwnPropertyDescriptor(parameters, '~standard')
  return own ? own.enumerable === true : '~standard' in parameters
}

import { toolEffects, type Tool } from '../ports/tool.ts'
import { RuntimeError } from '../ports/runtime-error.ts'

const toolRepeats: readonly Tool['repeat'][] = ['safe', 'once']

/**
 * Checks tools of the host: what a model is offered and what approvals go by. Nothing of it has a default, for a word that
 * is misspelt or left out would let a call pass that has to be asked for (A20), or be made twice (A8).
 *
 * @param attempt What the error begins with, such as `Creating the runtime`.
 * @param path Where the list stands, such as `tools`.
 * @throws {RuntimeError} `validation_error` that names what is wrong.
 */
export function checkTools(attempt: string, path: string, tools: readonly Partial<Tool>[]): void {
  const refuse = (problem: string) =>
    new RuntimeError('validation_error', `${attempt} failed: ${path}${problem}.`)
  const isList: boolean = Array.isArray(tools)
  if (!isList) throw refuse(' must be a list')
  for (const [place, tool] of tools.entries()) {
    const problem = problemOf(tool)
    if (problem !== undefined) throw refuse(`[${place}]${problem}`)
  }
}

function problemOf(tool: Partial<Tool> | undefined): string | undefined {
  const { id, description, parameters, call, effects, repeat, untrusted, settlesOnAbort }: Partial<Tool> =
    tool ?? {}
  if (typeof id !== 'string' || id === '') return '.id must be a text'
  if (typeof description !== 'string') return '.description must be a text'
  if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters))
    return '.parameters must be a JSON Schema: an object'
  if (isStandardSchema(parameters))
    return ".parameters must be a JSON Schema, not a schema of a library: write z.toJSONSchema(schema, { io: 'input' })"
  if (!toolEffects.some((known) => known === effects))
    return `.effects must be one of ${toolEffects.join(', ')}`
  if (!toolRepeats.some((known) => known === repeat))
    return `.repeat must be one of ${toolRepeats.join(', ')}`
  if (typeof untrusted !== 'boolean') return '.untrusted must be true or false'
  if (settlesOnAbort !== undefined && typeof settlesOnAbort !== 'boolean')
    return '.settlesOnAbort must be true or false'
  return typeof call === 'function' ? undefined : '.call must be a function'
}

/**
 * A schema of zod and the like: read as JSON Schema it would let any arguments pass. The JSON Schema that zod makes of one
 * has the property too, where nobody sees it who writes it down.
 */
function isStandardSchema(parameters: Tool['parameters']): boolean {
  const own = Object.getOwnPropertyDescriptor(parameters, '~standard')
  return own ? own.enumerable === true : '~standard' in parameters
}

import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import type { Logger } from '../../ports/logger.ts'
import type { AgentToolset } from '../../tools/agent-tools.ts'
import type { Tool } from '../../ports/tool.ts'
import type { WireName } from './to-prompt.ts'

/** Tools of one run, as it and its model know them. */
export interface RunTools {
  readonly byId: ReadonlyMap<string, Tool>
  /** Those in the prompt, as the model gets them, under names that providers accept. */
  readonly offered: LanguageModelV4FunctionTool[]
  /** Name that the model knows a tool by. */
  readonly wireName: WireName
  /** Id of the tool that a model calls by this name; the name itself when there is none. */
  readonly idOf: (name: string) => string
}

/** Of a run that is not prepared yet. */
export const noTools: RunTools = { byId: new Map(), offered: [], wireName: (id) => id, idOf: (name) => name }

/** Lengths and letters that every provider accepts in a tool's name. */
const maxNameLength = 64
const notAllowed = /[^A-Za-z0-9_-]/g

/**
 * Names the tools of a run for its model. Ids are kept as they are where providers accept them; others are written
 * with `_`, and numbered when that makes two the same. Of two tools with one id the first stays.
 *
 * @param reserved names that other tools of the model have
 */
export function toRunTools(
  { tools, deferred }: Pick<AgentToolset, 'tools' | 'deferred'>,
  logger: Logger,
  reserved: readonly string[] = [],
): RunTools {
  const byId = new Map<string, Tool>()
  const idByName = new Map(reserved.map((name) => [name, name]))
  // of those that have another name than their id
  const nameById = new Map<string, string>()
  const offered: LanguageModelV4FunctionTool[] = []
  for (const tool of tools) {
    if (byId.has(tool.id)) {
      logger.warn('Two tools of a run have the same id. The second one is disabled.', { tool: tool.id })
      continue
    }
    const name = freeName(tool.id.replace(notAllowed, '_').slice(0, maxNameLength), idByName)
    byId.set(tool.id, tool)
    idByName.set(name, tool.id)
    if (name !== tool.id) nameById.set(tool.id, name)
    if (!deferred?.has(tool.id)) offered.push(toOffered(name, tool))
  }
  return {
    byId,
    offered,
    wireName: (id) =>
      nameById.get(id) ?? (byId.has(id) ? id : id.replace(notAllowed, '_').slice(0, maxNameLength) || '_'),
    idOf: (name) => idByName.get(name) ?? name,
  }
}

function freeName(wanted: string, taken: ReadonlyMap<string, string>): string {
  for (let number = 2, name = wanted; ; number += 1) {
    if (!taken.has(name)) return name
    const suffix = `_${number}`
    name = wanted.slice(0, maxNameLength - suffix.length) + suffix
  }
}

const toOffered = (name: string, { description, parameters }: Tool): LanguageModelV4FunctionTool => ({
  type: 'function',
  name,
  description,
  inputSchema: parameters,
})

import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { isLongInteger, parseExactJson } from '@homeward/kit'
import { reservedToolIds } from '../ports/built-in-tool-ids.ts'

type OfferedTool = NonNullable<LanguageModelV4CallOptions['tools']>[number]
type FunctionTool = Extract<OfferedTool, { type: 'function' }>
type Arguments = Record<string, unknown>

/** A tool call that a task asks for. */
interface PlannedCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/**
 * Chooses the tool that fits a task, without understanding it: by the words that the task shares with the tool's name
 * and description.
 *
 * @returns undefined if no tool fits: the task shares no word with any of them and brings no arguments as JSON. A built-in
 *   tool fits only if the task names it.
 */
export function planToolCall(task: string, offered: readonly OfferedTool[]): PlannedCall | undefined {
  const tools = offered.filter((tool): tool is FunctionTool => tool.type === 'function')
  const given = findObject(task)
  const named = typeof given?.tool === 'string' ? tools.find(({ name }) => name === given.tool) : undefined
  if (named) return { name: named.name, args: isObject(given?.args) ? given.args : {} }
  const tool = bestTool(task, tools, given === undefined ? 1 : 0)
  if (tool === undefined) return undefined
  const lister = given === undefined ? listerOf(tool, tools) : undefined
  if (lister && !hasId(task)) return { name: lister.name, args: {} }
  return { name: tool.name, args: given ?? toArguments(task, toSchema(tool.inputSchema)) }
}

/**
 * Chooses the call that continues a task with the ids of a result: the tool for which the first one listed, or the one that reads
 * the results (`devices_list`, `devices_search`, `devices_search_results`).
 *
 * @param done name of the tool with the result
 * @param result the result as JSON
 * @returns undefined if the task is done
 */
export function planNextCall(
  task: string,
  offered: readonly OfferedTool[],
  done: string,
  result: string,
): PlannedCall | undefined {
  const tools = offered.filter((tool): tool is FunctionTool => tool.type === 'function')
  const ids = [...result.matchAll(/\\?"id\\?":\s*\\?"([^"\\]+)/g)].map(([, id = '']) => id).slice(0, 20)
  if (ids.length === 0 || findObject(task)) return undefined
  const wanted = bestTool(task, tools, 1)
  const isListed = wanted !== undefined && listerOf(wanted, tools)?.name === done
  const next = isListed ? wanted : tools.find(({ name }) => name === `${done}_results`)
  return next && { name: next.name, args: withIds(task, toSchema(next.inputSchema), ids) }
}

/** The tool that lists what a tool needs the ids of: it has the same first word, and requires nothing. */
function listerOf(tool: FunctionTool, tools: readonly FunctionTool[]): FunctionTool | undefined {
  if (!requiredOf(toSchema(tool.inputSchema)).some(isIdName)) return undefined
  const name = `${tool.name.split('_')[0]}_list`
  return tools.find((each) => each.name === name && requiredOf(toSchema(each.inputSchema)).length === 0)
}

const isIdName = (name: string) => /(?:Id|_id)s?$/.test(name)

const hasId = (task: string) => /[0-9a-f]{8}-[0-9a-f]{4}-/.test(task)

function withIds(task: string, schema: Arguments, ids: readonly string[]): Arguments {
  const filled = fillRequired(task, schema)
  for (const name of Object.keys(filled).filter(isIdName))
    filled[name] = Array.isArray(filled[name]) ? ids : ids[0]
  return filled
}

const requiredOf = ({ required }: Arguments): string[] =>
  Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []

function bestTool(
  task: string,
  tools: readonly FunctionTool[],
  leastScore: number,
): FunctionTool | undefined {
  const words = wordsOf(task)
  let best: { readonly tool: FunctionTool; readonly score: number } | undefined
  for (const tool of tools) {
    const isNamed = task.includes(tool.name)
    // only when the task names it, so that a skill's tool goes first
    if (reservedToolIds.has(tool.name) && !isNamed) continue
    const shared = [...wordsOf(`${tool.name} ${tool.description ?? ''}`)].filter((word) => words.has(word))
    const score = (isNamed ? 1000 : 0) + shared.length
    if (score >= leastScore && (!best || score > best.score)) best = { tool, score }
  }
  return best?.tool
}

/** Words that say nothing about what a task is about. */
const filler = new Set(
  'about does each from have into please some tell than that them then there they this tool what when where which will with your'.split(
    ' ',
  ),
)

function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []
  return new Set(words.filter((word) => !filler.has(word)).map((word) => word.replace(/s$/, '')))
}

/** The first JSON object in a text. */
function findObject(text: string): Arguments | undefined {
  const start = text.indexOf('{')
  for (let end = text.lastIndexOf('}'); start >= 0 && end > start; end = text.lastIndexOf('}', end - 1)) {
    try {
      const value = parseExactJson(text.slice(start, end + 1))
      return isObject(value) ? value : undefined
    } catch {
      // the next shorter piece may be an object; a task has few braces, and a hostile one only slows its own trial
      if (text.length > 10_000) return undefined
    }
  }
  return undefined
}

const isObject = (value: unknown): value is Arguments =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a tool requires; of one that requires nothing the first text it takes, where the task marks one. */
function toArguments(task: string, schema: Arguments): Arguments {
  const filled = fillRequired(task, schema)
  const marked = markedText(task)
  if (marked === undefined || Object.keys(filled).length > 0) return filled
  const first = Object.entries(toSchema(schema.properties)).find(([, property]) =>
    isAnyText(toSchema(property)),
  )
  return first ? { [first[0]]: marked.trim() } : filled
}

const isAnyText = ({ type, enum: values, const: value, format }: Arguments) =>
  type === 'string' && values === undefined && value === undefined && format === undefined

function fillRequired(task: string, schema: Arguments): Arguments {
  const filled: Arguments = {}
  for (const name of requiredOf(schema))
    filled[name] = fill(task, toSchema(toSchema(schema.properties)[name]))
  return filled
}

const toSchema = (value: unknown): Arguments => (isObject(value) ? value : {})

function fill(task: string, schema: Arguments): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (Array.isArray(schema.enum)) return chooseFrom(task, schema.enum)
  const type: unknown = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'number' || type === 'integer') return fillNumber(task, type)
  if (type === 'boolean') return true
  if (type === 'array') return [fill(task, toSchema(schema.items))]
  if (type === 'object') return fillRequired(task, schema)
  return fillText(task)
}

const chooseFrom = (task: string, values: readonly unknown[]) =>
  values.find((value) => task.includes(String(value))) ?? values[0]

function fillNumber(task: string, type: 'number' | 'integer'): number | string {
  const text = task.match(/-?\d+(?:\.\d+)?/)?.[0] ?? '1'
  if (isLongInteger(text)) return text
  const found = Number(text)
  return type === 'integer' ? Math.trunc(found) : found
}

/** What the task marks as a text, or what stands behind a preposition near its end, else all of it. */
function fillText(task: string): string {
  const behind = task.match(/\b(?:for|of|about|in|named|called)\b\s+([^:?!\n]+?)[?.!\s]*$/i)?.[1]
  return (markedText(task) ?? behind ?? task).trim()
}

/** What the task puts in quotes or behind a colon at its end. */
function markedText(task: string): string | undefined {
  const quoted = task.match(/(?:^|\s)["'“‘`]([^"'”’`]+)["'”’`]/)?.[1]
  return quoted ?? task.match(/:\s+([^:?!\n]+?)[?.!\s]*$/)?.[1]
}

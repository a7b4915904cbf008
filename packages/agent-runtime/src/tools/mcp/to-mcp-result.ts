import { isDeepStrictEqual } from 'node:util'
import type { Json } from '@homeward/contract/agent-platform'
import { isJsonObject } from '../../json/json-object.ts'
import { parseJson } from '../../json/parse-json.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { ToolContent, ToolContentPart, ToolFilePart } from '../../ports/tool-content.ts'
import { boundContent, boundResult } from '../bound-result.ts'
import type { McpBlock, McpToolAnswer } from './read-answers.ts'

const maxErrorCharacters = 4000

/**
 * Gives a model what an MCP tool answered. A tool may say the same twice, as text and as data, or different things: text
 * that only repeats the data is left out. Pictures, sound and binary resources are files.
 *
 * @throws {RuntimeError} `run_error` if the tool says that it failed, with its text and its data.
 */
export function toMcpResult(id: string, answer: McpToolAnswer, maxBytes: number): Json | ToolContent {
  const { content, structuredContent: data, isError } = answer
  const text = content
    .map(toText)
    .filter((part) => data === undefined || !repeats(part, data))
    .join('\n')
  if (isError) {
    const facts = [text, ...(isEmpty(data) ? [] : [JSON.stringify(data)])].filter(
      (fact) => fact.trim() !== '',
    )
    const reason = facts.join('\n').slice(0, maxErrorCharacters)
    throw new RuntimeError('run_error', `The tool "${id}" failed: ${reason || 'the server sent no reason'}`)
  }
  const parts = content.flatMap((block): ToolContentPart[] => {
    const file = toFile(block)
    if (file) return [file]
    const said = toText(block)
    return data !== undefined && repeats(said, data) ? [] : [{ type: 'text', text: said }]
  })
  if (parts.some(({ type }) => type === 'file')) {
    return boundContent({ ...(!isEmpty(data) && { data }), content: parts }, maxBytes)
  }
  if (data === undefined || (isEmpty(data) && text.trim() !== '')) return boundResult(text, maxBytes)
  return boundResult(text.trim() === '' ? data : { text, data }, maxBytes)
}

/** Whether data says nothing. */
const isEmpty = (data: Json | undefined): boolean =>
  data === undefined || (typeof data === 'object' && data !== null && Object.keys(data).length === 0)

/** Whether a text only says again what is in the data. Servers wrap what is not an object into \`result\`. */
function repeats(text: string, data: Json): boolean {
  const said = parseJson(text) ?? text
  if (isDeepStrictEqual(said, data)) return true
  if (!isJsonObject(data) || Object.keys(data).length !== 1) return false
  const { result } = data
  if (result === undefined) return false
  return [result, ...(Array.isArray(result) ? result : [])].some(
    (value) => value === text || isDeepStrictEqual(said, value),
  )
}

/** The file that a block holds; undefined for any other block. */
function toFile(block: McpBlock | undefined): ToolFilePart | undefined {
  if (block?.type === 'image' || block?.type === 'audio')
    return { type: 'file', media_type: block.mimeType, data: block.data }
  if (block?.type !== 'resource' || !('blob' in block.resource)) return undefined
  const { uri, mimeType = 'application/octet-stream', blob } = block.resource
  const name = uri.split(/[?#]/, 1)[0]?.split('/').at(-1)
  return { type: 'file', media_type: mimeType, data: blob, ...(name && { name }) }
}

function toText(block: McpBlock | undefined): string {
  if (block === undefined) return '[content of an unknown kind]'
  switch (block.type) {
    case 'text':
      return block.text
    case 'resource':
      return 'text' in block.resource ? block.resource.text : `[binary resource ${block.resource.uri}]`
    case 'resource_link':
      return `[resource ${block.uri}]`
    case 'image':
    case 'audio':
    default:
      return `[${block.type}: ${block.mimeType}]`
  }
}

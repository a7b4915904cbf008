import type { Json } from '@homeward/contract/agent-platform'
import type { Tool } from '../ports/tool.ts'
import { isSmallJson } from '../json/to-json.ts'
import { cutText } from './exec/bounded-output.ts'

/** Bytes of UTF-8 that a unit of a text takes at the most. */
const longestCharacter = 3

/** Bytes that a unit takes in JSON at the most: control characters are written as six. */
const longestInJson = 6

/** A result as it is, or the beginning of its text with `truncated: true` when it is larger than `maxBytes`. */
export function boundResult(result: Json, maxBytes: number): Json {
  if (isSmallJson(result, maxBytes / longestInJson)) return result
  // a host's tool may give nothing at all
  const text = typeof result === 'string' ? result : (JSON.stringify(result) ?? 'null')
  if (text.length * longestCharacter <= maxBytes) return result
  const bytes = Buffer.from(text)
  return bytes.length <= maxBytes
    ? result
    : { truncated: true, size: bytes.length, text: cutText(bytes, maxBytes) }
}

/** A tool whose results are bounded, for tools that others wrote. */
export function withBoundResult(tool: Tool, maxBytes: number): Tool {
  return { ...tool, call: async (args, context) => boundResult(await tool.call(args, context), maxBytes) }
}

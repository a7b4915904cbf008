import type { Json } from '@homeward/contract/agent-platform'
import { isToolContent } from '../files/tool-content.ts'
import type { Tool } from '../ports/tool.ts'
import type { ToolContent, ToolContentPart } from '../ports/tool-content.ts'
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

/** A result with files whose texts have at most `maxBytes` bytes in all. Files are bounded where they are stored. */
export function boundContent(value: ToolContent, maxBytes: number): ToolContent {
  let left = maxBytes
  const content = value.content.map((part): ToolContentPart => {
    if (part.type !== 'text') return part
    const bytes = Buffer.from(part.text)
    const isCut = bytes.length > left
    const text = isCut ? `${cutText(bytes, left)}\n[truncated: ${bytes.length} bytes]` : part.text
    left = Math.max(0, left - bytes.length)
    return { type: 'text', text }
  })
  return { ...value, content }
}

/** A tool whose results are bounded, for tools that others wrote. */
export function withBoundResult(tool: Tool, maxBytes: number): Tool {
  return {
    ...tool,
    async execute(args, context) {
      const result = await tool.execute(args, context)
      return isToolContent(result) ? boundContent(result, maxBytes) : boundResult(result, maxBytes)
    },
  }
}

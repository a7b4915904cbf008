import type { Json } from '@homeward/contract/agent-platform'

/** A file that a tool returns. */
export interface ToolFilePart {
  readonly type: 'file'
  /** Media type such as `image/png`. `application/octet-stream`: detected from the bytes. */
  readonly media_type: string
  /** The bytes, or their standard base64, at most 20 MiB. */
  readonly data: string | Uint8Array
  /** File name. A path before it is removed. @default `file-1.png` and so on */
  readonly name?: string
}

/** A part of a result with files. */
export type ToolContentPart = { readonly type: 'text'; readonly text: string } | ToolFilePart

/**
 * A tool's result with files, at most 20. The bytes are stored, and the result for the model, people and events
 * refers to them. Other fields stay beside `content`.
 */
export interface ToolContent {
  readonly content: readonly ToolContentPart[]
  readonly [field: string]: Json | readonly ToolContentPart[]
}

import type { Json } from '@homeward/contract/agent-platform'

/** A file that a tool returns. */
export interface ToolFilePart {
  readonly type: 'file'
  /** Such as `image/png`. `application/octet-stream`: what the bytes look like. */
  readonly media_type: string
  /** The bytes, or their standard base64. At most 20 MiB. */
  readonly data: string | Uint8Array
  /** With or without a path, which is dropped. @default `file-1.png` and so on */
  readonly name?: string
}

/** A piece of a result with files. */
export type ToolContentPart = { readonly type: 'text'; readonly text: string } | ToolFilePart

/**
 * A tool's result with files, at most 20 of them. The bytes are stored, and the result that the model, people and events
 * read refers to them. Other fields stay beside `content`.
 */
export interface ToolContent {
  readonly content: readonly ToolContentPart[]
  readonly [field: string]: Json | readonly ToolContentPart[]
}

import type { JsonObject } from '@homeward/contract/agent-platform'

/** Kind of an attachment. */
export type InboundFileKind = 'picture' | 'document' | 'sound' | 'voice message' | 'video' | 'sticker'

/** A file of a message. Its bytes are loaded before the run, by `loadFile`. */
export interface InboundFile {
  readonly kind: InboundFileKind
  readonly name?: string
  /** Media type such as `image/jpeg`, if the platform reports it. */
  readonly mediaType?: string
  /** Size in bytes, if the platform reports it. */
  readonly bytes?: number
  /** Reference with which the channel finds the file: plain JSON without secrets, stored with the message. */
  readonly reference?: JsonObject
  /** Bytes of the file, if the platform sends them with the message. They are stored with it. */
  readonly content?: Uint8Array
  /** Reason why the file cannot be loaded, if already known: `larger than 20 MB`. */
  readonly problem?: string
}

/** A file to send to the platform. */
export interface OutboundFile {
  /** File name without a path. */
  readonly name: string
  readonly mediaType: string
  readonly content: Uint8Array
}

/** Options for loading a file. */
export interface LoadFileOptions {
  /** Aborts when the run or the process stops. */
  readonly signal: AbortSignal
  /** Maximum size in bytes. */
  readonly maxBytes: number
}

/** A loaded file. */
export interface LoadedFile {
  readonly content: Uint8Array
  /** Media type, if the platform reports it only now. */
  readonly mediaType?: string
}

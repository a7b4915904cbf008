import type { JsonObject } from '@homeward/contract/agent-platform'

/** What people send in addition to text, as it is called in words. */
export type InboundFileKind = 'picture' | 'document' | 'sound' | 'voice message' | 'video' | 'sticker'

/** A file of a message. Its bytes are loaded before the run, by `loadFile`. */
export interface InboundFile {
  readonly kind: InboundFileKind
  readonly name?: string
  /** Such as `image/jpeg`, if the platform says so. */
  readonly mediaType?: string
  /** Size in bytes, if the platform says so. */
  readonly bytes?: number
  /** How the channel finds the file: plain JSON without secrets that is stored with the message. */
  readonly reference?: JsonObject
  /** The bytes, from a platform that sends them along. They are stored with the message. */
  readonly content?: Uint8Array
  /** Why the file cannot be loaded, if the platform says so already: `larger than 20 MB`. */
  readonly problem?: string
}

/** A file for the platform. */
export interface OutboundFile {
  /** Plain name, without a path. */
  readonly name: string
  readonly mediaType: string
  readonly content: Uint8Array
}

/** Options for loading a file. */
export interface LoadFileOptions {
  /** Aborts when the run is stopped, or the process stops. */
  readonly signal: AbortSignal
  /** Largest size in bytes. */
  readonly maxBytes: number
}

/** A file that was loaded. */
export interface LoadedFile {
  readonly content: Uint8Array
  /** If the platform says so only now. */
  readonly mediaType?: string
}
